#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

// Writes a model as a folder in the format of ONNX's backend tests: model.onnx, and test_data_set_0 with input_I.pb and
// output_I.pb, TensorProto messages with the names of the model's inputs and outputs. Creates the folder; replaces
// files in it. Throws like write_file, and Error(Code::Argument) if the number of tensors differs from that of inputs
// and outputs.
void write_test_case(const ir::Graph& graph, const ModelInfo& info, const std::string& folder,
                     const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& outputs);

}  // namespace tonnx::onnx
