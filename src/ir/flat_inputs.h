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

// The tensors and numbers of the arguments (numbers as rank-0 tensors), in order, tuples, lists and dicts opened, None
// and strings left out: named "input", or "input_0", "input_1", ... if there are several, or by keyword, with ".item"
// for each level below.
std::vector<FlatInput> flat_inputs(const Arguments& arguments);

}  // namespace tonnx::ir
