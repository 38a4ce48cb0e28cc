#pragma once

#include <string_view>

#include "ir/graph.h"

namespace tonnx::program {

// The contract between the program passes and lowering:
//   no operator writes to an argument; no objects, attributes or method calls; no tuples; dicts nowhere, lists only of
//   tensors or numbers across branches and loops; no exception that is always raised; every constant has its value.
// Throws Error(Code::Unsupported) that lists, with place and way out, what the program has that no ONNX model can hold,
// and Error(Code::Internal) naming `after`, the pass to blame, for what that pass had to remove.
void check_contract(const ir::Graph& graph, std::string_view after);

}  // namespace tonnx::program
