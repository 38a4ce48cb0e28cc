#pragma once

#include <cstdint>

#include "ir/graph.h"
#include "ir/target.h"

namespace tonnx::optimize {

struct Options {
  ir::Target target = {};  // whose defects at the opset are avoided
  std::int32_t opset = 17;
  bool declared_sizes = false;       // symbolic sizes are those of the program in every run, not fitted to some runs
  bool fold_constants = true;        // fold operators on constants
  bool integer_constants = true;     // Constant supports integers: opset 9 and newer
  bool merge_equal_weights = false;  // store weights of equal content once
  bool fold_weights = true;  // treat weights as constants: eval mode, and weights that are not inputs of the model
  bool fold_normalisations = true;  // fold normalisations with fixed statistics into the layer before them
};

// Runs the passes on a model in the ONNX dialect, up to a bounded number of rounds. Results stay bitwise equal, except
// for folded normalisations, which round once less, and folded functions and reductions, which differ in the last
// digit. Names of inputs, outputs and weights are kept; changed weights get a suffix. No bytes of weights are copied:
// folded views are strided tensors, and folded normalisations are computed when they are read.
void optimize(ir::Graph& model, const Options& options);

}  // namespace tonnx::optimize
