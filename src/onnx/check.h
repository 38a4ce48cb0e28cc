#pragma once

#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"

// Not named checker.h, because the onnx library's headers include their own checker.h.
namespace tonnx::onnx {

// Each function throws Error(Code::Checker) with ONNX's reason. Reads only small weights, which shapes may depend on.
// Accepts an output of unknown rank, which ONNX's own checker does not: the format has no other way to write it.

// Runs the ONNX checker, with type and shape inference in strict mode, on the model that a writer would write.
void check(const ir::Graph& graph, const ModelInfo& info);

// Runs the checker on a model file, and checks that every weight's bytes exist, in the model or in an external file.
// `full`: with strict inference. Throws Error(Code::File) if the file cannot be read as an ONNX model.
void check_file(const std::string& path, bool full = true);

}  // namespace tonnx::onnx
