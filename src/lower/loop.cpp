#include "lower/loop.h"

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

}  // namespace tonnx::lower
