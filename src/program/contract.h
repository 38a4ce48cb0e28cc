#pragma once

#include <string_view>

#include "ir/graph.h"
#include "ir/refusal.h"

namespace tonnx::program {

// The contract between the program passes and lowering:
//   no operator writes to an argument; no objects, attributes or method calls; no tuples; dicts nowhere, lists only of
//   tensors or numbers across branches and loops; no exception that is always raised; every constant has its value.
// Adds to `refusals`, with place and way out, what the program has that no ONNX model can hold, and marks it as
// refused. Throws Error(Code::Internal) naming `after`, the pass to blame, for what that pass had to remove.
void check_contract(ir::Graph& graph, std::string_view after, ir::Refusals& refusals);

}  // namespace tonnx::program
