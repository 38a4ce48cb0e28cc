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

// Notes results of an If, which find_aliased() checks.
void AliasForest::note_results(const Node& branch, std::span<const std::size_t> results) {
  if (results.empty()) return;
  const std::size_t first = phis_.size();
  for (const std::size_t index : results) phis_.push_back({branch.output(index), nullptr, true, {}});
  for (const Block* block : branch.blocks()) {
    const Counts counts = count_yields(block->outputs());
    for (std::size_t k = 0; k < results.size(); ++k) {
      Value* yield = block->outputs()[results[k]];
      if (is_never(yield)) continue;
      Phi& phi = phis_[first + k];
      const std::vector<Value*> origins = roots(yield);
      if (!origins.empty() && !is_yielded_once(yield, counts)) phi.is_yielded_once = false;
      for (const Value* origin : origins) phi.origins.push_back({origin, positions_.at(&branch).end});
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
    Phi phi{param, &loop, is_once, {{param, kEnd}}};
    for (const Value* origin : roots(start)) phi.origins.push_back({origin, positions_.at(&loop).begin});
    for (const Value* origin : roots(end)) phi.origins.push_back({origin, kEnd});
    phis_.push_back(std::move(phi));
  }
}

// Marks the phis that may have a live alias, at the end of a pass that changed nothing else.
void AliasForest::find_aliased() {
  if (changed_) return;
  std::unordered_map<const Value*, std::vector<const Phi*>> by_origin;
  std::unordered_map<const Node*, std::vector<const Phi*>> by_loop;
  std::unordered_set<const Value*> shared;
  std::vector<const Phi*> worklist;
  for (const auto& [value, links] : links_) shared.insert(value);
  for (const Phi& phi : phis_) {
    for (const Phi::Origin& origin : phi.origins) by_origin[origin.root].push_back(&phi);
    if (phi.loop) by_loop[phi.loop].push_back(&phi);
    worklist.push_back(&phi);
  }
  const auto is_live = [&](const Phi::Origin& origin) {
    const auto read = last_read_.find(origin.root);
    return shared.contains(origin.root) || (read != last_read_.end() && read->second > origin.end);
  };
  const auto add = [&](const Value* root) {
    if (!shared.insert(root).second) return;
    if (const auto users = by_origin.find(root); users != by_origin.end())
      worklist.insert(worklist.end(), users->second.begin(), users->second.end());
  };
  while (!worklist.empty()) {
    const Phi& phi = *worklist.back();
    worklist.pop_back();
    if (aliased_.contains(phi.value) || (phi.is_yielded_once && std::ranges::none_of(phi.origins, is_live))) continue;
    changed_ = true;
    for (const Phi* one : phi.loop ? by_loop.at(phi.loop) : std::vector<const Phi*>{&phi}) {
      aliased_.insert(one->value);
      add(one->value);
      for (const Phi::Origin& origin : one->origins) add(origin.root);
    }
    for (const Value* out : phi.loop ? phi.loop->outputs() : std::span<Value* const>()) add(out);
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
    for (const Phi& phi : phis_)
      if (phi.value == value) std::ranges::for_each(phi.origins, add, &Phi::Origin::root);
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
