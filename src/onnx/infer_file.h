#pragma once

#include <string>

namespace tonnx::onnx {

// Infers the types and shapes of the values of a model file, as onnx does, and writes the model with them as value_info
// to another file, which appears complete or not at all. Values of operators that onnx does not know stay as they are.
// Throws Error(Code::File) if the file cannot be read as an ONNX model or exceeds 2 GiB, Error(Code::Checker) if a
// declared type contradicts an inferred one, and Error(Code::Argument) if the model has external data and the other
// file is in another folder, for it refers to them.
void infer_file(const std::string& path, const std::string& result);

}  // namespace tonnx::onnx
