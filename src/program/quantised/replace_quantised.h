#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// True if the caller converts a node itself, so that no pass may replace it.
using Kept = std::function<bool(const ir::Node&)>;

// Replaces every quantised tensor by the float tensor that it represents, so that later passes need not handle them:
// operators on quantised tensors become float operators, and a result is rounded to its scale and zero point by
// aten::fake_quantize_*. Weights that are packed keep their integers. Programs without quantised tensors stay as
// they are. A node in `kept` stays: its quantised operands become float tensors, packed parameters become lists of
// weight and bias, and its result is taken for the float form of a quantised tensor if the node names a scale and a
// zero point, otherwise for a float tensor. An output that is quantised becomes three, NAME, NAME_scale and
// NAME_zero_point: its integers, its scale as float32 and its zero point in their dtype, of rank 0 or one element a
// channel; `output_names` is kept in step, with "" or nothing for those without. Throws Error(Code::Unsupported) with a
// reason for each operator that has no form; one in a branch or loop stays for now.
void replace_quantised(ir::Graph& graph, std::vector<std::string>& output_names, const Kept& kept = {});

// Throws the same for operators without a form that have stayed, once the branches that no run takes are gone.
void refuse_unquantisable(const ir::Graph& graph);

}  // namespace tonnx::program
