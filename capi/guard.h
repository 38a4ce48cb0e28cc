#pragma once

#include <exception>
#include <new>
#include <string>

#include "backend/running_call.h"
#include "backend/scope.h"
#include "handles.h"
#include "ir/observer.h"

namespace tonnx::capi {

// Stores a new error through `error` unless it is null. Returns the status.
tonnx_status fail(tonnx_error** error, const std::exception& exception) noexcept;
tonnx_status fail(tonnx_error** error, const ir::Cancelled& cancelled) noexcept;
tonnx_status fail(tonnx_error** error, tonnx_status status, const char* message) noexcept;

// Runs the body of an entry point. No exception leaves it: an Error and Cancelled keep their status, std::bad_alloc
// becomes TONNX_STATUS_MEMORY, everything else TONNX_STATUS_INTERNAL. *error is cleared first. LibTorch's output is
// suppressed meanwhile.
template <class Body>
tonnx_status guard(tonnx_error** error, Body&& body) noexcept {
  const backend::RunningCall call;
  if (error) *error = nullptr;
  const backend::Quiet quiet;
  try {
    body();
    return TONNX_STATUS_OK;
  } catch (const std::exception& e) {
    return fail(error, e);
  } catch (const ir::Cancelled& cancelled) {
    return fail(error, cancelled);
  } catch (...) {
    return fail(error, TONNX_STATUS_INTERNAL, "an exception that is not a std::exception");
  }
}

// Same, under an observer, which may be null, and limits. Those of an outer call on this thread do not apply.
template <class Body>
tonnx_status guard(tonnx_error** error, const std::shared_ptr<ir::Observer>& observer, const ir::Limits& limits,
                   Body&& body) noexcept {
  return guard(error, [&] { ir::observe(observer.get(), limits, body); });
}

template <class Body>
tonnx_status guard(tonnx_error** error, const std::shared_ptr<ir::Observer>& observer, Body&& body) noexcept {
  return guard(error, observer, {}, body);
}

// The observer of a handle of options that may be null.
template <class Handle>
std::shared_ptr<ir::Observer> observer_of(const Handle* options) {
  return options ? options->options.observer : nullptr;
}

// The limits of options that may be null.
ir::Limits limits_of(const tonnx_options* options);

// For entry points that cannot fail.
template <class Result, class Body>
Result answer(Result fallback, Body&& body) noexcept {
  const backend::RunningCall call;
  try {
    return body();
  } catch (...) {
    return fallback;
  }
}

// Frees a handle, which may hold objects of LibTorch.
template <class Handle>
void destroy(Handle* handle) noexcept {
  const backend::RunningCall call;
  delete handle;
}

[[noreturn]] inline void refuse(const std::string& message) { throw ir::Error(ir::Code::Argument, message); }

// Checks of an entry point: refuses a null pointer and names it.
inline void require(const void* pointer, const char* name) {
  if (!pointer) refuse(std::string("argument '") + name + "' is NULL");
}

// Calls a destroy function exactly once, when the last owner releases it.
std::shared_ptr<void> own_user_data(void* user_data, tonnx_destroy_fn destroy);

// Same for the cause of a failure; null without a destroy function.
std::shared_ptr<void> own_cause(void* cause, tonnx_destroy_fn destroy);

}  // namespace tonnx::capi
