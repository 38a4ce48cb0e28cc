#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::lower {

// The traced functions of a program, by their numbers in program order.
using FunctionNodes = std::unordered_map<const ir::Node*, std::size_t>;

struct FunctionForm {
  std::unique_ptr<ir::Graph> graph;
  FunctionNodes nodes;
};

// A copy of the program in which each traced function (ir/function_region.h) is one node prim::PythonOp with its
// tensors, its other arguments and its name; the operators in it are removed, as far as nothing else reads their
// results. Functions with a number in `inlined` are their operators. No graph if the program has no functions.
FunctionForm with_function_nodes(const ir::Graph& program, const std::set<std::size_t>& inlined);

}  // namespace tonnx::lower
