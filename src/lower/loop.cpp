#include "lower/loop.h"

namespace tonnx::lower {

Values loop(Builder& b, Value* count, Value* go_on, Values state,
            const std::function<Pass(Value* iteration, const Values& state)>& body) {
  Values inputs{count, go_on};
  inputs.insert(inputs.end(), state.begin(), state.end());
  ir::Node* node = b.graph().create("onnx::Loop", inputs, state.size());
  b.block()->append(node);
  if (const ir::Node* before = node->previous()) node->set_location(before->location());
  ir::Block* block = node->add_block();
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
  for (std::size_t i = 0; i < state.size(); ++i) {
    ir::Facts facts = state[i]->facts();
    facts.constant.reset();
    node->output(i)->set_facts(std::move(facts));
  }
  return {node->outputs().begin(), node->outputs().end()};
}

}  // namespace tonnx::lower
