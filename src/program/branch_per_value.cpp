#include "program/branch_per_value.h"

#include <vector>

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

namespace {

std::vector<Value*> copy_with(Inserter& insert, const Node& node, const Value* replaced, Value* value) {
  if (replaced->node() == &node) return {value};
  ValueMap map = {{replaced, value}};
  Node* copy = copy_node(node, map);
  insert.insert(copy);
  return {copy->outputs().begin(), copy->outputs().end()};
}

std::vector<Value*> choose(Inserter& insert, Node& node, const Choices& choices, std::size_t at) {
  if (at + 1 == choices.values.size()) return copy_with(insert, node, choices.replaced, choices.values[at]);
  Value* condition = choices.is(insert, at);
  Node* made = node.graph().create("prim::If", {&condition, 1}, node.output_count());
  made->set_location(node.location());
  for (std::size_t side = 0; side < 2; ++side) {
    Block* block = made->add_block();
    Inserter inside(block, node.location());
    const std::vector<Value*> kept = side == 0 ? copy_with(inside, node, choices.replaced, choices.values[at])
                                               : choose(inside, node, choices, at + 1);
    for (Value* value : kept) block->add_output(value);
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    made->output(i)->set_type(node.output(i)->type());
    made->output(i)->set_facts(node.output(i)->facts());
  }
  insert.insert(made);
  return {made->outputs().begin(), made->outputs().end()};
}

}  // namespace

void branch_per_value(Node& node, const Choices& choices) {
  Inserter insert(&node);
  const std::vector<Value*> results = choose(insert, node, choices, 0);
  for (std::size_t i = 0; i < results.size(); ++i) node.output(i)->replace_uses(results[i]);
  node.erase();
}

}  // namespace tonnx::program
