#pragma once

#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"

// Not checker.h: the onnx library's headers include their own under that name.
namespace tonnx::onnx {

// Each throws Error(Code::Checker) with ONNX's reason, and reads no weight but small ones that shapes may hang on.
// An output of unknown rank is let pass, which ONNX's own checker does not: the format has no other way to write it.

// The ONNX checker, with type and shape inference in its strict mode, on the model a writer would write.
void check(const ir::Graph& graph, const ModelInfo& info);

// The same on a model as it stands in a file, and that every weight's bytes are there: inside, or in the external
// file. `full`: with strict inference. Throws Error(Code::File) if it cannot be read as an ONNX model.
void check_file(const std::string& path, bool full = true);

}  // namespace tonnx::onnx
