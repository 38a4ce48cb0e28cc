#pragma once

#include "ir/graph.h"

namespace tonnx::optimize {

struct Options {
  bool fold_constants = true;  // operators on constants alone
  bool integer_constants = true;  // Constant gives integers: opset 9 and newer
  bool fold_weights = true;    // weights count as constants: eval mode, and weights that are no inputs of the model
};

// Runs the passes on a model in the ONNX dialect, to a bounded fixed point. Results stay equal to the last bit, names of
// inputs, outputs and weights are kept, and no weight's bytes are copied: folded views are strided tensors.
void optimize(ir::Graph& model, const Options& options);

}  // namespace tonnx::optimize
