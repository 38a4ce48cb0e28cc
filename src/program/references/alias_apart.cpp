// Unaliased results of Ifs and loop-carried values: if the origins are dead after the If or the iteration, and each of
// them is yielded once, the value has storage of its own, whichever origin it is. Example: a, b = b, a in a loop.
#include <algorithm>

#include "ir/control_flow.h"
#include "program/edit.h"
#include "program/references/alias.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

// For each root, the number of values that may be it or contain it.
AliasForest::Counts AliasForest::count_yields(std::span<Value* const> values) const {
  Counts counts;
  for (Value* value : values) {
    if (!is_memory(value->type()) || is_never(value)) continue;
    for (const auto& [root, depth] : reach(value)) ++counts[root];
  }
  return counts;
}

// True if the value has one root, a tensor, and no other of the counted values may be that.
bool AliasForest::is_yielded_once(Value* value, const Counts& counts) const {
  const Value* origin = root(value);
  return origin->type().is(Type::Kind::Tensor) && !selection(origin) && counts.at(origin) == 1;
}

// Notes results of an If as candidates, which find_aliased() checks.
void AliasForest::note_results(const Node& branch, std::span<const std::size_t> results) {
  if (results.empty()) return;
  const std::size_t first = candidates_.size();
  for (const std::size_t index : results) candidates_.push_back({branch.output(index), nullptr, true, {}});
  for (const Block* block : branch.blocks()) {
    const Counts counts = count_yields(block->outputs());
    for (std::size_t k = 0; k < results.size(); ++k) {
      Value* yield = block->outputs()[results[k]];
      if (is_never(yield)) continue;
      Candidate& candidate = candidates_[first + k];
      const std::vector<Value*> origins = roots(yield);
      if (!origins.empty() && !is_yielded_once(yield, counts)) candidate.is_yielded_once = false;
      for (const Value* origin : origins) candidate.origins.push_back({origin, positions_.at(&branch).end});
    }
  }
}

// The same for loop-carried values. The body must have been walked.
void AliasForest::note_carried(const Node& loop, std::span<const std::size_t> carried) {
  if (carried.empty()) return;
  const Block& body = *loop.block(0);
  const Counts starts = count_yields(loop.inputs()), ends = count_yields(body.outputs());
  for (const std::size_t index : carried) {
    const Value* param = body.inputs()[index + 1];
    Value* start = loop.input(index + 2);
    Value* end = body.outputs()[index + 1];
    const bool is_once = root(start)->type().is(Type::Kind::Tensor) && !is_never(end) &&
                         is_inside(*root(end)->node(), body) && (is_never(start) || is_yielded_once(start, starts)) &&
                         is_yielded_once(end, ends);
    Candidate candidate{param, &loop, is_once, {{param, kEnd}}};
    for (const Value* origin : roots(start)) candidate.origins.push_back({origin, positions_.at(&loop).begin});
    for (const Value* origin : roots(end)) candidate.origins.push_back({origin, kEnd});
    candidates_.push_back(std::move(candidate));
  }
}

// Marks the candidates that may have a live alias, at the end of a pass that changed nothing else.
void AliasForest::find_aliased() {
  if (changed_) return;
  std::unordered_set<const Value*> shared;
  for (const auto& [value, links] : links_) shared.insert(value);
  const auto is_live = [&](const Candidate::Origin& origin) {
    const auto read = last_read_.find(origin.root);
    return shared.contains(origin.root) || (read != last_read_.end() && read->second > origin.end);
  };
  const auto mark = [&](const Candidate& candidate) {
    aliased_.insert(candidate.value);
    shared.insert(candidate.value);
    for (const Candidate::Origin& origin : candidate.origins) shared.insert(origin.root);
    for (const Value* out : candidate.loop ? candidate.loop->outputs() : std::span<Value* const>()) shared.insert(out);
  };
  for (bool more = true; more;) {
    more = false;
    for (const Candidate& candidate : candidates_) {
      if (aliased_.contains(candidate.value) ||
          (candidate.is_yielded_once && std::ranges::none_of(candidate.origins, is_live)))
        continue;
      changed_ = more = true;
      for (const Candidate& other : candidates_)
        if (&other == &candidate || (candidate.loop && other.loop == candidate.loop)) mark(other);
    }
  }
}

// A link that begins at the definition of a tensor leads to an origin. A later one leads to a container or a
// loop-carried value that the tensor was stored in.
std::vector<const Value*> AliasForest::possible_origins(const Value* root) const {
  const auto defined_in = [&](const Value* value) -> Order::Range {
    const Order::Range* own = positions_.find(value->node());
    const std::int64_t start = positions_.defined_at(*value);
    return own ? *own : Order::Range{start, start};
  };
  std::vector<const Value*> found = {root};
  const auto add = [&](const Value* value) {
    if (std::ranges::find(found, value) == found.end()) found.push_back(value);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Value* value = found[i];
    if (const Selection* selected = selection(value)) std::ranges::for_each(selected->roots, add);
    for (const Candidate& candidate : candidates_)
      if (candidate.value == value) std::ranges::for_each(candidate.origins, add, &Candidate::Origin::root);
    const auto links = links_.find(found[i]);
    if (links == links_.end()) continue;
    const Order::Range definition = defined_in(found[i]);
    const bool is_tensor = found[i]->type().is(Type::Kind::Tensor);
    for (const Link& link : links->second)
      if (!is_tensor || (definition.begin <= link.begin && link.begin <= definition.end)) add(link.other);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace tonnx::program
