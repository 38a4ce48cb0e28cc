#include "program/control/branch_per_value.h"

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

// For a range of candidates. The value is one of them.
std::vector<Value*> choose(Inserter& insert, Node& node, const Choices& choices, std::size_t begin, std::size_t end) {
  if (begin + 1 == end) return copy_with(insert, node, choices.replaced, choices.values[begin]);
  const bool is_split = choices.is_before && choices.values.size() > kMostNested;
  const std::size_t middle = is_split ? begin + (end - begin) / 2 : begin + 1;
  Value* condition = is_split ? choices.is_before(insert, middle) : choices.is(insert, begin);
  const auto of = [&](std::size_t from, std::size_t to) {
    return [&, from, to](Inserter& inside) { return choose(inside, node, choices, from, to); };
  };
  return branch_like(insert, node, condition, of(begin, middle), of(middle, end));
}

}  // namespace

void branch_per_value(Node& node, const Choices& choices) {
  Inserter insert(&node);
  const std::vector<Value*> results = choose(insert, node, choices, 0, choices.values.size());
  for (std::size_t i = 0; i < results.size(); ++i) node.output(i)->replace_uses(results[i]);
  node.erase();
}

std::vector<Value*> branch_like(Inserter& insert, const Node& node, Value* condition, const Results& yes,
                                const Results& no) {
  Node* branch = node.graph().create("prim::If", {&condition, 1}, node.output_count());
  branch->set_location(node.location());
  for (const Results* results : {&yes, &no}) {
    Block* block = branch->add_block();
    Inserter inside(block, node.location());
    for (Value* value : (*results)(inside)) block->add_output(value);
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    branch->output(i)->set_type(node.output(i)->type());
    branch->output(i)->set_facts(node.output(i)->facts());
  }
  insert.insert(branch);
  return {branch->outputs().begin(), branch->outputs().end()};
}

}  // namespace tonnx::program
