#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Makes every quantised tensor the float tensor of what its elements stand for, so that nothing behind this pass knows of
// them: operators on quantised tensors become those on floats, and a result is rounded to its scale and zero point by
// aten::fake_quantize_*. Weights that are packed keep their integers. Programs without quantised tensors stay as they are.
// Throws Error(Code::Unsupported) with a reason for each operator that has no form.
void replace_quantised(ir::Graph& graph);

}  // namespace tonnx::program
