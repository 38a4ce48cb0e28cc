#include "tonnx/error.h"

#include <algorithm>
#include <cstring>

#include "guard.h"
#include "ir/callback_error.h"
#include "ir/dependency_error.h"
#include "ir/observer.h"
#include "ir/utf8.h"

namespace tonnx::capi {
namespace {

const char* class_of(tonnx_status status, const std::vector<ir::Reason>& reasons) {
  const auto names_operator = [](const ir::Reason& reason) { return !reason.op.empty(); };
  switch (status) {
    case TONNX_STATUS_OK: return "";
    case TONNX_STATUS_UNSUPPORTED:
      return std::ranges::any_of(reasons, names_operator) ? "UnsupportedOperatorError" : "OnnxExporterError";
    case TONNX_STATUS_ARGUMENT: return "ArgumentError";
    case TONNX_STATUS_VERIFICATION: return "VerificationError";
    case TONNX_STATUS_FILE: return "FileError";
    case TONNX_STATUS_CALLBACK: return "CallbackError";
    case TONNX_STATUS_CHECKER: return "CheckerError";
    case TONNX_STATUS_PROGRAM: return "ProgramError";
    case TONNX_STATUS_MEMORY: return "MemoryError";
    case TONNX_STATUS_WARNING: return "WarningError";
    case TONNX_STATUS_CANCELLED: return "CancelledError";
    default: return "InternalError";
  }
}

void store(tonnx_error** error, tonnx_status status, const char* message, const ir::Error* thrown = nullptr) {
  if (!error) return;
  auto made = std::make_unique<tonnx_error>();
  made->status = status;
  made->message = ir::as_utf8(message);  // a message may quote a path
  if (thrown) {
    made->reasons = thrown->reasons();
    for (ir::Reason& reason : made->reasons)
      for (std::string* text : {&reason.op, &reason.text, &reason.module, &reason.source}) *text = ir::as_utf8(*text);
    if (const auto* callback = dynamic_cast<const ir::CallbackError*>(thrown)) made->cause = callback->cause();
  }
  made->report.fail(made->message, made->reasons);
  made->class_name = class_of(status, made->reasons);
  if (dynamic_cast<const ir::DependencyError*>(thrown)) made->class_name = "DependencyError";
  if (dynamic_cast<const ir::MissingKernelError*>(thrown)) made->class_name = "MissingKernelError";
  *error = made.release();
}

}  // namespace

tonnx_status fail(tonnx_error** error, const std::exception& exception) noexcept {
  try {
    if (const auto* own = dynamic_cast<const ir::Error*>(&exception)) {
      const auto status = static_cast<tonnx_status>(own->code());
      store(error, status, own->what(), own);
      return status;
    }
    const bool memory = dynamic_cast<const std::bad_alloc*>(&exception) != nullptr;
    store(error, memory ? TONNX_STATUS_MEMORY : TONNX_STATUS_INTERNAL, memory ? "out of memory" : exception.what());
    return memory ? TONNX_STATUS_MEMORY : TONNX_STATUS_INTERNAL;
  } catch (...) {
    return TONNX_STATUS_MEMORY;
  }
}

tonnx_status fail(tonnx_error** error, const ir::Cancelled& cancelled) noexcept {
  try {
    const auto status = static_cast<tonnx_status>(cancelled.code());
    store(error, status, cancelled.message().c_str());
    if (error && *error) (*error)->cause = cancelled.cause();
    return status;
  } catch (...) {
    return TONNX_STATUS_MEMORY;
  }
}

tonnx_status fail(tonnx_error** error, tonnx_status status, const char* message) noexcept {
  try {
    store(error, status, message);
    return status;
  } catch (...) {
    return TONNX_STATUS_MEMORY;
  }
}

std::shared_ptr<void> own_user_data(void* user_data, tonnx_destroy_fn destroy) {
  if (!destroy) return std::shared_ptr<void>(user_data, [](void*) {});
  return std::shared_ptr<void>(user_data, destroy);
}

std::shared_ptr<void> own_cause(void* cause, tonnx_destroy_fn destroy) {
  return destroy ? own_user_data(cause, destroy) : nullptr;
}

}  // namespace tonnx::capi

namespace {

const tonnx::ir::Reason* reason(const tonnx_error* error, size_t index) {
  return error && index < error->reasons.size() ? &error->reasons[index] : nullptr;
}

}  // namespace

tonnx_status tonnx_error_status(const tonnx_error* error) { return error ? error->status : TONNX_STATUS_OK; }
const char* tonnx_error_message(const tonnx_error* error) { return error ? error->message.c_str() : ""; }
const char* tonnx_error_class(const tonnx_error* error) { return error ? error->class_name.c_str() : ""; }

int32_t tonnx_error_class_is(const char* class_name, const char* base) {
  if (!class_name || !base || !*class_name) return 0;
  const std::string_view name = class_name, wanted = base;
  if (name == wanted || wanted == "OnnxExporterError") return 1;
  return wanted == "FileError" && (name == "DependencyError" || name == "MissingKernelError");
}

size_t tonnx_error_reason_count(const tonnx_error* error) { return error ? error->reasons.size() : 0; }

const char* tonnx_error_reason_operator(const tonnx_error* error, size_t index) {
  const auto* r = reason(error, index);
  return r ? r->op.c_str() : "";
}

const char* tonnx_error_reason_text(const tonnx_error* error, size_t index) {
  const auto* r = reason(error, index);
  return r ? r->text.c_str() : "";
}

const char* tonnx_error_reason_module(const tonnx_error* error, size_t index) {
  const auto* r = reason(error, index);
  return r ? r->module.c_str() : "";
}

const char* tonnx_error_reason_source(const tonnx_error* error, size_t index) {
  const auto* r = reason(error, index);
  return r ? r->source.c_str() : "";
}

int64_t tonnx_error_reason_places(const tonnx_error* error, size_t index) {
  const auto* r = reason(error, index);
  return r ? r->count : 0;
}

void* tonnx_error_cause(const tonnx_error* error, tonnx_destroy_fn destroy) {
  if (!error || !destroy) return nullptr;
  const auto* given = std::get_deleter<tonnx_destroy_fn>(error->cause);
  return given && *given == destroy ? error->cause.get() : nullptr;
}

const char* tonnx_error_report(const tonnx_error* error) {
  if (!error) return "";
  return tonnx::capi::answer<const char*>("", [&] {
    std::call_once(error->serialized, [&] { error->json = error->report.json(); });
    return error->json.c_str();
  });
}

void tonnx_error_free(tonnx_error* error) { tonnx::capi::destroy(error); }

const char* tonnx_status_name(tonnx_status status) {
  switch (status) {
    case TONNX_STATUS_OK: return "ok";
    case TONNX_STATUS_UNSUPPORTED: return "unsupported";
    case TONNX_STATUS_ARGUMENT: return "argument";
    case TONNX_STATUS_VERIFICATION: return "verification";
    case TONNX_STATUS_FILE: return "file";
    case TONNX_STATUS_CALLBACK: return "callback";
    case TONNX_STATUS_CHECKER: return "checker";
    case TONNX_STATUS_PROGRAM: return "program";
    case TONNX_STATUS_MEMORY: return "memory";
    case TONNX_STATUS_INTERNAL: return "internal";
    case TONNX_STATUS_WARNING: return "warning";
    case TONNX_STATUS_CANCELLED: return "cancelled";
    default: return "unknown";
  }
}
