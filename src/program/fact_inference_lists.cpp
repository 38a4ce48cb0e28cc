// Lists in which runs put other items at other places: what turns of a loop append stands behind what the list began with, and is
// its last item only where there was a turn. Who takes an item that may be any of them is shown them all.
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/fact_inference.h"

namespace tonnx::program {

using aten::Container;
using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

std::size_t FactInference::item_count(const Sampled& list) const { return evaluator_.items(*list.samples.front()).size(); }

std::size_t FactInference::settled_of(const Sampled& list) const {
  return list.known() ? list.settled.value_or(item_count(list)) : 0;
}

bool FactInference::shows_lengths(const Sampled& list) const {
  const std::size_t count = item_count(list);
  return std::ranges::any_of(list.samples, [&](const DatumPtr& sample) { return evaluator_.items(*sample).size() != count; });
}

// Whether the items that the node takes of the list stand elsewhere in other runs.
bool FactInference::takes_any_item(const Node& node, std::size_t i) const {
  if (i != 0 || !node.input()->type().is(Type::Kind::List)) return false;
  const Container form = aten::traits_of(node).container;
  const auto& settled = of(node.input()).settled;
  if (form == Container::ListUnpack) return settled.has_value();
  if ((form != Container::Item && form != Container::Part && form != Container::Pop) || node.input_count() < 2) return false;
  if (ir::is_none(node.input(1))) return false;
  const auto place = certain_integer(node.input(1));
  if (!place) return true;
  if (form == Container::Part) return (*place < 0 && settled) || !(ir::is_none(node.input(2)) || certain_integer(node.input(2)));
  return settled && (*place < 0 || static_cast<std::size_t>(*place) >= *settled);
}

namespace {

// What is the same of an item at all sizes.
struct Form {
  std::vector<std::int64_t> of;  // dtypes and ranks of what is in it, in order
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

// The list, of which the data samples show items of other forms: sizes that are not those of all items are others there, and of two
// forms each shows one. Unknown where there are more forms.
Sampled FactInference::of_any_item(const Sampled& list) {
  std::vector<Form> forms;
  std::vector<DatumPtr> shown;  // an item of each
  std::vector<bool> open;       // dims that differ in a sample, where all are tensors of one form
  bool differ = false;
  for (const DatumPtr& sample : list.samples) {
    DatumPtr first;
    for (const DatumPtr& item : evaluator_.items(*sample)) {
      if (evaluator_.is_never(*item)) continue;
      Form form;
      add_form(evaluator_, *item, form);
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
  if (!differ) return list;
  require_data_samples();
  const Facts one = evaluator_.describe(*shown.front(), 0);
  const bool is_of_one_form = forms.size() == 1 && one.dims;
  // Containers of one form differ in sizes inside, and tensors of two may differ from others of theirs.
  if (!is_of_one_form && (forms.size() != 2 || !open.empty())) return {};
  Sampled out = list;
  out.varies = out.depends_on_data = true;
  out.items.clear();
  out.fixed_form = false;
  for (std::size_t k = 0; k < data_count_; ++k) {
    DatumPtr& sample = out.samples[count_ - data_count_ + k];
    std::vector<DatumPtr> items = evaluator_.items(*sample);
    DatumPtr of_form = is_of_one_form ? nullptr : shown[k];
    for (const DatumPtr& item : items) {
      Form form;
      add_form(evaluator_, *item, form);
      if (of_form && form == forms[k]) of_form = item;
    }
    for (DatumPtr& item : items) {
      if (evaluator_.is_never(*item)) continue;
      if (of_form) {
        item = of_form;
        continue;
      }
      const auto base = evaluator_.describe(*shown.front(), 0).fixed_dims();
      const Facts facts = evaluator_.describe(*item, 0);
      auto sizes = facts.fixed_dims();
      for (std::size_t d = 0; d < open.size(); ++d)
        if (open[d]) (*sizes)[d] = k == 0 ? (*base)[d] + 1 : 2 * (*base)[d] + 3;
      item = evaluator_.meta(facts.dtype, *sizes);
      out.meta = true;
    }
    sample = evaluator_.list(items);
    if (!sample) return {};
  }
  return out;
}

// Whether the node changes a list, not all alike, at a place that a run decides: the example shows one of the lists that it leaves.
bool FactInference::changes_any_place(const Node& node, const std::vector<const Sampled*>& inputs) {
  const Container form = aten::traits_of(node).container;
  const bool sets = form == Container::SetItem || form == Container::Insert;
  if ((!sets && form != Container::Pop && form != Container::Delete) || !node.input()->type().is(Type::Kind::List)) return false;
  if (node.input_count() < 2 || !inputs[0]->known() || certain_integer(node.input(1))) return false;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*inputs[0]->samples[sample]);
    if (sets && inputs[2]->known()) items.push_back(inputs[2]->samples[sample]);
    for (const DatumPtr& item : items)
      if (!is_like(*items.front(), *item)) return true;
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

// What pop() gives where that may be any of the items; nothing where it is what the samples say.
std::optional<Sampled> FactInference::popped(const Node& node) {
  if (!aten::acts_as(node, Container::Pop) || !of(node.input()).known() || !takes_any_item(node, 0)) return std::nullopt;
  Sampled out = of_any_item(of(node.input()));
  for (DatumPtr& sample : out.samples) {
    const std::vector<DatumPtr> items = evaluator_.items(*sample);
    if (items.empty()) return std::nullopt;
    sample = items.back();
  }
  out.settled.reset();
  return out;
}

// How many items at the front of a list that the node makes keep their places.
std::optional<std::size_t> FactInference::settled_in(const Node& node, const std::vector<const Sampled*>& inputs,
                                                     const Sampled& list) const {
  const auto any = [](const Sampled* in) { return in->settled.has_value(); };
  switch (aten::traits_of(node).container) {
    case Container::Copy:
      return inputs[0]->settled;
    case Container::Part: {
      const auto begin = ir::is_none(node.input(1)) ? 0 : certain_integer(node.input(1));
      const bool is_in_order = node.input_count() < 4 || certain_integer(node.input(3)) == 1;
      const bool is_open = any(inputs[0]) || shows_lengths(list);
      if (!begin || *begin < 0 || !is_in_order) return is_open || !begin ? std::optional<std::size_t>(0) : std::nullopt;
      if (!is_open) return std::nullopt;
      const auto settled = static_cast<std::int64_t>(settled_of(*inputs[0]));
      const auto end = ir::is_none(node.input(2)) ? settled : certain_integer(node.input(2)).value_or(0);
      return std::max<std::int64_t>(std::min(settled, end < 0 ? settled + end : end) - *begin, 0);
    }
    case Container::Concat:
      if (any(inputs[0])) return inputs[0]->settled;
      if (shows_lengths(*inputs[0])) return 0;
      return any(inputs[1]) ? std::optional(item_count(*inputs[0]) + *inputs[1]->settled) : std::nullopt;
    default:
      return std::ranges::any_of(inputs, any) && shows_lengths(list) ? std::optional<std::size_t>(0) : std::nullopt;
  }
}

void FactInference::note_settled(const Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs) {
  const Container form = aten::traits_of(node).container;
  if (form == Container::None) return;
  const bool changes = writes(node) && node.input()->type().is(Type::Kind::List);
  if (changes) {
    Sampled& list = values_[node.input()];
    const bool adds = form == Container::Append || form == Container::Extend;
    if (list.known() && adds && !list.settled && form == Container::Extend && inputs[1]->settled) {
      list.settled = item_count(list) - std::min(item_count(list), item_count(*inputs[1]));
    } else if (list.known() && adds && !list.settled && shows_lengths(list)) {
      list.settled = 0;
    } else if (!adds && list.settled) {
      list.settled = 0;
    }
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    const Type& type = node.output(o)->type();
    if (!out.known() || type.is(Type::Kind::Tensor) || type.is_scalar()) continue;
    if (changes && type == node.input()->type()) {
      out.settled = of(node.input()).settled;
    } else if (type.is(Type::Kind::List)) {
      out.settled = settled_in(node, inputs, out);
    } else if (std::ranges::any_of(inputs, [](const Sampled* in) { return in->settled.has_value(); })) {
      out.settled = 0;
    }
  }
}

}  // namespace tonnx::program
