#include <algorithm>
#include <cstdint>
#include <utility>

#include "ir/merge.h"
#include "lower/crossing.h"
#include "lower/families.h"
#include "lower/op.h"

// Branches and loops that remain after folding, as ONNX If and Loop.
namespace tonnx::lower {
namespace {

// The builder's block for the time being.
class Inside {
 public:
  Inside(Builder& builder, ir::Block* block) : builder_(builder), before_(builder.enter(block)) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { builder_.enter(before_); }

 private:
  Builder& builder_;
  ir::Block* before_;
};

// An output of a block is a value of its own, made by a node of that block.
void give(Builder& b, ir::Block* block, Value* value) {
  const auto outputs = block->outputs();
  const bool own = value->node() && value->node()->parent() == block &&
                   std::find(outputs.begin(), outputs.end(), value) == outputs.end();
  if (!own) {
    if (value->type().is(ir::Type::Kind::List) && b.opset() < 14)
      throw Refusal("a list whose length is known at run time only and that a branch or a loop hands on as it is needs opset 14 "
                    "or newer");
    const ir::Type type = value->type();
    ir::Facts facts = value->facts();
    value = b.op("Identity", {value});
    value->set_type(type);
    facts.constant = nullptr;
    value->set_facts(std::move(facts));
  }
  block->add_output(value);
}

// The results of a node with blocks, put together again.
Outputs receive(const std::vector<Crossing>& crossings, const Values& results, std::size_t of_what) {
  std::vector<Lowered> items;
  std::size_t next = 0;
  for (std::size_t k = 0; k < of_what; ++k) {
    const std::size_t count = crossings[k].count();
    items.push_back(crossings[k].receive(std::span(results).subspan(next, count)));
    next += count;
  }
  return Outputs(std::move(items));
}

// prim::If(condition): two blocks without inputs, a result for each pair of their outputs.
Outputs branch(Op& op) {
  const ir::Node& node = op.node();
  Builder& b = op.builder();
  Value* condition = op.scalar_of(node.input(0), DType::Bool);
  ir::Node* made = b.open("If", {condition}, 2);
  bool refused = false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Inside inside(b, made->block(side));
    try {
      op.lower_block(*node.block(side));
    } catch (const RefusedInside&) {
      refused = true;  // the other side may have more to say
    }
  }
  if (refused) throw RefusedInside{};

  std::vector<Crossing> crossings;
  std::size_t count = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const ir::Value* ways[] = {node.block(0)->outputs()[i], node.block(1)->outputs()[i]};
    crossings.emplace_back(op, node.output(i), ways);
    count += crossings.back().count();
  }
  for (std::size_t side = 0; side < 2; ++side) {
    ir::Block* block = made->block(side);
    const Inside inside(b, block);
    for (std::size_t i = 0; i < crossings.size(); ++i)
      for (Value* value : crossings[i].send(node.block(side)->outputs()[i])) give(b, block, value);
  }
  if (count == 0) {
    made->erase();
    return receive(crossings, {}, crossings.size());
  }
  for (std::size_t i = 0; i < count && op.opset() < 11; ++i) {
    ir::Facts facts = made->block(0)->outputs()[i]->facts();
    facts.constant = nullptr;
    if (const auto conflict = ir::merge(facts, made->block(1)->outputs()[i]->facts()))
      op.needs_opset(11, "a value that is of " + *conflict + " after the two branches");
  }
  return receive(crossings, b.close(made, count), crossings.size());
}

// Null for what ONNX takes as "without end".
Value* trip_count(Op& op, const ir::Value* source) {
  if (const ir::Constant* known = source->constant(); known && known->as_int64() == INT64_MAX) return nullptr;
  return op.scalar_of(source, DType::Int64);
}

// prim::Loop(trips, condition, carried...): a block (turn, carried...) -> (condition, carried...).
Outputs loop(Op& op) {
  const ir::Node& node = op.node();
  const ir::Block& body = *node.block(0);
  Builder& b = op.builder();
  const std::size_t carried = node.output_count();
  Values inputs{trip_count(op, node.input(0)), op.scalar_of(node.input(1), DType::Bool)};
  std::vector<Crossing> crossings;
  for (std::size_t k = 0; k < carried; ++k) {
    const ir::Value* ways[] = {node.input(k + 2), body.outputs()[k + 1]};
    crossings.emplace_back(op, body.inputs()[k + 1], ways);
    for (std::size_t i = 0; i < crossings[k].count(); ++i)
      if (crossings[k].facts()[i].dtype == DType::Undefined)
        op.refuse("the dtype of a value that the loop carries must be known");
    for (Value* value : crossings[k].send(node.input(k + 2))) inputs.push_back(value);
  }
  const std::size_t results = inputs.size() - 2;
  ir::Node* made = b.open("Loop", std::move(inputs), 1);
  ir::Block* block = made->block(0);
  Value* turn = block->add_input();
  turn->set_facts({DType::Int64, std::vector<ir::Dim>{}, nullptr});
  op.bind(body.inputs()[0], {Lowered::Kind::One, turn, {}});
  block->add_input()->set_facts({DType::Bool, std::vector<ir::Dim>{}, nullptr});
  for (std::size_t k = 0; k < carried; ++k) {
    Values params;
    for (std::size_t i = 0; i < crossings[k].count(); ++i) {
      params.push_back(block->add_input());
      crossings[k].describe(i, params.back());
    }
    op.bind(body.inputs()[k + 1], crossings[k].receive(params));
  }
  {
    const Inside inside(b, block);
    op.lower_block(body);
    give(b, block, op.scalar_of(body.outputs()[0], DType::Bool));
    for (std::size_t k = 0; k < carried; ++k)
      for (Value* value : crossings[k].send(body.outputs()[k + 1])) give(b, block, value);
  }
  if (results == 0) {
    made->erase();
    return receive(crossings, {}, carried);
  }
  return receive(crossings, b.close(made, results), carried);
}

// Where a program raises there is no result to be right about; the paths that do not raise stay.
Outputs raise(Op&) { return {}; }

constexpr Row kRows[] = {
    {"prim::If", 7, branch},
    {"prim::Loop", 7, loop},
    {"prim::RaiseException", 1, raise},
};

}  // namespace

std::span<const Row> control_rows() { return kRows; }

}  // namespace tonnx::lower
