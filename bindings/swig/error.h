// The error of a failed call, from which a managed exception is created.
#ifndef TONNX_SWIG_ERROR_H
#define TONNX_SWIG_ERROR_H

#include <exception>
#include <new>
#include <stdint.h>
#include <string>

#include "call.h"
#include "tonnx.hpp"

namespace tonnx::managed {

class Error {
 public:
#ifndef SWIG
  explicit Error(tonnx::Error error) : error_(std::move(error)) {}
#endif

  int32_t status() const { return error_.status(); }
  std::string message() const { return error_.what(); }
  std::string class_name() const { return error_.class_name(); }

  std::string report() const { return error_.report(); }

  int32_t reason_count() const { return static_cast<int32_t>(error_.reasons().size()); }
  std::string reason_operator(int32_t index) const { return reason(index).op; }
  std::string reason_text(int32_t index) const { return reason(index).text; }
  std::string reason_module(int32_t index) const { return reason(index).module; }
  std::string reason_source(int32_t index) const { return reason(index).source; }
  int64_t reason_places(int32_t index) const { return reason(index).places; }

  // The number passed to fail_with, valid as long as this object lives; or -1.
  int64_t cause() const {
    if (!error_.cause()) return -1;
    try {
      std::rethrow_exception(error_.cause());
    } catch (const Failure& failure) {
      return failure.cause();
    } catch (...) {
      return -1;
    }
  }

 private:
  const Reason& reason(int32_t index) const { return error_.reasons().at(static_cast<std::size_t>(index)); }

  tonnx::Error error_;
};

#ifndef SWIG
// The error of the exception that is being handled; null without memory for it.
inline Error* current_error() noexcept {
  try {
    try {
      throw;
    } catch (const tonnx::Error& error) {
      return new Error(error);
    } catch (const std::bad_alloc&) {
      return new Error(tonnx::Error(TONNX_STATUS_MEMORY, "out of memory"));
    } catch (const std::exception& error) {
      return new Error(tonnx::Error(TONNX_STATUS_INTERNAL, error.what()));
    } catch (...) {
      return new Error(tonnx::Error(TONNX_STATUS_INTERNAL, "an exception that is not a std::exception"));
    }
  } catch (...) {
    return nullptr;
  }
}
#endif

}  // namespace tonnx::managed

#endif
