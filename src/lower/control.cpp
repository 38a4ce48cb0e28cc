#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ir/merge.h"
#include "ir/observer.h"
#include "lower/collected_list.h"
#include "lower/crossing.h"
#include "lower/families.h"
#include "lower/loop.h"
#include "lower/op.h"
#include "lower/sequence.h"

// Branches and loops that remain after folding, as ONNX If and Loop.
namespace tonnx::lower {
namespace {

// Reassembles the results of a node with blocks.
std::vector<Lowered> receive(const std::vector<Crossing>& crossings, const Values& results) {
  std::vector<Lowered> items;
  std::size_t next = 0;
  for (const Crossing& crossing : crossings) {
    items.push_back(crossing.receive(std::span(results).subspan(next, crossing.count())));
    next += crossing.count();
  }
  return items;
}

// Describes how the results of two branches differ if If must return their union type; below opset 11 If takes a fixed
// rank or size of either branch for that of both.
std::optional<std::string> conflict_of(ir::Facts first, const ir::Facts& second) {
  first.constant = nullptr;
  const ir::Facts own = first;
  if (auto conflict = ir::merge(first, second)) return conflict;
  for (std::size_t d = 0; own.dims && second.dims && d < own.dims->size(); ++d) {
    const ir::Dim& a = (*own.dims)[d];
    const ir::Dim& b = (*second.dims)[d];
    if (a.is_fixed() != b.is_fixed())
      return "size " + ir::text_of(a, "not known") + " and size " + ir::text_of(b, "not known") + " of axis " +
             std::to_string(d);
  }
  return std::nullopt;
}

// prim::If(condition): two blocks without inputs; one result for each pair of block outputs.
Outputs branch(Op& op) {
  const ir::Node& node = op.node();
  Builder& b = op.builder();
  Value* condition = op.scalar_of(node.input(0), DType::Bool);
  ir::log(ir::Level::Debug, node.location(),
          [] { return "the branch stays an If: its condition is known only at run time"; });
  ir::Node* made = b.open("If", {condition}, 2);
  bool refused = false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Inside inside(b, made->block(side));
    try {
      op.lower_block(*node.block(side));
    } catch (const RefusedInside&) {
      refused = true;  // try the other branch too, for further refusals
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
      for (Value* value : crossings[i].send(node.block(side)->outputs()[i])) add_output(b, block, value);
  }
  if (count == 0) {
    made->erase();
    return Outputs(receive(crossings, {}));
  }
  for (std::size_t i = 0; i < count && op.opset() < 11; ++i)
    if (const auto conflict = conflict_of(made->block(0)->outputs()[i]->facts(), made->block(1)->outputs()[i]->facts()))
      op.needs_opset(11, "a value that has " + *conflict + " after the two branches");
  return Outputs(receive(crossings, b.close(made, count)));
}

// True if one has a known rank or size that is unknown in the other.
bool is_more_precise(const ir::Facts& one, const ir::Facts& other) {
  if (!one.dims || !other.dims) return one.dims.has_value();
  if (one.dims->size() != other.dims->size()) return true;
  return !std::ranges::equal(*one.dims, *other.dims,
                             [](const ir::Dim& a, const ir::Dim& b) { return a.is_unknown() || a.same(b); });
}

// Null if the trip count is the largest int64, which means "no limit".
Value* trip_count(Op& op, const ir::Value* source) {
  if (const ir::Constant* known = source->constant(); known && known->as_int64() == INT64_MAX) return nullptr;
  return op.scalar_of(source, DType::Int64);
}

// Says why the loop was not unrolled.
std::string reason_to_stay(const ir::Node& node) {
  const ir::Constant* trips = node.input(0)->constant();
  const ir::Constant* condition = node.block(0)->outputs()[0]->constant();
  if (!trips) return "its trip count is known only at run time";
  if (!condition) return "its condition is known only at run time";
  return "it has " + std::to_string(trips->as_int64()) + " iterations, too many to unroll";
}

// prim::Loop(trips, condition, carried...): a block (iteration, carried...) -> (condition, carried...).
Outputs lower_loop(Op& op) {
  const ir::Node& node = op.node();
  const ir::Block& body = *node.block(0);
  Builder& b = op.builder();
  ir::log(ir::Level::Info, node.location(), [&] { return "the loop stays a Loop: " + reason_to_stay(node); });
  Value* trips = trip_count(op, node.input(0));
  Value* going = op.scalar_of(node.input(1), DType::Bool);
  Values state;
  std::vector<CollectedList> lists;
  std::vector<Crossing> crossings;
  std::vector<std::size_t> positions;  // positions of the crossing values among the carried ones
  for (std::size_t k = 0; k < node.output_count(); ++k) {
    if (auto list = CollectedList::find(op, k)) {
      lists.push_back(*list);
      continue;
    }
    const ir::Value* ways[] = {node.input(k + 2), body.outputs()[k + 1]};
    const Crossing& crossing = crossings.emplace_back(op, body.inputs()[k + 1], ways);
    positions.push_back(k);
    for (const ir::Facts& facts : crossing.facts())
      if (facts.dtype == DType::Undefined) op.refuse("the dtype of a value that the loop carries must be known");
    const std::size_t first = state.size();
    for (Value* value : crossing.send(node.input(k + 2))) {
      // ONNX assumes that a loop-carried sequence returns with the item type it had on entry.
      const bool is_changed = value->type().is(ir::Type::Kind::List) &&
                              is_more_precise(value->facts(), crossing.facts()[state.size() - first]);
      state.push_back(is_changed ? of_any_shape(b, value) : value);
    }
  }
  const auto turn = [&](Value* number, const Values& values) {
    op.bind(body.inputs()[0], {Lowered::Kind::One, number, {}});
    std::size_t next = 0;
    for (std::size_t c = 0; c < crossings.size(); ++c) {
      const std::size_t count = crossings[c].count();
      for (std::size_t i = 0; i < count; ++i) crossings[c].describe(i, values[next + i]);
      op.bind(body.inputs()[positions[c] + 1], crossings[c].receive(std::span(values).subspan(next, count)));
      next += count;
    }
    for (const CollectedList& list : lists) list.enter();
    op.lower_block(body);
    Pass pass{op.scalar_of(body.outputs()[0], DType::Bool), {}};
    for (std::size_t c = 0; c < crossings.size(); ++c)
      for (Value* value : crossings[c].send(body.outputs()[positions[c] + 1])) pass.state.push_back(value);
    for (const CollectedList& list : lists) pass.collected.push_back(list.leave());
    return pass;
  };
  const Values results = loop(b, trips, going, state, turn, StateFacts::Inferred);
  std::vector<Lowered> received(node.output_count());
  std::vector<Lowered> crossed = receive(crossings, results);
  for (std::size_t c = 0; c < crossings.size(); ++c) received[positions[c]] = std::move(crossed[c]);
  for (std::size_t i = 0; i < lists.size(); ++i)
    received[lists[i].position()] = lists[i].receive(results[state.size() + i]);
  return Outputs(std::move(received));
}

// prim::RaiseException: a run that raises has no result, so the paths that do not raise are exported.
Outputs raise(Op&) { return {}; }

constexpr Row kControlRows[] = {
    {"prim::If", 7, branch},
    {"prim::Loop", 7, lower_loop},
    {"prim::RaiseException", 1, raise},
};

}  // namespace

std::span<const Row> control_rows() { return kControlRows; }

}  // namespace tonnx::lower
