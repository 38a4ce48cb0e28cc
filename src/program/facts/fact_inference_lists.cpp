// Lists whose items have dynamic indices: items appended in a loop follow the initial items, and the last item is an
// appended one only if there was an iteration. A read at such an index returns the join of the candidates.
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/facts/fact_inference.h"

namespace tonnx::program {

using aten::Container;
using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

std::optional<std::size_t> repeated_list(const Node& node) {
  if (!node.is("aten::mul") || !node.output()->type().is(Type::Kind::List)) return std::nullopt;
  return node.input()->type().is(Type::Kind::List) ? 0 : 1;
}

std::size_t FactInference::item_count(const Sampled& list) const { return evaluator_.count(*list.samples.front()); }

Settled FactInference::settled_of(const Sampled& list) const {
  if (!list.known()) return {};
  return list.settled.value_or(Settled{item_count(list), item_count(list)});
}

Settled FactInference::of_both(const Settled& a, const Settled& b) {
  return {std::min(a.front, b.front), std::min(a.back, b.back)};
}

bool FactInference::shows_lengths(const Sampled& list) const {
  const std::size_t count = item_count(list);
  return std::ranges::any_of(list.samples, [&](const DatumPtr& sample) { return evaluator_.count(*sample) != count; });
}

// True if the length of the list depends on data.
bool FactInference::has_open_length(const Sampled& list) const {
  const std::size_t count = item_count(list);
  return std::any_of(list.samples.end() - static_cast<std::ptrdiff_t>(data_count_), list.samples.end(),
                     [&](const DatumPtr& sample) { return evaluator_.count(*sample) != count; });
}

// True if a slice of a list of dynamic length has the same length in every run.
bool FactInference::is_sure_part(const Node& node, const Sampled& list) const {
  const Settled settled = list.settled.value_or(Settled{});
  if (node.input_count() > 3 && certain_integer(node.input(3)).value_or(0) < 1) return false;
  const auto begin = ir::is_none(node.input(1)) ? std::int64_t{0} : certain_integer(node.input(1)).value_or(INT64_MAX);
  const auto end = ir::is_none(node.input(2)) ? INT64_MAX : certain_integer(node.input(2)).value_or(INT64_MAX);
  const auto front = static_cast<std::int64_t>(settled.front),
             least = static_cast<std::int64_t>(std::max(settled.front, settled.back));
  if (begin >= 0) return end >= 0 && end <= front;
  return -begin <= least && (end < 0 || end == INT64_MAX);
}

// True if the same item is at the index in every run.
bool FactInference::is_certain_place(const Value* index, const Sampled& list) const {
  const auto at = certain_integer(index);
  if (!at || !list.settled) return at.has_value();
  return *at < 0 ? -*at <= static_cast<std::int64_t>(list.settled->back)
                 : *at < static_cast<std::int64_t>(list.settled->front);
}

// True if the items that the node takes from a list may be others in other runs.
bool FactInference::takes_any_item(const Node& node) const {
  if (node.input_count() == 0 || !node.input()->type().is(Type::Kind::List)) return false;
  const Sampled& list = of(node.input());
  const auto bound = [&](std::size_t i) {
    return node.input_count() <= i || ir::is_none(node.input(i)) || certain_integer(node.input(i));
  };
  switch (aten::traits_of(node).container) {
    case Container::ListUnpack: return list.settled.has_value();
    case Container::Item: return !is_certain_place(node.input(1), list);
    case Container::Pop:
      return node.input_count() < 2 ? list.settled && list.settled->back == 0 : !is_certain_place(node.input(1), list);
    case Container::Part: {
      const auto begin = certain_integer(node.input(1));
      return !bound(1) || !bound(2) || (list.settled && begin && *begin < 0);
    }
    default: return false;
  }
}

namespace {

// The properties of an item that do not depend on sizes.
struct Form {
  std::vector<std::int64_t> of;  // dtypes, ranks and lengths of the item and those in it, in preorder
  bool operator==(const Form&) const = default;
};

void add_form(ir::Evaluator& evaluator, const ir::Datum& item, Form& form) {
  const Facts facts = evaluator.describe(item, 0);
  form.of.push_back(static_cast<std::int64_t>(facts.dtype));
  form.of.push_back(facts.dims ? facts.rank() : -1);
  if (facts.dims) return;
  const std::vector<DatumPtr> inner = evaluator.items(item);
  form.of.push_back(static_cast<std::int64_t>(inner.size()));
  for (const DatumPtr& part : inner) add_form(evaluator, *part, form);
}

}  // namespace

// Returns the list with samples in which any item from `first_item` on may be read. If all are tensors of one form,
// dims that differ between items are varied in the data samples. If there are two forms, each data sample has one, and
// the samples of other sizes alternate. Unknown if there are more.
Sampled FactInference::of_any_item(const Sampled& list, std::size_t first_item) {
  std::vector<Form> forms;
  std::vector<DatumPtr> shown;  // an item of each form
  std::vector<bool> open;       // dims that differ in a sample, if all are tensors of one form
  bool differ = false, is_open_inside = false;
  const auto form_of = [&](const ir::Datum& item) {
    Form form;
    add_form(evaluator_, item, form);
    return form;
  };
  for (const DatumPtr& sample : list.samples) {
    DatumPtr first;
    std::vector<std::pair<Form, DatumPtr>> containers;  // the first of each form
    const std::vector<DatumPtr> items = evaluator_.items(*sample);
    for (std::size_t i = first_item; i < items.size(); ++i) {
      const DatumPtr& item = items[i];
      if (evaluator_.is_never(*item)) continue;
      Form form = form_of(*item);
      if (!evaluator_.describe(*item, 0).dims) {
        const auto same = std::ranges::find(containers, form, &std::pair<Form, DatumPtr>::first);
        if (same == containers.end())
          containers.emplace_back(form, item);
        else
          is_open_inside = is_open_inside || !is_like(*same->second, *item);
      }
      if (std::ranges::find(forms, form) == forms.end()) {
        forms.push_back(std::move(form));
        shown.push_back(item);
      }
      if (!first) first = item;
      if (is_like(*first, *item)) continue;
      differ = true;
      const Facts f = evaluator_.describe(*first, 0), g = evaluator_.describe(*item, 0);
      if (!f.dims || !g.dims || f.dims->size() != g.dims->size()) continue;
      open.resize(std::max(open.size(), f.dims->size()), false);
      for (std::size_t d = 0; d < f.dims->size(); ++d) open[d] = open[d] || !(*f.dims)[d].same((*g.dims)[d]);
    }
  }
  if (!differ && forms.size() < 2) return list;
  require_data_samples();
  const Facts one = evaluator_.describe(*shown.front(), 0);
  const bool is_of_one_form = forms.size() == 1 && one.dims;
  // Not representable: containers of one form with different sizes, or two forms of which one has different sizes.
  if (!is_of_one_form && (forms.size() != 2 || !open.empty() || is_open_inside)) {
    Sampled unknown;
    const auto has_dtype = [&](const Form& form) { return form.of.front() == forms.front().of.front(); };
    if (std::ranges::all_of(forms, has_dtype)) unknown.dtype = one.dtype;
    return unknown;
  }
  Sampled out = list;
  out.varies = out.depends_on_data = true;
  out.items.clear();
  out.fixed_form = false;
  const auto item_of_form = [&](const std::vector<DatumPtr>& items, const Form& wanted) {
    DatumPtr found;
    for (const DatumPtr& item : items) {
      if (form_of(*item) == wanted) found = item;
    }
    return found;
  };
  for (std::size_t other = 1; !is_of_one_form && other + data_count_ < count_; ++other) {
    const std::vector<DatumPtr> items = evaluator_.items(*out.samples[other]);
    if (const DatumPtr of_form = item_of_form(items, forms[other % 2]))
      out.samples[other] = evaluator_.list(std::vector(items.size(), of_form));
    if (!out.samples[other]) return {};
  }
  for (std::size_t k = 0; k < data_count_; ++k) {
    DatumPtr& sample = out.samples[count_ - data_count_ + k];
    std::vector<DatumPtr> items = evaluator_.items(*sample);
    DatumPtr of_form = is_of_one_form ? nullptr : item_of_form(items, forms[k]);
    if (!is_of_one_form && !of_form) of_form = shown[k];
    if (of_form && items.size() <= first_item) items.push_back(of_form);
    for (std::size_t i = first_item; i < items.size(); ++i) {
      DatumPtr& item = items[i];
      if (evaluator_.is_never(*item)) continue;
      if (of_form) {
        item = of_form;
        continue;
      }
      const auto base = evaluator_.describe(*shown.front(), 0).fixed_dims();
      const Facts facts = evaluator_.describe(*item, 0);
      auto sizes = facts.fixed_dims();
      for (std::size_t d = 0; d < open.size(); ++d)
        if (open[d]) (*sizes)[d] = other_number((*base)[d], k);
      item = evaluator_.meta(facts.dtype, *sizes);
      out.meta = true;
    }
    sample = evaluator_.list(items);
    if (!sample) return {};
  }
  return out;
}

// True if the node writes at a dynamic index to a list of differing items, so that the samples have only one result.
bool FactInference::changes_any_place(const Node& node, const std::vector<const Sampled*>& inputs) {
  const Container form = aten::traits_of(node).container;
  const bool sets = form == Container::SetItem || form == Container::Insert;
  if ((!sets && form != Container::Pop && form != Container::Delete) || !node.input()->type().is(Type::Kind::List))
    return false;
  if (!inputs[0]->known() || node.input_count() < 2) return false;
  // After Insert, Pop and Delete the samples still have all other items.
  if (form == Container::SetItem ? is_certain_place(node.input(1), *inputs[0])
                                 : certain_integer(node.input(1)).has_value())
    return false;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*inputs[0]->samples[sample]);
    if (sets && inputs[2]->known()) items.push_back(inputs[2]->samples[sample]);
    if (!are_all_alike(items)) return true;
  }
  return false;
}

