// Slices and writes of lists: which items may be in the result, and which of them have a fixed index.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/facts/list_items.h"

namespace tonnx::program {

using aten::Container;
using ir::DatumPtr;
using ir::Node;
using ir::Type;

// The indices [first, end) of the items, of the `count` that a list has in a sample, that may be in the part that the
// node returns, or may stay in the list that it removes an item from.
std::pair<std::size_t, std::size_t> ListItems::possible_range(const Node& node, const Sampled& list,
                                                              std::size_t count) const {
  if (repeated_list(node)) return {0, count};
  std::size_t first = 0, left = 0;
  const FixedEnds ends = list.fixed_ends || !lattice_.shows_lengths(list) ? lattice_.fixed_ends_of(list) : FixedEnds{};
  const auto front = std::min(ends.front, count), back = std::min(ends.back, count);
  if (!aten::acts_as(node, Container::Part)) {
    const auto at = node.input_count() < 2 ? std::optional<std::int64_t>(-1) : state_.certain_integer(node.input(1));
    if (at == 0 && front > 0) first = 1;
    if (at == -1 && back > 0) left = 1;
    return {first, std::max(count - left, first)};
  }
  const auto bound = [&](std::size_t i) {
    return state_.known.is_none(node.input(i)) ? std::nullopt : state_.certain_integer(node.input(i));
  };
  const auto step = node.input_count() < 4 ? std::int64_t{1} : state_.certain_integer(node.input(3)).value_or(-1);
  if (step < 1) return {0, count};
  if (const auto begin = bound(1); begin && *begin >= 0) {
    first = static_cast<std::size_t>(std::min<std::int64_t>(*begin, static_cast<std::int64_t>(front)));
  } else if (begin && -*begin <= static_cast<std::int64_t>(back)) {
    first = count - static_cast<std::size_t>(-*begin);
  }
  if (const auto end = bound(2); end && *end < 0) {
    left = static_cast<std::size_t>(std::min<std::int64_t>(-*end, static_cast<std::int64_t>(back)));
  } else if (end && *end <= static_cast<std::int64_t>(front)) {
    left = count - static_cast<std::size_t>(*end);
  }
  return {first, std::max(count - left, first)};
}

std::vector<std::vector<DatumPtr>> ListItems::lost_items(const Node& node, const Sampled& list,
                                                         const std::vector<std::vector<DatumPtr>>& before,
                                                         const Sampled& after) {
  std::vector<std::vector<DatumPtr>> lost(count_);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> found = evaluator_.items(*after.samples[sample]);
    const auto [first, end] = possible_range(node, list, before[sample].size());
    for (std::size_t i = first; i < end; ++i) {
      const DatumPtr& item = before[sample][i];
      const auto is_same = [&](const DatumPtr& other) { return other == item || lattice_.is_like(*other, *item); };
      if (evaluator_.is_never(*item) || std::ranges::any_of(found, is_same)) continue;
      found.push_back(item);
      lost[sample].push_back(item);
    }
  }
  return lost;
}

