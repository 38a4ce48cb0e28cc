#pragma once

#include <string_view>

#include "ir/graph.h"
#include "ir/refusal.h"

namespace tonnx::program {

// The contract between the program passes and lowering:
//   no operator writes to an argument; no objects, attributes or method calls; no tuples and dicts; only lists of
//   tensors or scalars are results of branches and loops; no exception is always raised; every constant has a value.
// Adds everything that no ONNX model can contain to `refusals`, with location and way out, and marks it as refused.
// Throws Error(Code::Internal) with the pass name `after` if a pass left what it had to remove.
void check_contract(ir::Graph& graph, std::string_view after, ir::Refusals& refusals);

}  // namespace tonnx::program
