// Moves the first iteration before the loop if it changes the dtype of a loop-carried tensor, or a rank that a reader
// needs, or if it replaces None by a list.
//
//   %s = prim::Loop(%n, %true, %zero)       %any = aten::__and__(%true, aten::gt(%n, 0))
//     block0(%i, %t: int64, then float32)   %s = prim::If(%any)
//       %u = aten::add(%t, %x)                block0: %u = aten::add(%zero, %x)
//       -> (%true, %u)                                %v = prim::Loop(aten::sub(%n, 1), %true, %u) ... -> (%v) float32
//                                             block1: -> (%zero)   int64
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <string>
#include <vector>

#include "ir/constant_facts.h"
#include "ir/dtype.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/control/passes.h"
#include "program/control/rank_readers.h"
#include "program/edit.h"
#include "program/facts/marks.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using ir::Block;
using ir::Constant;
using ir::DType;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr const char* kPeeled = "peeled";  // of the loop and of the If around it: the number of peeled iterations
constexpr std::int64_t kMostPeeled = 3;

std::int64_t peeled_iterations(const Node& node) {
  const auto* iterations = node.attribute_as<std::int64_t>(kPeeled);
  return iterations ? *iterations : 0;
}

// True if the loop changes the dtype of a loop-carried tensor, or the rank of one that a reader needs.
bool changes_form(const Node& loop, const FactMarks& marks) {
  const auto carried = loop.block(0)->inputs();
  const LoopFacts* known = marks.loops.find(carried[0]);
  if (!known) return false;
  const auto is_wanted = [&](std::size_t k) {
    return std::ranges::find(known->other_ranks, carried[k + 1]->id()) != known->other_ranks.end() &&
           (wants_rank(*carried[k + 1]) || wants_rank(*loop.output(k)));
  };
  return known->changes_dtype || std::ranges::any_of(std::views::iota(std::size_t{0}, loop.output_count()), is_wanted);
}

// True if a loop-carried list starts as None or undefined.
bool begins_without_list(const Node& loop) {
  if (peeled_iterations(loop) > 0) return false;
  for (std::size_t k = 0; k < loop.output_count(); ++k) {
    const Type& type = loop.output(k)->type();
    const Value* start = loop.input(k + 2);
    if (type.is(Type::Kind::List) && is_never(start)) return true;
    if (type.is(Type::Kind::Optional) && type.elements.at(0).is(Type::Kind::List) && ir::is_none(start)) return true;
  }
  return false;
}

bool is_endless(const Value* trips) {
  const Constant* known = trips->constant();
  const auto* count = known ? known->get<std::int64_t>() : nullptr;
  return count && *count == INT64_MAX;
}

// Appends a copy of the body, as the first iteration, to `block`. Returns the outputs of the body: condition and
// carried values.
std::vector<Value*> copy_first_iteration(const Node& loop, Block& block) {
  const Block& body = *loop.block(0);
  Inserter insert(&block, loop.location());
  ValueMap map;
  map[body.inputs()[0]] = insert.integer(0);
  for (std::size_t k = 0; k < loop.output_count(); ++k) map[body.inputs()[k + 1]] = loop.input(k + 2);
  for (const Node* node : body.nodes()) insert.insert(copy_node(*node, map));
  std::vector<Value*> ends;
  for (Value* out : body.outputs()) ends.push_back(map.contains(out) ? map.at(out) : out);
  return ends;
}

// Moves the loop after its first iteration. Its index then starts at 1, and its trip count is one less.
void move_after_first(Node& loop, Block& block, const std::vector<Value*>& ends) {
  Inserter insert(&block, loop.location());
  if (!is_endless(loop.input(0))) loop.set_input(0, insert.call("aten::sub.int", {loop.input(0), insert.integer(1)}));
  for (std::size_t i = 0; i < ends.size(); ++i) loop.set_input(i + 1, ends[i]);
  Value* index = loop.block(0)->inputs()[0];
  if (!index->is_unused()) {
    const std::vector<ir::Use> uses(index->uses().begin(), index->uses().end());
    Inserter inside = Inserter::at_start(*loop.block(0), loop.location());
    Value* later = inside.call("aten::add.int", {index, inside.integer(1)});
    for (const ir::Use& use : uses) use.node->set_input(use.index, later);
  }
  Value* mark = insert.none();
  loop.move_before(mark->node());
  mark->node()->erase();
}

void peel(Node& loop) {
  Inserter insert(&loop);
  Value* has_iterations = insert.call("aten::gt.int", {loop.input(0), insert.integer(0)});
  Value* enters = insert.call("aten::__and__.bool", {loop.input(1), has_iterations});
  Node* branch = loop.graph().create("prim::If", std::vector<Value*>{enters}, 0);
  branch->set_location(loop.location());
  branch->insert_before(&loop);
  const std::int64_t iterations = peeled_iterations(loop) + 1;
  branch->set_attribute(kPeeled, iterations);
  loop.set_attribute(kPeeled, iterations);
  Block* entered = branch->add_block();
  Block* skipped = branch->add_block();
  for (std::size_t k = 0; k < loop.output_count(); ++k) {
    Value* result = branch->add_output();
    result->set_type(loop.output(k)->type());
    loop.output(k)->replace_uses(result);
    skipped->add_output(loop.input(k + 2));
  }
  move_after_first(loop, *entered, copy_first_iteration(loop, *entered));
  for (Value* out : loop.outputs()) entered->add_output(out);
}

}  // namespace

bool peel_loops(ir::Graph& graph, FactMarks& marks) {
  const std::vector<Node*> loops = nodes_where(graph, [&](const Node* node) {
    return node->is("prim::Loop") && peeled_iterations(*node) < kMostPeeled &&
           (changes_form(*node, marks) || begins_without_list(*node));
  });
  if (loops.empty() || has_writes(graph)) return false;
  marks.loops[loops.front()->block(0)->inputs()[0]] = {};
  peel(*loops.front());
  return true;
}

bool widen_skipped(ir::Graph& graph, std::vector<std::string>& warnings) {
  bool widened = false;
  for_each_node(graph.block(), [&](Node* node) {
    if (!node->is("prim::If") || peeled_iterations(*node) != 1) return;
    for (std::size_t k = 0; k < node->output_count(); ++k) {
      Value* start = node->block(1)->outputs()[k];
      const DType from = start->facts().dtype;
      const DType to = node->block(0)->outputs()[k]->facts().dtype;
      if (from == to || from == DType::Undefined || to == DType::Undefined || ir::promote(from, to) != to) continue;
      Inserter insert(node->block(1), node->location());
      Value* wide = insert.call("aten::to.dtype", {start, insert.integer(static_cast<std::int64_t>(to))});
      node->block(1)->return_node()->set_input(k, wide);
      ir::warn(warnings, ir::Category::Program, node->location(),
               "if the loop" + ir::site_after(node->location()) + " has no iterations, a value of the program is " +
                   std::string(ir::name_of(from)) + ", but in the model it is " + std::string(ir::name_of(to)));
      widened = true;
    }
  });
  return widened;
}

}  // namespace tonnx::program
