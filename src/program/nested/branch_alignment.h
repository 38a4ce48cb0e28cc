#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Attribute of a test whose result decides whether tensors are nested (replace_nested.h).
inline constexpr const char* kDecidesNested = "decides_nested";

// Moves the nodes after such a test, in its block, into a branch for each result. On each path it is then known which
// tensors are nested.
//
//   %q = aten::equal(%mask, %valid)      %q = aten::equal(%mask, %valid)
//   %y = prim::If(%q) ...                %y = prim::If(%q)
//   return (%y)                            block0: the nodes after %q, with %q true -> ...
//                                          block1: the same, with %q false -> ...
//
// Treats one test per call. Runs once constants and facts have decided all other conditions. True if there was a test.
bool branch_alignment(ir::Graph& graph);

}  // namespace tonnx::program
