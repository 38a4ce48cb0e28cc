#include "program/control/carry.h"

#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

Value* add_output(Node& node, const Type& type) {
  Value* out = node.add_output();
  out->set_type(type);
  return out;
}

}  // namespace

Value* add_result(Node& branch, const Type& type, Value* yes, Value* no) {
  branch.block(0)->add_output(yes);
  branch.block(1)->add_output(no);
  return add_output(branch, type);
}

Value* add_result_of(Block& block, Value* value, Value* otherwise) {
  Node& branch = *block.owner();
  const bool is_first = branch.block(0) == &block;
  if (!otherwise) otherwise = Inserter(branch.block(is_first ? 1 : 0), branch.location()).never(value->type());
  Value* result = add_result(branch, value->type(), is_first ? value : otherwise, is_first ? otherwise : value);
  result->set_facts(value->facts());
  return result;
}

LoopValue add_loop_value(Node& loop, const Type& type, Value* start) {
  loop.add_input(start);
  return {add_output(*loop.block(0)->params(), type), add_output(loop, type)};
}

}  // namespace tonnx::program