void FactInference::forget_list(const Node& node, std::vector<Sampled>& outputs) {
  Sampled& list = values_[node.input()];
  if (list.known()) spoiled_.push_back({list.samples.front(), true});
  list = Sampled{};
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (node.output(o)->type() == node.input()->type()) outputs[o] = Sampled{};
}

// Returns the list that of_any_item() yields for the items that the node may take. Empty if the samples are exact.
std::optional<Sampled> FactInference::any_taken(const Node& node, const std::vector<const Sampled*>& inputs) {
  if (!takes_any_item(node) || !inputs[0]->known()) return std::nullopt;
  std::size_t first = 0;
  const Container form = aten::traits_of(node).container;
  const Settled settled = settled_of(*inputs[0]);
  if (inputs[0]->settled && (form == Container::Item || form == Container::Pop)) {
    const auto at = node.input_count() < 2 ? std::int64_t{-1} : certain_integer(node.input(1)).value_or(INT64_MIN);
    const auto front = static_cast<std::int64_t>(settled.front);
    if (at != INT64_MIN) first = static_cast<std::size_t>(at >= 0 ? front : std::max<std::int64_t>(front + at, 0));
  }
  Sampled any = of_any_item(*inputs[0], first);
  if (any.known() && any.samples == inputs[0]->samples) return std::nullopt;
  return any;
}

