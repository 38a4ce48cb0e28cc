#pragma once

#include <memory>
#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

struct Model {
  std::unique_ptr<ir::Graph> graph;
  ModelInfo info;
};

// Reads a model for printing and checking. Weights stay regions of their file (the model's or the external one); only
// small ones, and those not stored as raw bytes, are copied. Facts are those that the model declares and that inference
// finds. Subgraphs become blocks, and their initializers become weights. Functions, training graphs and quantisation
// annotations are ignored. Throws Error(Code::File), naming the file, if it cannot be read, is damaged, or is not an
// ONNX model.
Model read_file(const std::string& path);

}  // namespace tonnx::onnx
