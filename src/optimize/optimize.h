#pragma once

#include "ir/graph.h"

namespace tonnx::optimize {

struct Options {
  bool told_sizes = false;  // open sizes are those that the program tells of every run, and not fitted to some of them
  bool fold_constants = true;     // operators on constants alone
  bool integer_constants = true;  // Constant gives integers: opset 9 and newer
  bool dequantise_late = false;   // signed bytes behind what moves them: opset 21 and newer
  bool fold_weights = true;       // weights count as constants: eval mode, and weights that are no inputs of the model
};

// Runs the passes on a model in the ONNX dialect, to a bounded fixed point. Results stay equal to the last bit, but for
// folded normalisations, which round once less. Names of inputs, outputs and weights are kept, those of changed weights
// get a suffix, and no weight's bytes are copied: folded views are strided tensors, folded normalisations are computed
// when they are read.
void optimize(ir::Graph& model, const Options& options);

}  // namespace tonnx::optimize
