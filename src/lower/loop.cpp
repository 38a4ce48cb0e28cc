#include "lower/loop.h"

#include <algorithm>

#include "ir/merge.h"
#include "lower/op.h"
#include "lower/sequence.h"

namespace tonnx::lower {

void add_output(Builder& b, ir::Block* block, Value* value) {
  const auto outputs = block->outputs();
  const bool own = value->node() && value->node()->parent() == block &&
                   std::find(outputs.begin(), outputs.end(), value) == outputs.end();
  if (!own) {
    if (value->type().is(ir::Type::Kind::List)) {
      value = same_sequence(b, value);
    } else {
      const ir::Type type = value->type();
      ir::Facts facts = value->facts();
      value = b.op("Identity", {value});
      value->set_type(type);
      facts.constant = nullptr;
      value->set_facts(std::move(facts));
    }
  }
  block->add_output(value);
}

Values loop(Builder& b, Value* count, Value* go_on, Values state,
            const std::function<Pass(Value* iteration, const Values& state)>& body, StateFacts facts) {
  // Below opset 11, Loop needs at least one loop-carried value.
  const bool is_padded = state.empty() && b.opset() < 11;
  if (is_padded) state.push_back(b.scalar(DType::Bool, std::int64_t{1}));
  Values inputs{count, go_on};
  inputs.insert(inputs.end(), state.begin(), state.end());
  ir::Node* node = b.open("Loop", std::move(inputs), 1);
  ir::Block* block = node->block(0);
  const auto number = [&](DType dtype) {
    Value* v = block->add_input();
    v->set_facts({dtype, std::vector<ir::Dim>{}, nullptr});
    return v;
  };
  const auto keep = [&](const Value* from, Value* to) {
    to->set_facts({from->facts().dtype, from->facts().dims, nullptr});
  };
  Value* iteration = number(DType::Int64);
  Value* going = number(DType::Bool);
  Values carried;
  std::vector<ir::Facts> collected;
  for (const Value* v : state) {
    carried.push_back(block->add_input());
    if (facts == StateFacts::Kept) keep(v, carried.back());
  }
  {
    const Inside inside(b, block);
    const Pass pass = body(iteration, is_padded ? Values() : carried);
    add_output(b, block, pass.go_on ? pass.go_on : going);
    if (is_padded) add_output(b, block, carried.front());
    for (Value* v : pass.state) add_output(b, block, v);
    for (Value* v : pass.collected) {
      add_output(b, block, v);
      collected.push_back({v->facts().dtype, v->facts().dims, nullptr});
      if (auto& dims = collected.back().dims) dims->insert(dims->begin(), ir::Dim());
    }
  }
  if ((state.empty() || is_padded) && collected.empty()) {
    node->erase();
    return {};
  }
  Values results;
  if (facts == StateFacts::Inferred) {
    results = b.close(node, state.size() + collected.size());
    for (std::size_t i = 0; i < carried.size(); ++i)
      if (carried[i]->type().is(ir::Type::Kind::List)) results[i]->set_facts(carried[i]->facts());
  } else {
    for (const Value* v : state) keep(v, results.emplace_back(node->add_output()));
    while (results.size() < state.size() + collected.size()) results.push_back(node->add_output());
  }
  for (std::size_t i = 0; i < collected.size(); ++i) results[state.size() + i]->set_facts(std::move(collected[i]));
  if (is_padded) results.erase(results.begin());
  return results;
}

Value* either(Builder& b, Value* condition, const std::function<Value*()>& then,
              const std::function<Value*()>& otherwise) {
  ir::Node* node = b.open("If", {condition}, 2);
  ir::Facts facts[2];
  for (std::size_t side = 0; side < 2; ++side) {
    ir::Block* block = node->block(side);
    const Inside inside(b, block);
    Value* value = side == 0 ? then() : otherwise();
    facts[side] = value->facts();
    facts[side].constant = nullptr;
    add_output(b, block, value);
  }
  Value* result = b.close(node, 1).front();
  result->set_facts(ir::join(facts[0], facts[1]));
  return result;
}

}  // namespace tonnx::lower
