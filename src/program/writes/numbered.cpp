// Loop-carried tensors that numbers select (Carried), in functionalise(). The loop carries a number in place of the
// tensor, and the storage of those that iterations create:
//
//   %p, %q = prim::Loop(%n, %true, %a, %b)       %p, %q, %r, %s = prim::Loop(%n, %true, 0, 1, %a, %b)
//     block0(%t, %c, %d):                          block0(%t, %i, %k, %c, %d):
//       %_ = aten::add_(%c, 1)                       %z = aten::eq(%i, 0)
//       -> (%true, %d, %c)                           %e, %f = prim::If(%z)
//                                                      block0: %x = aten::add(%c, 1) -> (%x, %d)
//                                                      block1: %y = aten::add(%d, 1) -> (%c, %y)
//                                                    -> (%true, %k, %i, %e, %f)
#include <algorithm>
#include <cstdint>

#include "ir/control_flow.h"
#include "program/control/carry.h"
#include "program/writes/write_rewriter.h"

namespace tonnx::program {

using ir::Node;
using ir::Type;
using ir::Value;

namespace {

std::int64_t index_in(const std::vector<Value*>& values, const Value* value) {
  return std::ranges::find(values, value) - values.begin();
}

// True if the choice is made by the number of a loop-carried tensor with the same candidates.
bool has_same_number(const Choice<Value*>& choice, const Carried& carried) {
  if (!choice.decider || !choice.decider->is(kCarried)) return false;
  return std::ranges::equal(choice.options, carried.candidates, {},
                            [](const Choice<Value*>& one) { return one.decider ? nullptr : one.one; });
}

}  // namespace

// Replaces the loop-carried tensors by numbers, and sets the first content of storage. Returns the numbers.
std::vector<LoopValue> WriteRewriter::begin_numbers(Node& loop, std::span<const Carried* const> all, Inserter& before) {
  std::vector<LoopValue> numbers;
  for (const Carried* carried : all) {
    Value* start = loop.input(carried->index + 2);
    Value* param = loop.block(0)->inputs()[carried->index + 1];
    if (forest_.is_written(carried->storage()))
      set_current(carried->storage(), is_never(start) ? before.never(start->type()) : read(start, before));
    loop.set_input(carried->index + 2, before.never(param->type()));
    dead_values_.insert(param);
    dead_values_.insert(loop.output(carried->index));
    if (carried->candidates.size() < 2) continue;
    const auto leaf = [&](Value* one, Inserter& inside) {
      return inside.integer(is_never(one) ? 0 : index_in(carried->candidates, one));
    };
    const auto choice = forest_.tensors_of(start, loop);
    Value* first = has_same_number(*choice, *carried) ? exported_.at(decision_of(*choice->decider))
                                                      : choose(*choice, *carried->number(), leaf, before);
    numbers.push_back(add_loop_value(loop, Type::of(Type::Kind::Int), first));
    exported_[carried->number()] = numbers.back().inside;
  }
  return numbers;
}

// Appends the numbers at the end of an iteration, and sets the new content of storage.
void WriteRewriter::end_numbers(Node& loop, std::span<const Carried* const> all, std::span<const LoopValue> numbers,
                                Inserter& end) {
  ir::Block& body = *loop.block(0);
  std::vector<std::pair<Value*, Value*>> contents;
  for (const Carried* carried : all)
    if (forest_.is_written(carried->storage()))
      contents.emplace_back(carried->storage(), read(body.outputs()[carried->index + 1], end));
  std::unordered_map<const Carried*, Value*> leaves;  // the leaf that it yields, as an index
  std::vector<Value*> next;
  for (const Carried* carried : all) {
    for (const Value* leaf : carried->leaves) {
      if (!forest_.is_of_iteration(leaf, loop)) continue;
      std::vector<const Carried*> unsure = AliasForest::owners_of(leaf, *carried, all);
      unsure.pop_back();
      for (const Carried* owner : unsure)
        if (!leaves.contains(owner)) leaves[owner] = leaf_index(*owner, loop, end);
    }
    if (carried->candidates.size() > 1) next.push_back(next_number(*carried, loop, all, leaves, end));
  }
  for (const Carried* carried : all)
    body.return_node()->set_input(carried->index + 1, body.inputs()[carried->index + 1]);
  for (Value* number : next) body.add_output(number);
  for (const auto& [storage, content] : contents) set_current(storage, content);
  std::size_t k = 0;
  for (const Carried* carried : all)
    if (carried->candidates.size() > 1) exported_[carried->number()] = numbers[k++].after;
}

// The leaf that the iteration yields, as an index of Carried::leaves.
Value* WriteRewriter::leaf_index(const Carried& carried, Node& loop, Inserter& end) {
  const auto choice = forest_.tensors_of(loop.block(0)->outputs()[carried.index + 1], loop);
  const auto leaf = [&](Value* one, Inserter& inside) {
    return inside.integer(is_never(one) ? 0 : index_in(carried.leaves, one));
  };
  return choose(*choice, *carried.number(), leaf, end);
}

// The number of the candidate that the iteration yields.
Value* WriteRewriter::next_number(const Carried& carried, Node& loop, std::span<const Carried* const> all,
                                  const std::unordered_map<const Carried*, Value*>& leaves, Inserter& end) {
  const auto number_of = [&](const Value* candidate) { return index_in(carried.candidates, candidate); };
  const auto choice = forest_.tensors_of(loop.block(0)->outputs()[carried.index + 1], loop);
  const auto is_created = [&](const Value* leaf) { return forest_.is_of_iteration(leaf, loop); };
  if (has_same_number(*choice, carried) && std::ranges::none_of(carried.leaves, is_created))
    return exported_.at(decision_of(*choice->decider));
  const auto leaf = [&](Value* one, Inserter& inside) {
    if (is_never(one)) return inside.integer(0);
    if (!is_created(one)) return inside.integer(number_of(one));
    const std::vector<const Carried*> owners = AliasForest::owners_of(one, carried, all);
    Value* number = inside.integer(number_of(owners.back()->storage()));
    for (std::size_t k = owners.size() - 1; k-- > 0;) {
      Value* is_same =
          inside.call("aten::eq.int", {leaves.at(owners[k]), inside.integer(index_in(owners[k]->leaves, one))});
      number = inside.either(is_same, number->type(), inside.integer(number_of(owners[k]->storage())), number);
    }
    return number;
  };
  return choose(*choice, *carried.number(), leaf, end);
}

}  // namespace tonnx::program
