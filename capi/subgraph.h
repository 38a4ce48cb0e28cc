#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handles.h"

namespace tonnx::capi {

// "If" of "onnx::If".
std::string_view without_domain(std::string_view name);

// True for an operator outside of the standard: "my::Repeat".
bool is_foreign(std::string_view name);

struct Bodies {
  std::vector<std::string> names;
  std::vector<tonnx_graph*> graphs;
};

// The sub-graphs of a node, in the order of its blocks; empty if the attributes have none. An operator outside of the
// standard may have any. Throws Error(Code::Argument) if the operator does not have these sub-graphs, or one has no
// results, is part of a node, or belongs to another graph.
Bodies bodies_of(const tonnx_graph& graph, std::string_view name, const tonnx_attributes& attributes);

// The sub-graph becomes part of a node `name`, which takes its block.
void release(tonnx_graph& subgraph, std::string_view name);

// Sets the results of a sub-graph.
void set_results(tonnx_graph& subgraph, std::span<tonnx_value* const> values);

}  // namespace tonnx::capi
