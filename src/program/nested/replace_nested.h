#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/quantised/replace_quantised.h"

namespace tonnx::program {

// Makes every nested tensor a padded tensor and a mask of its rows, so that no later pass has nested tensors:
//
//   %n = aten::_nested_tensor_from_mask(%t, %mask, %check)    %valid = aten::lt(positions, aten::sum(%mask, 1))
//                                                             %n = aten::where(%valid, %t, 0)
//   %y = aten::relu(%n)                                       %y = aten::relu(%n)
//   %p = aten::to_padded_tensor(%y, 0., None)                 %p = aten::where(%valid, %y, 0.), as long as the longest
//   row
//
// Padding holds anything; only to_padded_tensor and attention tell it from elements. Where branches and loops give
// nested or other tensors, they carry the mask and whether the tensor is nested beside it. An operator without a form
// is marked as refused (ir::set_why_refused), in a branch where its operand may be nested. Conditions that the model
// does not check are added to `warnings`. Runs before facts are inferred, after tuples are split. Nodes that are `kept`
// stay as they are.
void replace_nested(ir::Graph& graph, std::vector<std::string>& warnings, const Kept& kept = {});

}  // namespace tonnx::program
