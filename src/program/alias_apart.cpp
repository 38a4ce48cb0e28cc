// What branches and loops hand on of what nobody has behind them: each of it is memory of its own, whichever a run takes, as
// in a, b = b, a within a loop.
#include <algorithm>

#include "program/alias.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

// Whether only one of the values may be, or hold, what the root is.
bool AliasForest::is_given_once(const Value* root, std::span<Value* const> values) const {
  return std::ranges::count_if(values, [&](Value* value) {
    if (!is_memory(value->type()) || is_never(value)) return false;
    const auto reached = reach(value);
    return std::ranges::find(reached, root) != reached.end();
  }) == 1;
}

// A result of a branch that may be so handed on; find_tied() decides.
void AliasForest::note_apart(const Node& branch, std::size_t index) {
  Handed handed{branch.output(index), nullptr, true, {}};
  for (const Block* block : branch.blocks()) {
    Value* given = block->outputs()[index];
    if (is_never(given)) continue;
    const Value* from = root(given);
    handed.is_alone = handed.is_alone && from->type().is(Type::Kind::Tensor) && is_given_once(from, block->outputs());
    handed.from.push_back({from, positions_.at(&branch).end});
  }
  handed_.push_back(std::move(handed));
}

bool AliasForest::is_given_apart(const Value* value) const {
  return !tied_.contains(value) && std::ranges::any_of(handed_, [&](const Handed& handed) { return handed.value == value && !handed.loop; });
}

// The same for what a turn of a loop gives the next one; the body has been walked.
void AliasForest::note_carried_apart(const Node& loop, std::size_t index) {
  const Block& body = *loop.block(0);
  const Value* param = body.inputs()[index + 1];
  const Value* start = root(loop.input(index + 2));
  const Value* end = root(body.outputs()[index + 1]);
  const bool is_alone = start->type().is(Type::Kind::Tensor) && end->type().is(Type::Kind::Tensor) && is_inside(end, &body) &&
                        (is_never(start) || is_given_once(start, loop.inputs())) && is_given_once(end, body.outputs());
  handed_.push_back({param, &loop, is_alone, {{start, positions_.at(&loop).begin}, {param, kEnd}, {end, kEnd}}});
}

// What somebody else may have after all, at the end of a pass that found nothing else anew.
void AliasForest::find_tied() {
  if (changed_) return;
  std::unordered_set<const Value*> shared;
  for (const auto& [value, links] : links_) shared.insert(value);
  const auto is_held = [&](const Handed::From& from) {
    const auto read = last_read_.find(from.root);
    return shared.contains(from.root) || (read != last_read_.end() && read->second > from.end);
  };
  const auto tie = [&](const Handed& handed) {
    tied_.insert(handed.value);
    shared.insert(handed.value);
    for (const Handed::From& from : handed.from) shared.insert(from.root);
    for (const Value* out : handed.loop ? handed.loop->outputs() : std::span<Value* const>()) shared.insert(out);
  };
  for (bool more = true; more;) {
    more = false;
    for (const Handed& handed : handed_) {
      if (tied_.contains(handed.value) || (handed.is_alone && std::ranges::none_of(handed.from, is_held))) continue;
      changed_ = more = true;
      for (const Handed& other : handed_)
        if (&other == &handed || (handed.loop && other.loop == handed.loop)) tie(other);
    }
  }
}

}  // namespace tonnx::program
