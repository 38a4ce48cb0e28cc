#include "lower/loop.h"

#include "ir/merge.h"

namespace tonnx::lower {

Values loop(Builder& b, Value* count, Value* go_on, Values state,
            const std::function<Pass(Value* iteration, const Values& state)>& body) {
  Values inputs{count, go_on};
  inputs.insert(inputs.end(), state.begin(), state.end());
  ir::Node* node = b.open("Loop", std::move(inputs), 1);
  ir::Block* block = node->block(0);
  const auto input = [&](const ir::Facts& facts) {
    Value* v = block->add_input();
    v->set_facts(facts);
    v->facts().constant.reset();
    return v;
  };
  Value* iteration = input({DType::Int64, std::vector<ir::Dim>{}, nullptr});
  Value* going = input({DType::Bool, std::vector<ir::Dim>{}, nullptr});
  Values inside;
  for (Value* v : state) inside.push_back(input(v->facts()));

  ir::Block* outside = b.enter(block);
  const Pass pass = body(iteration, inside);
  // A body gives back what it made itself.
  const auto made = [&](Value* v) { return v->node()->parent() == block ? v : b.op("Identity", {v}); };
  Values results{made(pass.go_on ? pass.go_on : going)};
  for (Value* v : pass.state) results.push_back(made(v));
  for (Value* v : results) block->add_output(v);
  b.enter(outside);
  for (const Value* v : state) {
    ir::Facts facts = v->facts();
    facts.constant.reset();
    node->add_output()->set_facts(std::move(facts));
  }
  return {node->outputs().begin(), node->outputs().end()};
}

Value* either(Builder& b, Value* condition, const std::function<Value*()>& then, const std::function<Value*()>& otherwise) {
  ir::Node* node = b.open("If", {condition}, 2);
  ir::Facts facts[2];
  for (std::size_t side = 0; side < 2; ++side) {
    ir::Block* block = node->block(side);
    ir::Block* outside = b.enter(block);
    Value* value = side == 0 ? then() : otherwise();
    if (value->node()->parent() != block) value = b.op("Identity", {value});
    facts[side] = value->facts();
    facts[side].constant = nullptr;
    block->add_output(value);
    b.enter(outside);
  }
  Value* result = b.close(node, 1).front();
  result->set_facts(ir::join(facts[0], facts[1]));
  return result;
}

}  // namespace tonnx::lower
