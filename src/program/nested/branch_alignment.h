#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// That of a question whose answer decides whether tensors are nested (replace_nested.h).
inline constexpr const char* kDecidesNested = "decides_nested";

// Makes all that comes after such a question, in its block, a branch for each answer: on each path it is known what is
// nested.
//
//   %q = aten::equal(%mask, %valid)      %q = aten::equal(%mask, %valid)
//   %y = prim::If(%q) ...                %y = prim::If(%q)
//   return (%y)                            block0: all that follows, with %q true -> ...
//                                          block1: the same with %q false -> ...
//
// Runs once constants and facts have decided all other conditions. True if there was such a question.
bool branch_alignment(ir::Graph& graph);

}  // namespace tonnx::program
