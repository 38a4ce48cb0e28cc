#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/quantised/replace_quantised.h"

namespace tonnx::program {

// Replaces every nested tensor by a padded tensor and a mask of its elements. Later passes need not handle them.
//
//   %n = aten::_nested_tensor_from_mask(%t, %mask, %check)    %valid = aten::lt(positions, aten::sum(%mask, 1))
//                                                             %n = aten::where(%valid, %t, 0)
//   %y = aten::relu(%n)                                       %y = aten::relu(%n)
//   %p = aten::to_padded_tensor(%y, 0., None)                 %p = aten::where(%valid, %y, 0.), cut at the longest
//
// Padding may hold any number; only to_padded_tensor and attention distinguish it from elements. If branches and loops
// yield nested or other tensors, they also carry the mask and a flag. An operator without an ONNX form is marked as
// refused (ir::set_why_refused), in a branch if its operand may be nested. Adds conditions that the model does not
// check to `warnings`. Runs before facts are inferred, after tuples are split. Does not change nodes in `kept`.
void replace_nested(ir::Graph& graph, std::vector<std::string>& warnings, const Kept& kept = {});

}  // namespace tonnx::program
