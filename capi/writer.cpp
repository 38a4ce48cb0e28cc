#include <exception>

#include "export/model_file.h"
#include "guard.h"
#include "ir/callback_error.h"
#include "tonnx/model.h"

using tonnx::capi::guard;
using tonnx::capi::own_cause;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::CallbackError;

struct tonnx_writer {
  const tonnx::onnx::Receive* receive = nullptr;  // null for a tonnx_write_fn
  std::exception_ptr failed;                      // the error of a write
  bool has_failed = false;                        // reported by the callback
  std::string reason;
  std::shared_ptr<void> cause;

  // Throws what the callback reported, or that it stopped.
  void finish(bool stopped, const char* without_reason) const {
    if (failed) std::rethrow_exception(failed);
    if (has_failed || stopped) throw CallbackError(reason.empty() ? without_reason : reason, {}, cause);
  }
};

tonnx_status tonnx_model_write(const tonnx_model* model, tonnx_write_fn write, void* user_data, tonnx_error** error) {
  return guard(error, [&] {
    require(model, "model");
    if (!write) refuse("argument 'write' is NULL");
    tonnx_writer writer;
    tonnx::exporting::write_model(*model->model, [&](const std::byte* data, std::size_t size) {
      const bool stopped = write(&writer, data, size, user_data) != 0;
      writer.finish(stopped, "the write callback stopped the export");
    });
  });
}

tonnx_status tonnx_model_serialize(const tonnx_model* model, const char* path, tonnx_serialize_fn serialize,
                                   void* user_data, tonnx_error** error) {
  return guard(error, [&] {
    require(model, "model");
    require(path, "path");
    if (!serialize) refuse("argument 'serialize' is NULL");
    if (!*path) refuse("the path is empty");
    tonnx::exporting::save_bytes(path, [&](const tonnx::onnx::Receive& receive) {
      tonnx_writer writer;
      writer.receive = &receive;
      const bool stopped = serialize(model, &writer, user_data) != 0;
      writer.finish(stopped, "the serializer failed without a reason");
    });
  });
}

tonnx_status tonnx_writer_write(tonnx_writer* writer, const void* data, size_t size, tonnx_error** error) {
  return guard(error, [&] {
    require(writer, "writer");
    if (size > 0) require(data, "data");
    if (!writer->receive) refuse("the writer of a tonnx_write_fn only reports failures");
    if (writer->failed) std::rethrow_exception(writer->failed);
    try {
      (*writer->receive)(static_cast<const std::byte*>(data), size);
    } catch (...) {
      writer->failed = std::current_exception();
      throw;
    }
  });
}

void tonnx_writer_fail(tonnx_writer* writer, const char* message, void* cause, tonnx_destroy_fn destroy) {
  tonnx::capi::answer(0, [&] {
    std::shared_ptr<void> owned = own_cause(cause, destroy);
    if (!writer) return 0;
    writer->has_failed = true;
    writer->cause = std::move(owned);
    writer->reason = message ? message : "";
    return 0;
  });
}
