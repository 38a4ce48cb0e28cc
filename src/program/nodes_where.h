#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Returns the nodes of all blocks for which `holds(Node*)` is true, in program order. Callers may remove nodes.
template <class Predicate>
std::vector<ir::Node*> nodes_where(const ir::Graph& graph, const Predicate& holds) {
  std::vector<ir::Node*> found;
  for_each_node(graph.block(), [&](ir::Node* node) {
    if (holds(node)) found.push_back(node);
  });
  return found;
}

// The Ifs; the Ifs and Loops.
inline std::vector<ir::Node*> branches_of(const ir::Graph& graph) {
  return nodes_where(graph, [](const ir::Node* node) { return node->is("prim::If"); });
}
inline std::vector<ir::Node*> control_flow_of(const ir::Graph& graph) {
  return nodes_where(graph, [](const ir::Node* node) { return node->is("prim::If") || node->is("prim::Loop"); });
}

}  // namespace tonnx::program
