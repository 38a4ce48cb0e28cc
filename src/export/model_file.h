#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "ir/observer.h"
#include "onnx/writer.h"

namespace tonnx::exporting {

// A finished model as a file. Errors are those of onnx/writer.h.

struct SaveOptions {
  onnx::ExternalData external_data = onnx::ExternalData::Auto;
  std::shared_ptr<ir::Observer> observer;  // null: none
};

void save_model(const Model& model, const std::string& path, onnx::ExternalData external_data);
void write_model(const Model& model, const std::function<void(const std::byte*, std::size_t)>& receive);
void write_model(const Model& model, int descriptor);
// Writes a file with the bytes that `fill` passes; it appears complete or not at all.
void save_bytes(const std::string& path, const std::function<void(const onnx::Receive&)>& fill);
std::vector<std::byte> model_bytes(const Model& model);

// The short text form (one line per node), or the protobuf message as text without the bytes of weights.
std::string model_text(const Model& model, bool full);
std::string file_text(const std::string& path, bool full);
// A picture (diagram/diagram.h): an SVG image or an HTML page. `mismatch`: null, or the result of a search as JSON,
// whose operators that differ are marked.
std::string model_picture(const Model& model, bool page);
std::string file_picture(const std::string& path, bool page, const char* mismatch = nullptr);

// Throws Error(Code::Checker) if the ONNX checker rejects the model.
void check_model(const Model& model);
void check_file(const std::string& path);

// See onnx/infer_file.h.
void infer_file(const std::string& path, const std::string& result);

}  // namespace tonnx::exporting