void ListItems::add_lost_items(const Node& node, const Sampled& list, Sampled& part) {
  const bool is_open = list.fixed_ends || lattice_.has_open_length(list);
  const auto repeated = repeated_list(node);
  const bool is_chosen = repeated ? state_.of(node.input(1 - *repeated)).varies : takes_any_item(node);
  if (!part.known() || !part.depends_on_data || (!is_open && !is_chosen)) return;
  if (node.output()->type().elements.at(0).is_scalar()) return;  // scalars have one form
  std::vector<std::vector<DatumPtr>> before;
  for (const DatumPtr& sample : list.samples) before.push_back(evaluator_.items(*sample));
  const auto lost = lost_items(node, list, before, part);
  const auto has_lost = [&](std::size_t sample) { return !lost[sample].empty(); };
  const auto are_like = [&](const DatumPtr& a, const DatumPtr& b) { return lattice_.is_like(*a, *b); };
  bool is_lost = false, is_shown = false, is_varied = false;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    is_lost = is_lost || (has_lost(sample) && (is_open || !lattice_.is_data_sample(sample)));
    if (!lattice_.is_data_sample(sample)) continue;
    is_shown = is_shown || !has_lost(sample);
    is_varied = is_varied || !std::ranges::equal(before[sample], before.front(), are_like);
  }
  // All items of a list of fixed length have one shape here, so one data sample that has them is enough.
  if (!is_lost && (is_open || is_shown || !is_varied)) return;
  lattice_.require_data_samples();
  const bool had_lengths = lattice_.shows_lengths(part);
  const FixedEnds part_ends = part.fixed_ends.value_or(FixedEnds{});
  const auto add = [&](std::size_t sample, const std::vector<DatumPtr>& more) {
    const std::vector<DatumPtr> items = evaluator_.items(*part.samples[sample]);
    const std::size_t front = std::min(part_ends.front, items.size()), back = std::min(part_ends.back, items.size());
    const auto begin_of_back = static_cast<std::ptrdiff_t>(items.size() - back);
    std::vector<DatumPtr> all(items.begin(),
                              items.begin() + std::max(static_cast<std::ptrdiff_t>(front), begin_of_back));
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), items.begin() + begin_of_back, items.end());
    part.samples[sample] = evaluator_.list(all);
    return part.samples[sample] != nullptr;
  };
  std::vector<DatumPtr> any;
  for (std::size_t sample = 1; sample < count_; ++sample) {
    if (!has_lost(sample)) continue;
    any = lost[sample];
    if (!add(sample, lost[sample])) {
      part = Sampled{};
      return;
    }
  }
  // The samples must still differ in length.
  if (had_lengths && !any.empty() && !lattice_.shows_lengths(part) && !add(count_ - 1, any)) {
    part = Sampled{};
    return;
  }
  part.varies = part.depends_on_data = true;
  part.items.clear();
  part.fixed_form = false;
  if (!part.fixed_ends) part.fixed_ends = FixedEnds{};
}

// Returns how many items of a list that the node returns have a fixed index. Empty if their indices are the same in
// every run.
std::optional<FixedEnds> ListItems::fixed_ends_in(const Node& node, const std::vector<const Sampled*>& inputs,
                                                  const Sampled& list) const {
  const auto is_open = [](const Sampled* in) { return in->fixed_ends.has_value(); };
  const auto is_fixed = [&](std::size_t i) { return !is_open(inputs[i]) && !lattice_.shows_lengths(*inputs[i]); };
  const auto ends_of = [&](std::size_t i) {
    return is_open(inputs[i]) || is_fixed(i) ? lattice_.fixed_ends_of(*inputs[i]) : FixedEnds{};
  };
  const aten::Traits& traits = aten::traits_of(node);
  switch (traits.container) {
    case Container::Copy: return inputs[0]->fixed_ends;
    case Container::Part: {
      if (is_fixed(0) && !lattice_.shows_lengths(list) && !takes_any_item(node)) return std::nullopt;
      const auto step = node.input_count() < 4 ? std::int64_t{1} : state_.certain_integer(node.input(3)).value_or(0);
      const auto none = [&](std::size_t i) { return state_.known.is_none(node.input(i)); };
      const FixedEnds whole = ends_of(0);
      if (step == -1 && none(1) && none(2)) return FixedEnds{whole.back, whole.front};
      const auto begin = none(1) ? 0 : state_.certain_integer(node.input(1)).value_or(-1);
      if (begin < 0 || step != 1) return FixedEnds{};
      const auto front = static_cast<std::int64_t>(whole.front);
      const bool is_to_the_end = none(2) || state_.certain_integer(node.input(2)) == INT64_MAX;
      if (const auto last = state_.certain_integer(node.input(2)); last && *last >= 0 && *last <= front)
        return std::nullopt;
      const auto end = is_to_the_end ? front : state_.certain_integer(node.input(2)).value_or(0);
      const auto left = std::max<std::int64_t>(std::min(front, end < 0 ? front + end : end) - begin, 0);
      const std::size_t back = is_to_the_end && begin == 0 ? whole.back : 0;
      return FixedEnds{static_cast<std::size_t>(left), back};
    }
    case Container::Concat:
      if (is_fixed(0) && is_fixed(1)) return std::nullopt;
      return FixedEnds{ends_of(0).front + (is_fixed(0) ? ends_of(1).front : 0),
                       ends_of(1).back + (is_fixed(1) ? ends_of(0).back : 0)};
    default: {
      const bool returns_list = traits.container == Container::None && traits.inverse == aten::Inverse::None;
      const bool repeats = repeated_list(node) ||
                           (returns_list && node.input_count() > 0 && node.input()->type() == node.output()->type());
      if (!std::ranges::any_of(inputs, is_open) && !(repeats && lattice_.shows_lengths(list))) return std::nullopt;
      if (lattice_.shows_lengths(list)) return FixedEnds{};
      const Type& item = node.output()->type().elements.at(0);
      return item.is(Type::Kind::Tensor) || item.is_scalar() ? std::nullopt
                                                             : std::optional(lattice_.fixed_ends_of(list));
    }
  }
}

