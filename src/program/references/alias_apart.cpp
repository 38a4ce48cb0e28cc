// What branches and loops hand on of what nobody has behind them: each of it is memory of its own, whichever a run
// takes, as in a, b = b, a within a loop.
#include <algorithm>

#include "ir/control_flow.h"
#include "program/edit.h"
#include "program/references/alias.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

// How many of the values may be, or hold, what a root is.
AliasForest::Counts AliasForest::times_given(std::span<Value* const> values) const {
  Counts counts;
  for (Value* value : values) {
    if (!is_memory(value->type()) || is_never(value)) continue;
    for (const auto& [root, depth] : reach(value)) ++counts[root];
  }
  return counts;
}

// Results of a branch that may be so handed on; find_tied() decides.
void AliasForest::note_apart(const Node& branch, std::span<const std::size_t> results) {
  if (results.empty()) return;
  const std::size_t first = handed_.size();
  for (const std::size_t index : results) handed_.push_back({branch.output(index), nullptr, true, {}});
  for (const Block* block : branch.blocks()) {
    const Counts counts = times_given(block->outputs());
    for (std::size_t k = 0; k < results.size(); ++k) {
      Value* given = block->outputs()[results[k]];
      if (is_never(given)) continue;
      Handed& handed = handed_[first + k];
      const Value* from = root(given);
      handed.is_alone = handed.is_alone && from->type().is(Type::Kind::Tensor) && counts.at(from) == 1;
      handed.from.push_back({from, positions_.at(&branch).end});
    }
  }
}

bool AliasForest::is_given_apart(const Value* value) const {
  return !tied_.contains(value) &&
         std::ranges::any_of(handed_, [&](const Handed& handed) { return handed.value == value && !handed.loop; });
}

// The same for what turns of a loop give the next ones; the body has been walked.
void AliasForest::note_carried_apart(const Node& loop, std::span<const std::size_t> carried) {
  if (carried.empty()) return;
  const Block& body = *loop.block(0);
  const Counts starts = times_given(loop.inputs()), ends = times_given(body.outputs());
  for (const std::size_t index : carried) {
    const Value* param = body.inputs()[index + 1];
    const Value* start = root(loop.input(index + 2));
    const Value* end = root(body.outputs()[index + 1]);
    const bool are_tensors = start->type().is(Type::Kind::Tensor) && end->type().is(Type::Kind::Tensor);
    const bool is_alone = are_tensors && is_inside(*end->node(), body) && (is_never(start) || starts.at(start) == 1) &&
                          !is_never(end) && ends.at(end) == 1;
    handed_.push_back({param, &loop, is_alone, {{start, positions_.at(&loop).begin}, {param, kEnd}, {end, kEnd}}});
  }
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

// Links that begin where a tensor is made lead to what it may be; later ones lead to what it was put into, or carried
// to.
std::vector<const Value*> AliasForest::possible_origins(const Value* root) const {
  const auto made_in = [&](const Value* value) -> Range {
    if (!value->node()) return {0, 0};
    if (const auto own = positions_.find(value->node()); own != positions_.end()) return own->second;
    const Block* home = value->node()->home();
    const auto loop = home && home->owner() ? positions_.find(home->owner()) : positions_.end();
    return loop == positions_.end() ? Range{0, 0} : Range{loop->second.begin, loop->second.begin};
  };
  std::vector<const Value*> found = {root};
  const auto add = [&](const Value* value) {
    if (std::ranges::find(found, value) == found.end()) found.push_back(value);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Handed& handed : handed_)
      for (const Handed::From& from : handed.value == found[i] ? handed.from : std::vector<Handed::From>())
        add(from.root);
    const auto links = links_.find(found[i]);
    if (links == links_.end()) continue;
    const Range made = made_in(found[i]);
    const bool is_tensor = found[i]->type().is(Type::Kind::Tensor);
    for (const Link& link : links->second)
      if (!is_tensor || (made.begin <= link.begin && link.begin <= made.end)) add(link.other);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace tonnx::program
