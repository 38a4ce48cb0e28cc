#include "program/nested/branch_alignment.h"

#include <vector>

#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

namespace {

void branch_rest(Node& question) {
  question.remove_attribute(kDecidesNested);
  Block& block = *question.parent();
  std::vector<Node*> rest;
  for (Node* node = question.next(); node; node = node->next()) rest.push_back(node);
  if (rest.empty() || question.output()->constant()) return;
  Node* branch = question.graph().create("prim::If", {}, 0);
  branch->add_input(question.output());
  branch->set_location(question.location());
  block.append(branch);
  std::vector<ValueMap> maps;
  for (const bool answer : {true, false}) {
    Inserter inside(branch->add_block(), question.location());
    ValueMap& map = maps.emplace_back();
    map[question.output()] = inside.boolean(answer);
    for (const Node* node : rest) inside.insert(copy_node(*node, map));
  }
  for (std::size_t i = 0; i < block.outputs().size(); ++i) {
    const Value* given = block.outputs()[i];
    if (!maps[0].contains(given)) continue;
    for (std::size_t side = 0; side < maps.size(); ++side) branch->block(side)->add_output(maps[side].at(given));
    Value* result = branch->add_output();
    result->set_type(given->type());
    result->set_name(given->name());
    block.return_node()->set_input(i, result);
  }
  for (auto node = rest.rbegin(); node != rest.rend(); ++node) (*node)->erase();
}

}  // namespace

bool branch_alignment(ir::Graph& graph) {
  const std::vector<Node*> questions =
      nodes_where(graph, [&](const Node* node) { return node->attribute(kDecidesNested); });
  // The first alone: what follows it is copied.
  if (questions.empty()) return false;
  branch_rest(*questions.front());
  return true;
}

}  // namespace tonnx::program