// Replaces the results in the samples by items of `any`, the list from of_any_item().
void FactInference::show_any_taken(const Node& node, const Sampled& list, const Sampled& any,
                                   std::vector<Sampled>& outputs) {
  const bool is_part = aten::acts_as(node, Container::Part);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    if (!out.known()) continue;
    const bool had_lengths = is_part && shows_lengths(out);
    if (!any.known()) {
      out = Sampled{};
      continue;
    }
    for (std::size_t sample = 1; sample < count_ && out.known(); ++sample) {
      if (!is_data_sample(sample) && any.samples[sample] == list.samples[sample]) continue;
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
    if (out.known() && had_lengths && !shows_lengths(out)) {
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

// The indices [first, end) of the items, of the `count` that a list has in a sample, that may be in the part that the
// node returns, or may stay in the list that it removes an item from.
std::pair<std::size_t, std::size_t> FactInference::possible_range(const Node& node, const Sampled& list,
                                                                  std::size_t count) const {
  if (repeated_list(node)) return {0, count};
  std::size_t first = 0, left = 0;
  const Settled settled = list.settled || !shows_lengths(list) ? settled_of(list) : Settled{};
  const auto front = std::min(settled.front, count), back = std::min(settled.back, count);
  if (!aten::acts_as(node, Container::Part)) {
    const auto at = node.input_count() < 2 ? std::optional<std::int64_t>(-1) : certain_integer(node.input(1));
    if (at == 0 && front > 0) first = 1;
    if (at == -1 && back > 0) left = 1;
    return {first, std::max(count - left, first)};
  }
  const auto bound = [&](std::size_t i) {
    return ir::is_none(node.input(i)) ? std::nullopt : certain_integer(node.input(i));
  };
  const auto step = node.input_count() < 4 ? std::int64_t{1} : certain_integer(node.input(3)).value_or(-1);
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

// By sample, the items of `before` that may also be in `after`, whose sample has no item of the same form and sizes.
std::vector<std::vector<DatumPtr>> FactInference::lost_items(const Node& node, const Sampled& list,
                                                             const std::vector<std::vector<DatumPtr>>& before,
                                                             const Sampled& after) {
  std::vector<std::vector<DatumPtr>> lost(count_);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> found = evaluator_.items(*after.samples[sample]);
    const auto [first, end] = possible_range(node, list, before[sample].size());
    for (std::size_t i = first; i < end; ++i) {
      const DatumPtr& item = before[sample][i];
      const auto is_same = [&](const DatumPtr& other) { return other == item || is_like(*other, *item); };
      if (evaluator_.is_never(*item) || std::ranges::any_of(found, is_same)) continue;
      found.push_back(item);
      lost[sample].push_back(item);
    }
  }
  return lost;
}

// Adds the items that may be in a slice, or in a repeated list, in other runs and are in no sample: items of the input
// list that dynamic bounds or an unsettled index may select, between its settled items. Sample 0 does not change.
void FactInference::show_lost_items(const Node& node, const Sampled& list, Sampled& part) {
  const bool is_open = list.settled || has_open_length(list);
  const auto repeated = repeated_list(node);
  const bool is_chosen = repeated ? of(node.input(1 - *repeated)).varies : takes_any_item(node);
  if (!part.known() || !part.depends_on_data || (!is_open && !is_chosen)) return;
  if (node.output()->type().elements.at(0).is_scalar()) return;  // scalars have one form
  std::vector<std::vector<DatumPtr>> before;
  for (const DatumPtr& sample : list.samples) before.push_back(evaluator_.items(*sample));
  const auto lost = lost_items(node, list, before, part);
  const auto has_lost = [&](std::size_t sample) { return !lost[sample].empty(); };
  const auto are_like = [&](const DatumPtr& a, const DatumPtr& b) { return is_like(*a, *b); };
  bool is_lost = false, is_shown = false, is_varied = false;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    is_lost = is_lost || (has_lost(sample) && (is_open || !is_data_sample(sample)));
    if (!is_data_sample(sample)) continue;
    is_shown = is_shown || !has_lost(sample);
    is_varied = is_varied || !std::ranges::equal(before[sample], before.front(), are_like);
  }
  // All items of a list of fixed length have one shape here, so one data sample that has them is enough.
  if (!is_lost && (is_open || is_shown || !is_varied)) return;
  require_data_samples();
  const bool had_lengths = shows_lengths(part);
  const Settled settled_part = part.settled.value_or(Settled{});
  const auto add = [&](std::size_t sample, const std::vector<DatumPtr>& more) {
    const std::vector<DatumPtr> items = evaluator_.items(*part.samples[sample]);
    const std::size_t front = std::min(settled_part.front, items.size()),
                      back = std::min(settled_part.back, items.size());
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
  if (had_lengths && !any.empty() && !shows_lengths(part) && !add(count_ - 1, any)) {
    part = Sampled{};
    return;
  }
  part.varies = part.depends_on_data = true;
  part.items.clear();
  part.fixed_form = false;
  if (!part.settled) part.settled = Settled{};
}

// Returns how many items of a list that the node returns are settled. Empty if their indices are the same in every run.
std::optional<Settled> FactInference::settled_in(const Node& node, const std::vector<const Sampled*>& inputs,
                                                 const Sampled& list) const {
  const auto is_open = [](const Sampled* in) { return in->settled.has_value(); };
  const auto is_fixed = [&](std::size_t i) { return !is_open(inputs[i]) && !shows_lengths(*inputs[i]); };
  const auto settled_part = [&](std::size_t i) {
    return is_open(inputs[i]) || is_fixed(i) ? settled_of(*inputs[i]) : Settled{};
  };
  const aten::Traits& traits = aten::traits_of(node);
  switch (traits.container) {
    case Container::Copy: return inputs[0]->settled;
    case Container::Part: {
      if (is_fixed(0) && !shows_lengths(list) && !takes_any_item(node)) return std::nullopt;
      const auto step = node.input_count() < 4 ? std::int64_t{1} : certain_integer(node.input(3)).value_or(0);
      const auto none = [&](std::size_t i) { return ir::is_none(node.input(i)); };
      const Settled whole = settled_part(0);
      if (step == -1 && none(1) && none(2)) return Settled{whole.back, whole.front};
      const auto begin = none(1) ? 0 : certain_integer(node.input(1)).value_or(-1);
      if (begin < 0 || step != 1) return Settled{};
      const auto front = static_cast<std::int64_t>(whole.front);
      const bool is_to_the_end = none(2) || certain_integer(node.input(2)) == INT64_MAX;
      if (const auto last = certain_integer(node.input(2)); last && *last >= 0 && *last <= front) return std::nullopt;
      const auto end = is_to_the_end ? front : certain_integer(node.input(2)).value_or(0);
      const auto left = std::max<std::int64_t>(std::min(front, end < 0 ? front + end : end) - begin, 0);
      const std::size_t back = is_to_the_end && begin == 0 ? whole.back : 0;
      return Settled{static_cast<std::size_t>(left), back};
    }
    case Container::Concat:
      if (is_fixed(0) && is_fixed(1)) return std::nullopt;
      return Settled{settled_part(0).front + (is_fixed(0) ? settled_part(1).front : 0),
                     settled_part(1).back + (is_fixed(1) ? settled_part(0).back : 0)};
    default: {
      const bool returns_list = traits.container == Container::None && traits.inverse == aten::Inverse::None;
      const bool repeats = repeated_list(node) ||
                           (returns_list && node.input_count() > 0 && node.input()->type() == node.output()->type());
      if (!std::ranges::any_of(inputs, is_open) && !(repeats && shows_lengths(list))) return std::nullopt;
      if (shows_lengths(list)) return Settled{};
      const Type& item = node.output()->type().elements.at(0);
      return item.is(Type::Kind::Tensor) || item.is_scalar() ? std::nullopt : std::optional(settled_of(list));
    }
  }
}

// Updates the settled items of a list after a write.
void FactInference::settle_changed(const Node& node, const std::vector<const Sampled*>& inputs) {
  Sampled& list = values_[node.input()];
  if (!list.known()) return;
  const auto at = node.input_count() < 2 ? std::optional<std::int64_t>(-1) : certain_integer(node.input(1));
  const auto less = [](std::size_t count, std::size_t by) { return count - std::min(count, by); };
  const bool is_open = list.settled.has_value();
  switch (aten::traits_of(node).container) {
    case Container::Append:
      if (is_open || shows_lengths(list))
        list.settled = Settled{is_open ? list.settled->front : 0, (is_open ? list.settled->back : 0) + 1};
      return;
    case Container::Extend: {
      const std::size_t added = item_count(*inputs[1]);
      if (inputs[1]->settled || shows_lengths(*inputs[1])) {
        const std::size_t front = is_open ? list.settled->front : less(item_count(list), added);
        list.settled = Settled{front, inputs[1]->settled.value_or(Settled{}).back};
      } else if (is_open) {
        list.settled->back += added;
      } else if (shows_lengths(list)) {
        list.settled = Settled{0, added};
      }
      return;
    }
    case Container::Insert:
      if (is_open) list.settled = at == 0 ? Settled{list.settled->front + 1, list.settled->back} : Settled{};
      return;
    case Container::Pop:
    case Container::Delete:
      if (is_open)
        list.settled =
            at == 0 || at == -1 ? Settled{less(list.settled->front, 1), less(list.settled->back, 1)} : Settled{};
      return;
    case Container::Reverse:
      if (is_open) std::swap(list.settled->front, list.settled->back);
      return;
    default:
      if (is_open) list.settled = Settled{};
  }
}

void FactInference::note_settled(const Node& node, const std::vector<const Sampled*>& inputs,
                                 std::vector<Sampled>& outputs) {
  const auto is_open = [](const Sampled* in) { return in->settled.has_value(); };
  const bool changes = writes(node) && node.input()->type().is(Type::Kind::List);
  if (changes) settle_changed(node, inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    const Type& type = node.output(o)->type();
    if (!out.known() || type.is(Type::Kind::Tensor) || type.is_scalar()) continue;
    if (changes && type == node.input()->type()) {
      out.settled = of(node.input()).settled;
    } else if (type.is(Type::Kind::List)) {
      if (!type.elements.at(0).is_scalar()) out.settled = settled_in(node, inputs, out);
    } else if (std::ranges::any_of(inputs, is_open)) {
      out.settled = Settled{};
    }
  }
}

}  // namespace tonnx::program
