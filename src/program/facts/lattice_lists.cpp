// Abstract values of lists: their length, the items with the same index in every run, and undefined items.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "program/facts/lattice.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Facts;

std::size_t Lattice::item_count(const Sampled& list) const { return evaluator_.count(*list.samples.front()); }

FixedEnds Lattice::fixed_ends_of(const Sampled& list) const {
  if (!list.known()) return {};
  return list.fixed_ends.value_or(FixedEnds{item_count(list), item_count(list)});
}

FixedEnds Lattice::common_ends(const FixedEnds& a, const FixedEnds& b) const {
  return {std::min(a.front, b.front), std::min(a.back, b.back)};
}

bool Lattice::shows_lengths(const Sampled& list) const {
  const std::size_t count = item_count(list);
  return std::ranges::any_of(list.samples, [&](const DatumPtr& sample) { return evaluator_.count(*sample) != count; });
}

bool Lattice::has_open_length(const Sampled& list) const {
  const std::size_t count = item_count(list);
  return std::any_of(list.samples.end() - static_cast<std::ptrdiff_t>(data_count_), list.samples.end(),
                     [&](const DatumPtr& sample) { return evaluator_.count(*sample) != count; });
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

Sampled Lattice::of_any_item(const Sampled& list, std::size_t first_item) const {
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

DatumPtr Lattice::any_item(const ir::Datum& list) const {
  const std::vector<DatumPtr> items = evaluator_.items(list);
  return items.empty() || !are_all_alike(items) ? nullptr : items.back();
}

bool Lattice::has_undefined_items(const Sampled& list) const {
  if (!has_undefined) return false;
  const auto is_never = [&](const DatumPtr& item) { return evaluator_.is_never(*item); };
  return std::ranges::any_of(
      list.samples, [&](const DatumPtr& sample) { return std::ranges::any_of(evaluator_.items(*sample), is_never); });
}

Sampled Lattice::filled(Sampled list, const Sampled& other) const {
  for (std::size_t sample = 0; has_undefined && sample < list.samples.size(); ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*list.samples[sample]);
    const std::vector<DatumPtr> others = evaluator_.items(*other.samples[sample]);
    const bool has_same_length = items.size() == others.size();
    DatumPtr any = has_same_length ? nullptr : any_read(items);
    if (!has_same_length && !any) any = any_read(others);
    bool changed = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const DatumPtr& replacement = has_same_length ? others[i] : any;
      if (!replacement || !evaluator_.is_never(*items[i]) || evaluator_.is_never(*replacement)) continue;
      items[i] = replacement;
      changed = true;
    }
    if (changed) list.samples[sample] = evaluator_.list(items);
  }
  return list;
}

Sampled Lattice::filled_up(Sampled list) const {
  for (DatumPtr& sample : list.samples) {
    std::vector<DatumPtr> items = evaluator_.items(*sample);
    const DatumPtr any = any_read(items);
    if (!any) continue;
    std::ranges::replace_if(items, [&](const DatumPtr& item) { return evaluator_.is_never(*item); }, any);
    sample = evaluator_.list(items);
  }
  return list;
}

// A defined item, or null.
DatumPtr Lattice::any_read(const std::vector<DatumPtr>& items) const {
  const auto found = std::ranges::find_if(items, [&](const DatumPtr& item) { return !evaluator_.is_never(*item); });
  return found == items.end() ? nullptr : *found;
}

}  // namespace tonnx::program
