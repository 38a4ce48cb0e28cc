// Reads and writes of lists at dynamic indices. A read returns the join of the candidates.
#include "program/facts/list_items.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"

namespace tonnx::program {

using aten::Container;
using ir::DatumPtr;
using ir::Node;
using ir::Type;
using ir::Value;

std::optional<std::size_t> repeated_list(const Node& node) {
  if (!node.is("aten::mul") || !node.output()->type().is(Type::Kind::List)) return std::nullopt;
  return node.input()->type().is(Type::Kind::List) ? 0 : 1;
}

// True if a slice of a list of dynamic length has the same length in every run.
bool ListItems::is_sure_part(const Node& node, const Sampled& list) const {
  const FixedEnds ends = list.fixed_ends.value_or(FixedEnds{});
  if (node.input_count() > 3 && state_.certain_integer(node.input(3)).value_or(0) < 1) return false;
  const auto begin =
      state_.known.is_none(node.input(1)) ? std::int64_t{0} : state_.certain_integer(node.input(1)).value_or(INT64_MAX);
  const auto end =
      state_.known.is_none(node.input(2)) ? INT64_MAX : state_.certain_integer(node.input(2)).value_or(INT64_MAX);
  const auto front = static_cast<std::int64_t>(ends.front),
             least = static_cast<std::int64_t>(std::max(ends.front, ends.back));
  if (begin >= 0) return end >= 0 && end <= front;
  return -begin <= least && (end < 0 || end == INT64_MAX);
}

// True if the same item is at the index in every run.
bool ListItems::is_certain_index(const Value* index, const Sampled& list) const {
  const auto at = state_.certain_integer(index);
  if (!at || !list.fixed_ends) return at.has_value();
  return *at < 0 ? -*at <= static_cast<std::int64_t>(list.fixed_ends->back)
                 : *at < static_cast<std::int64_t>(list.fixed_ends->front);
}

bool ListItems::takes_any_item(const Node& node) const {
  if (node.input_count() == 0 || !node.input()->type().is(Type::Kind::List)) return false;
  const Sampled& list = state_.of(node.input());
  const auto bound = [&](std::size_t i) {
    return node.input_count() <= i || state_.known.is_none(node.input(i)) || state_.certain_integer(node.input(i));
  };
  switch (aten::traits_of(node).container) {
    case Container::ListUnpack: return list.fixed_ends.has_value();
    case Container::Item: return !is_certain_index(node.input(1), list);
    case Container::Pop:
      return node.input_count() < 2 ? list.fixed_ends && list.fixed_ends->back == 0
                                    : !is_certain_index(node.input(1), list);
    case Container::Part: {
      const auto begin = state_.certain_integer(node.input(1));
      return !bound(1) || !bound(2) || (list.fixed_ends && begin && *begin < 0);
    }
    default: return false;
  }
}

bool ListItems::writes_any_index(const Node& node, const std::vector<const Sampled*>& inputs) {
  const Container form = aten::traits_of(node).container;
  const bool sets = form == Container::SetItem || form == Container::Insert;
  if ((!sets && form != Container::Pop && form != Container::Delete) || !node.input()->type().is(Type::Kind::List))
    return false;
  if (!inputs[0]->known() || node.input_count() < 2) return false;
  // After Insert, Pop and Delete the samples still have all other items.
  if (form == Container::SetItem ? is_certain_index(node.input(1), *inputs[0])
                                 : state_.certain_integer(node.input(1)).has_value())
    return false;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*inputs[0]->samples[sample]);
    if (sets && inputs[2]->known()) items.push_back(inputs[2]->samples[sample]);
    if (!lattice_.are_all_alike(items)) return true;
  }
  return false;
}

std::optional<Sampled> ListItems::any_taken(const Node& node, const std::vector<const Sampled*>& inputs) {
  if (!takes_any_item(node) || !inputs[0]->known()) return std::nullopt;
  std::size_t first = 0;
  const Container form = aten::traits_of(node).container;
  const FixedEnds ends = lattice_.fixed_ends_of(*inputs[0]);
  if (inputs[0]->fixed_ends && (form == Container::Item || form == Container::Pop)) {
    const auto at =
        node.input_count() < 2 ? std::int64_t{-1} : state_.certain_integer(node.input(1)).value_or(INT64_MIN);
    const auto front = static_cast<std::int64_t>(ends.front);
    if (at != INT64_MIN) first = static_cast<std::size_t>(at >= 0 ? front : std::max<std::int64_t>(front + at, 0));
  }
  Sampled any = lattice_.of_any_item(*inputs[0], first);
  if (any.known() && any.samples == inputs[0]->samples) return std::nullopt;
  return any;
}

void ListItems::set_any_taken(const Node& node, const Sampled& list, const Sampled& any,
                              std::vector<Sampled>& outputs) {
  const bool is_part = aten::acts_as(node, Container::Part);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    if (!out.known()) continue;
    const bool had_lengths = is_part && lattice_.shows_lengths(out);
    if (!any.known()) {
      out = Sampled{};
      continue;
    }
    for (std::size_t sample = 1; sample < count_ && out.known(); ++sample) {
      if (!lattice_.is_data_sample(sample) && any.samples[sample] == list.samples[sample]) continue;
      const std::vector<DatumPtr> items = evaluator_.items(*any.samples[sample]);
      const DatumPtr shown = items.empty() ? nullptr : items.back();
      if (!shown) {
        out = Sampled{};
      } else if (is_part) {
        const std::size_t count = std::max<std::size_t>(evaluator_.count(*out.samples[sample]), 1);
        out.samples[sample] = evaluator_.list(std::vector(count, shown));
      } else {
        out.samples[sample] = shown;
      }
    }
    // The samples must still differ in length.
    if (out.known() && had_lengths && !lattice_.shows_lengths(out)) {
      std::vector<DatumPtr> items = evaluator_.items(*out.samples.back());
      items.push_back(items.back());
      out.samples.back() = evaluator_.list(items);
      if (!out.samples.back()) out = Sampled{};
    }
    if (!out.known()) continue;
    out.meta = out.meta || any.meta;
    out.varies = out.depends_on_data = true;
    out.items.clear();
    out.fixed_form = false;
  }
}

void ListItems::open_part(const Node& node, const std::vector<const Sampled*>& inputs, Sampled& part) {
  const auto varies = [](const Sampled* in) { return in->varies; };
  const auto repeated = repeated_list(node);
  if (!repeated && inputs.size() < 3) return;
  const bool has_open_bounds =
      repeated ? inputs[1 - *repeated]->varies : std::any_of(inputs.begin() + 1, inputs.begin() + 3, varies);
  if (!has_open_bounds && (repeated || !lattice_.has_open_length(*inputs[0]) || is_sure_part(node, *inputs[0]))) return;
  const auto count = [&](const DatumPtr& list) { return evaluator_.count(*list); };
  const std::size_t first = count(part.samples.front());
  if (std::any_of(part.samples.begin(), part.samples.end(), [&](const DatumPtr& list) { return count(list) != first; }))
    return;
  lattice_.require_data_samples();
  CarriedChange change;
  change.length = change.shrinks = true;
  change.filled = inputs[repeated.value_or(0)]->samples;
  lattice_.vary_items(part, change);
}

}  // namespace tonnx::program