// Updates the fixed ends of a list after a write.
void ListItems::update_fixed_ends(const Node& node, const std::vector<const Sampled*>& inputs) {
  Sampled& list = state_.values[node.input()];
  if (!list.known()) return;
  const auto at = node.input_count() < 2 ? std::optional<std::int64_t>(-1) : state_.certain_integer(node.input(1));
  const auto less = [](std::size_t count, std::size_t by) { return count - std::min(count, by); };
  const bool is_open = list.fixed_ends.has_value();
  switch (aten::traits_of(node).container) {
    case Container::Append:
      if (is_open || lattice_.shows_lengths(list))
        list.fixed_ends = FixedEnds{is_open ? list.fixed_ends->front : 0, (is_open ? list.fixed_ends->back : 0) + 1};
      return;
    case Container::Extend: {
      const std::size_t added = lattice_.item_count(*inputs[1]);
      if (inputs[1]->fixed_ends || lattice_.shows_lengths(*inputs[1])) {
        const std::size_t front = is_open ? list.fixed_ends->front : less(lattice_.item_count(list), added);
        list.fixed_ends = FixedEnds{front, inputs[1]->fixed_ends.value_or(FixedEnds{}).back};
      } else if (is_open) {
        list.fixed_ends->back += added;
      } else if (lattice_.shows_lengths(list)) {
        list.fixed_ends = FixedEnds{0, added};
      }
      return;
    }
    case Container::Insert:
      if (is_open)
        list.fixed_ends = at == 0 ? FixedEnds{list.fixed_ends->front + 1, list.fixed_ends->back} : FixedEnds{};
      return;
    case Container::Pop:
    case Container::Delete:
      if (is_open)
        list.fixed_ends = at == 0 || at == -1
                              ? FixedEnds{less(list.fixed_ends->front, 1), less(list.fixed_ends->back, 1)}
                              : FixedEnds{};
      return;
    case Container::Reverse:
      if (is_open) std::swap(list.fixed_ends->front, list.fixed_ends->back);
      return;
    default:
      if (is_open) list.fixed_ends = FixedEnds{};
  }
}

void ListItems::note_fixed_ends(const Node& node, const std::vector<const Sampled*>& inputs,
                                std::vector<Sampled>& outputs) {
  const auto is_open = [](const Sampled* in) { return in->fixed_ends.has_value(); };
  const bool changes = writes(node) && node.input()->type().is(Type::Kind::List);
  if (changes) update_fixed_ends(node, inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    const Type& type = node.output(o)->type();
    if (!out.known() || type.is(Type::Kind::Tensor) || type.is_scalar()) continue;
    if (changes && type == node.input()->type()) {
      out.fixed_ends = state_.of(node.input()).fixed_ends;
    } else if (type.is(Type::Kind::List)) {
      if (!type.elements.at(0).is_scalar()) out.fixed_ends = fixed_ends_in(node, inputs, out);
    } else if (std::ranges::any_of(inputs, is_open)) {
      out.fixed_ends = FixedEnds{};
    }
  }
}

}  // namespace tonnx::program
