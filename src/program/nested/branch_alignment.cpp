#include "program/nested/branch_alignment.h"

#include <vector>

#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

namespace {

void branch_rest(Node& test) {
  test.remove_attribute(kDecidesNested);
  Block& block = *test.parent();
  std::vector<Node*> rest;
  for (Node* node = test.next(); node; node = node->next()) rest.push_back(node);
  if (rest.empty() || test.output()->constant()) return;
  Node* branch = test.graph().create("prim::If", {}, 0);
  branch->add_input(test.output());
  branch->set_location(test.location());
  block.append(branch);
  std::vector<ValueMap> maps;
  for (const bool result : {true, false}) {
    Inserter inside(branch->add_block(), test.location());
    ValueMap& map = maps.emplace_back();
    map[test.output()] = inside.boolean(result);
    for (const Node* node : rest) inside.insert(copy_node(*node, map));
  }
  for (std::size_t i = 0; i < block.outputs().size(); ++i) {
    const Value* output = block.outputs()[i];
    if (!maps[0].contains(output)) continue;
    for (std::size_t b = 0; b < maps.size(); ++b) branch->block(b)->add_output(maps[b].at(output));
    Value* selected = branch->add_output();
    selected->set_type(output->type());
    selected->set_name(output->name());
    block.return_node()->set_input(i, selected);
  }
  for (auto node = rest.rbegin(); node != rest.rend(); ++node) (*node)->erase();
}

}  // namespace

bool branch_alignment(ir::Graph& graph) {
  const std::vector<Node*> tests =
      nodes_where(graph, [&](const Node* node) { return node->attribute(kDecidesNested); });
  // Only the first: the nodes after it are copied, and tests among them become two.
  if (tests.empty()) return false;
  branch_rest(*tests.front());
  return true;
}

}  // namespace tonnx::program
