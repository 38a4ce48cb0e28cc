#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// True if the caller converts a node itself, so that no pass may replace it.
using Kept = std::function<bool(const ir::Node&)>;

// Replaces every quantised tensor by the float tensor that it represents, so that later passes need not handle them:
// operators on quantised tensors become float operators, and aten::fake_quantize_* rounds a result to its scale and
// zero point. Packed weights keep their integers. Programs without quantised tensors do not change. A node in `kept` is
// not replaced: its quantised operands become float tensors, and packed parameters become lists of weight and bias. Its
// result counts as quantised if the node has arguments for scale and zero point, else as a float tensor. A quantised
// output becomes three, NAME, NAME_scale and NAME_zero_point: its integers, its scale as float32, and its zero point in
// the dtype of the integers, both of rank 0 or with one element per channel. `output_names` is updated; added names are
// "" if the output has none. Throws Error(Code::Unsupported) with a reason for each operator that has no ONNX form; one
// in a branch or loop is left to refuse_unquantisable().
void replace_quantised(ir::Graph& graph, std::vector<std::string>& output_names, const Kept& kept = {});

// Throws the same for the operators that were left. Runs after dead branches are removed.
void refuse_unquantisable(const ir::Graph& graph);

}  // namespace tonnx::program
