#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Whether the caller converts a node in a way of its own, so that no pass gives it another form.
using Kept = std::function<bool(const ir::Node&)>;

// Makes every quantised tensor the float tensor of what its elements stand for, so that nothing behind this pass knows
// of them: operators on quantised tensors become those on floats, and a result is rounded to its scale and zero point
// by aten::fake_quantize_*. Weights that are packed keep their integers. Programs without quantised tensors stay as
// they are. A node that is `kept` stays: its quantised operands are what they stand for, packed parameters are lists of
// weight and bias, and its result is taken for what stands for a quantised tensor of the scale and zero point that the
// node names, else for a float tensor. An output that is quantised becomes three, NAME, NAME_scale and NAME_zero_point:
// its integers, its scale as float32 and its zero point in their dtype, of rank 0 or one element a channel;
// `output_names` is kept in step, with "" or nothing for those without. Throws Error(Code::Unsupported) with a reason
// for each operator that has no form; one in a branch or loop stays for now.
void replace_quantised(ir::Graph& graph, std::vector<std::string>& output_names, const Kept& kept = {});

// Throws the same for operators without a form that have stayed, once the branches that no run takes are gone.
void refuse_unquantisable(const ir::Graph& graph);

}  // namespace tonnx::program
