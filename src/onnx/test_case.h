#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

// Writes a model as a folder of ONNX's own tests: model.onnx, and input_I.pb and output_I.pb in test_data_set_0, as
// messages of tensors under the names of the model's inputs and outputs. Makes the folder; files there are replaced.
// Throws as write_file does, and Error(Code::Argument) for other numbers of tensors than of inputs and outputs.
void write_test_case(const ir::Graph& graph, const ModelInfo& info, const std::string& folder,
                     const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& outputs);

}  // namespace tonnx::onnx
