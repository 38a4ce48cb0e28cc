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
  if (form == Container::Part) return *place < 0 && settled;
  return settled && (*place < 0 || static_cast<std::size_t>(*place) >= *settled);
}

// The list, of which the data samples show items of other forms: sizes that are not those of all items are others there, and of two
// forms each shows one. Unknown where there are more forms.
Sampled FactInference::of_any_item(const Sampled& list) {
  std::vector<std::vector<DatumPtr>> forms(count_);  // the first item of each, by samples
  std::vector<bool> open;                            // dims that differ, where all are tensors of one dtype and rank
  bool is_of_one_rank = true;
  std::size_t most = 0;
  const auto of_one_rank = [&](const Facts& f, const Facts& g) {
    return f.dims && g.dims && f.dtype == g.dtype && f.dims->size() == g.dims->size();
  };
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr>& found = forms[sample];
    for (const DatumPtr& item : evaluator_.items(*list.samples[sample])) {
      if (evaluator_.is_never(*item)) continue;
      if (std::ranges::any_of(found, [&](const DatumPtr& other) { return is_like(*other, *item); })) continue;
      found.push_back(item);
      const Facts f = evaluator_.describe(*found.front(), 0), g = evaluator_.describe(*item, 0);
      is_of_one_rank = is_of_one_rank && of_one_rank(f, g);
      if (!is_of_one_rank) continue;
      open.resize(std::max(open.size(), f.dims->size()), false);
      for (std::size_t d = 0; d < f.dims->size(); ++d) open[d] = open[d] || !(*f.dims)[d].same((*g.dims)[d]);
    }
    most = std::max(most, found.size());
  }
  if (most < 2) return list;
  require_data_samples();
  if (!is_of_one_rank && most > data_count_) return {};
  Sampled out = list;
  out.varies = out.depends_on_data = true;
  out.items.clear();
  out.fixed_form = false;
  for (std::size_t k = 0; k < data_count_; ++k) {
    const std::size_t sample = count_ - data_count_ + k;
    std::vector<DatumPtr> items = evaluator_.items(*out.samples[sample]);
    for (DatumPtr& item : items) {
      if (evaluator_.is_never(*item)) continue;
      if (!is_of_one_rank) {
        item = forms[sample][std::min(k, forms[sample].size() - 1)];
        continue;
      }
      const Facts facts = evaluator_.describe(*item, 0);
      const auto base = evaluator_.describe(forms.front().empty() ? *item : *forms.front().front(), 0).fixed_dims();
      auto sizes = facts.fixed_dims();
      for (std::size_t d = 0; d < sizes->size(); ++d)
        if (open[d]) (*sizes)[d] = k == 0 ? (*base)[d] + 1 : 2 * (*base)[d] + 3;
      item = evaluator_.meta(facts.dtype, *sizes);
      out.meta = true;
    }
    DatumPtr shown = evaluator_.list(items);
    if (!shown) return {};
    out.samples[sample] = std::move(shown);
  }
  return out;
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
      const std::size_t settled = settled_of(*inputs[0]);
      if (!begin || *begin < 0 || !is_in_order) return any(inputs[0]) || !begin ? std::optional<std::size_t>(0) : std::nullopt;
      if (!any(inputs[0]) && !shows_lengths(list)) return std::nullopt;
      return settled - std::min(settled, static_cast<std::size_t>(*begin));
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
