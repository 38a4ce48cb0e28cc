#include <exception>

#include "export/model_file.h"
#include "guard.h"
#include "tonnx/model.h"

using tonnx::capi::guard;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::ir::Code;
using tonnx::ir::Error;

struct tonnx_writer {
  const tonnx::onnx::Receive& receive;
  std::exception_ptr failed;  // the error of a write
  std::string reason;         // reported by the serializer
};

tonnx_status tonnx_model_save_with(const tonnx_model* model, const char* path, tonnx_serialize_fn serialize,
                                   void* user_data, tonnx_error** error) {
  return guard(error, [&] {
    require(model, "model");
    require(path, "path");
    if (!serialize) refuse("argument 'serialize' is NULL");
    if (!*path) refuse("the path is empty");
    tonnx::exporting::save_bytes(path, [&](const tonnx::onnx::Receive& receive) {
      tonnx_writer writer{receive, nullptr, {}};
      const bool stopped = serialize(model, &writer, user_data) != 0;
      if (writer.failed) std::rethrow_exception(writer.failed);
      if (!writer.reason.empty()) throw Error(Code::Callback, writer.reason);
      if (stopped) throw Error(Code::Callback, "the serializer failed without a reason");
    });
  });
}

tonnx_status tonnx_writer_write(tonnx_writer* writer, const void* data, size_t size, tonnx_error** error) {
  return guard(error, [&] {
    require(writer, "writer");
    if (size > 0) require(data, "data");
    if (writer->failed) std::rethrow_exception(writer->failed);
    try {
      writer->receive(static_cast<const std::byte*>(data), size);
    } catch (...) {
      writer->failed = std::current_exception();
      throw;
    }
  });
}

void tonnx_writer_fail(tonnx_writer* writer, const char* message) {
  if (writer) writer->reason = message && *message ? message : "the serializer failed without a reason";
}
