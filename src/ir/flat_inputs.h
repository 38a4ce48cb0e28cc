#pragma once

#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/tensor.h"

namespace tonnx::ir {

struct FlatInput {
  std::string name;
  Tensor example;
};

// The tensors and scalars of the arguments (scalars as rank-0 tensors), in order. Tuples, lists and dicts are
// flattened; None and strings are left out. Names: "input", or "input_0", "input_1", ... if there are several, or the
// keyword, with ".item" for each nested level.
std::vector<FlatInput> flat_inputs(const Arguments& arguments);

}  // namespace tonnx::ir
