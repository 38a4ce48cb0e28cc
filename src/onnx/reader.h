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

// Reads a model for printing and checking. Weights stay in their file (the model's or the external one) as regions;
// only small ones and those not kept as raw bytes are copied. Facts are those the model states and those inference
// finds. Sub-graphs become blocks, their initializers weights. Functions, training graphs and quantisation notes are
// left out.
// Throws Error(Code::File), naming the file, if it cannot be read, is damaged, or is no ONNX model.
Model read_file(const std::string& path);

}  // namespace tonnx::onnx
