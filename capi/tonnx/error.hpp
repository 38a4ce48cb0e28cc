// Errors as exceptions, and code shared by all classes of tonnx.hpp.
#ifndef TONNX_ERROR_HPP
#define TONNX_ERROR_HPP

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tonnx/buffer.h"
#include "tonnx/error.h"

namespace tonnx {

struct Reason {
  std::string op;
  std::string text;
  std::string module;
  std::string source;
  std::int64_t places = 1;
};

namespace detail {

inline void delete_exception(void* cause) { delete static_cast<std::exception_ptr*>(cause); }
// An exception as the cause of a failure; null without memory for it.
inline void* as_cause(const std::exception_ptr& exception) noexcept {
  return new (std::nothrow) std::exception_ptr(exception);
}

// The class of an error that names no operator: "FileError" for TONNX_STATUS_FILE. See tonnx_error_class.
inline std::string class_of(tonnx_status status) {
  if (status == TONNX_STATUS_OK) return "";
  if (status == TONNX_STATUS_UNSUPPORTED) return "OnnxExporterError";
  std::string name = tonnx_status_name(status);
  if (name == "unknown") return "InternalError";
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name + "Error";
}

}  // namespace detail

// Thrown by a failed call. what() returns the whole message.
class Error : public std::runtime_error {
 public:
  Error(tonnx_status status, const std::string& message)
      : std::runtime_error(message), status_(status), class_name_(detail::class_of(status)) {}
  explicit Error(const tonnx_error* error)
      : std::runtime_error(tonnx_error_message(error)),
        status_(tonnx_error_status(error)),
        class_name_(tonnx_error_class(error)),
        report_(tonnx_error_report(error)) {
    for (std::size_t i = 0; i < tonnx_error_reason_count(error); ++i)
      reasons_.push_back({tonnx_error_reason_operator(error, i), tonnx_error_reason_text(error, i),
                          tonnx_error_reason_module(error, i), tonnx_error_reason_source(error, i),
                          tonnx_error_reason_places(error, i)});
    if (const void* cause = tonnx_error_cause(error, &detail::delete_exception))
      cause_ = *static_cast<const std::exception_ptr*>(cause);
  }

  tonnx_status status() const { return status_; }
  const std::string& class_name() const { return class_name_; }
  // Returns true if its class is `base` or derived from it. See tonnx_error_class_is.
  bool is(const std::string& base) const { return tonnx_error_class_is(class_name_.c_str(), base.c_str()) != 0; }
  const std::vector<Reason>& reasons() const { return reasons_; }
  // Report of the failure as JSON. For an export it includes everything found before the failure.
  const std::string& report() const { return report_; }
  // The exception thrown by a symbolic, an observer, a writer, traced code or the resize callback of a trace; null for
  // all other errors.
  const std::exception_ptr& cause() const { return cause_; }

 private:
  tonnx_status status_;
  std::string class_name_;
  std::string report_;
  std::vector<Reason> reasons_;
  std::exception_ptr cause_;
};

namespace detail {

// Collects the error of one call and throws it.
class Check {
 public:
  ~Check() { tonnx_error_free(error_); }
  tonnx_error** out() { return &error_; }
  void operator()(tonnx_status status) {
    if (status == TONNX_STATUS_OK) return;
    if (!error_) throw Error(status, tonnx_status_name(status));
    throw Error(error_);
  }

 private:
  tonnx_error* error_ = nullptr;
};

template <class Call>
void call(Call&& body) {
  Check check;
  check(body(check.out()));
}

// Same; what the callback of the call threw leaves unchanged.
template <class Call>
void call_with_callback(Call&& body) {
  try {
    call(body);
  } catch (const Error& e) {
    if (e.cause()) std::rethrow_exception(e.cause());
    throw;
  }
}

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

template <class T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

inline std::string take(tonnx_buffer* buffer) {
  const Handle<tonnx_buffer, tonnx_buffer_free> owner(buffer);
  return std::string(static_cast<const char*>(tonnx_buffer_data(buffer)), tonnx_buffer_size(buffer));
}

}  // namespace detail

}  // namespace tonnx

#endif
