// How loop-carried values change between iterations.
#include <algorithm>
#include <vector>

#include "program/facts/lattice.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::DType;
using ir::Facts;
using ir::Type;

void Lattice::vary_carried(Sampled& sampled, const CarriedChange& change, const Type& type) const {
  if (!sampled.known()) return;
  if (change.form) {
    const DType dtype = change.any_dtype ? DType::Undefined : dtype_of(sampled);
    sampled = Sampled{};
    sampled.dtype = dtype;
    return;
  }
  const Facts facts = note_facts(sampled);
  const bool is_tensor = facts.dims && type.is(Type::Kind::Tensor);
  if (change.value && is_tensor && !sampled.meta) {
    for (DatumPtr& sample : sampled.samples) {
      const Facts of_sample = evaluator_.describe(*sample, 0);
      if (const auto sizes = of_sample.fixed_dims()) sample = evaluator_.meta(of_sample.dtype, *sizes);
    }
    sampled.meta = true;
  } else if (change.value && !is_tensor) {
    sampled.varies = sampled.depends_on_data = true;
    sampled.items.clear();
    sampled.fixed_form = false;
  }
  if (facts.dims && facts.dims->size() == change.dims.size()) vary(sampled, change.dims);
  if (type.is(Type::Kind::List)) vary_items(sampled, change);
}

bool Lattice::note_item_changes(const Sampled& before, const Sampled& after, CarriedChange& change) const {
  bool found = false;
  const auto note = [&](bool& mark) {
    found = found || !mark;
    mark = true;
  };
  if (after.is_mixed) note(change.is_mixed);
  for (std::size_t sample = 0; sample < count_ && !change.form; ++sample) {
    auto old = evaluator_.items(*before.samples[sample]);
    const auto now = evaluator_.items(*after.samples[sample]);
    change.filled.resize(count_);
    for (const auto& list : {after.samples[sample], before.samples[sample]})
      if (!change.filled[sample] && evaluator_.count(*list) > 0) change.filled[sample] = list;
    if (old.size() != now.size()) note(change.length);
    if (old.size() > now.size()) note(change.shrinks);
    if (old.empty() && !has_writes_ && change.filled[sample]) old = evaluator_.items(*change.filled[sample]);
    change.items.resize(std::max(change.items.size(), old.size()));
    for (std::size_t i = 0; i < old.size() && !now.empty(); ++i) {
      const DatumPtr& other = now[std::min(i, now.size() - 1)];
      const Facts f = evaluator_.describe(*old[i], 0), g = evaluator_.describe(*other, 0);
      if (f.dtype != g.dtype || f.dims.has_value() != g.dims.has_value() ||
          (f.dims && f.dims->size() != g.dims->size())) {
        note(change.form);
        break;
      }
      if (!f.dims) {
        if (evaluator_.count(*old[i]) != evaluator_.count(*other)) {
          note(change.length);
        } else if (!is_like(*old[i], *other)) {
          note(change.form);
          break;
        }
        continue;
      }
      std::vector<bool>& dims = change.items[i];
      dims.resize(f.dims->size());
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (!dims[d] && !(*f.dims)[d].same((*g.dims)[d])) found = dims[d] = true;
    }
  }
  return found;
}

void Lattice::vary_items(Sampled& list, const CarriedChange& change) const {
  const bool resized = std::any_of(change.items.begin(), change.items.end(), [](const std::vector<bool>& dims) {
    return std::find(dims.begin(), dims.end(), true) != dims.end();
  });
  if (!change.length && !resized) return;
  if (change.length) list.fixed_ends = change.shrinks ? FixedEnds{} : FixedEnds{.front = fixed_ends_of(list).front};
  list.varies = list.depends_on_data = true;
  list.fixed_form = false;
  list.items.clear();
  const auto is_open = [&](std::size_t item, std::size_t d) {
    const auto opens = [d](const std::vector<bool>& dims) { return d < dims.size() && dims[d]; };
    if (!change.length) return item < change.items.size() && opens(change.items[item]);
    return std::any_of(change.items.begin(), change.items.end(), opens);
  };
  // A list that is written to may be empty again.
  const auto is_filled = [&](const DatumPtr& filled) { return filled && evaluator_.count(*filled) > 0; };
  const auto with_item = std::ranges::find_if(change.filled, is_filled);
  const bool is_filled_later = evaluator_.count(*list.samples.front()) == 0 && with_item != change.filled.end();
  const DatumPtr base = is_filled_later ? *with_item : list.samples.front();
  const std::vector<DatumPtr> base_items = evaluator_.items(*base);
  for (std::size_t k = 0; k < data_count_ && !base_items.empty(); ++k) {
    const std::size_t sample = count_ - data_count_ + k;
    DatumPtr& shown = list.samples[sample];
    if (evaluator_.count(*shown) == 0)
      shown = sample < change.filled.size() && is_filled(change.filled[sample]) ? change.filled[sample] : base;
    const std::size_t count = change.length ? base_items.size() + k + 1 : base_items.size();
    const Facts facts = evaluator_.describe(*shown);
    const auto* numbers = facts.constant ? facts.constant->get<Constant::List>() : nullptr;
    if (numbers && !numbers->items.empty() && !numbers->items.front().get<ir::Tensor>()) {
      Constant::List other = *numbers;
      other.items.resize(count, other.items.back());
      shown = evaluator_.constant({other});
      continue;
    }
    std::vector<DatumPtr> items = evaluator_.items(*shown);
    items.resize(count, items.back());
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Facts item = evaluator_.describe(*items[i], 0);
      const auto base_sizes = evaluator_.describe(*base_items[std::min(i, base_items.size() - 1)], 0).fixed_dims();
      auto sizes = item.fixed_dims();
      if (evaluator_.is_never(*items[i])) continue;
      if (!sizes || !base_sizes || base_sizes->size() != sizes->size()) break;
      if (sizes->empty()) continue;
      for (std::size_t d = 0; d < sizes->size(); ++d)
        if (is_open(i, d)) (*sizes)[d] = other_number((*base_sizes)[d], k);
      items[i] = evaluator_.meta(item.dtype, *sizes);
    }
    const bool are_tensors = std::all_of(items.begin(), items.end(), [&](const DatumPtr& item) {
      return evaluator_.is_never(*item) || evaluator_.describe(*item, 0).dims.has_value();
    });
    if (DatumPtr other = are_tensors ? evaluator_.list(items) : nullptr) shown = std::move(other);
  }
  list.is_mixed = list.is_mixed || change.is_mixed;
  note_otherwise(list, change.filled);
}

// Sets `otherwise` in the samples in which the list is empty, if all items of its non-empty state have one shape.
void Lattice::note_otherwise(Sampled& list, const std::vector<DatumPtr>& filled) const {
  for (std::size_t sample = 0; !has_writes_ && !list.is_mixed && sample < filled.size(); ++sample) {
    if (!filled[sample] || evaluator_.count(*list.samples[sample]) > 0) continue;
    const std::vector<DatumPtr> items = evaluator_.items(*filled[sample]);
    if (items.empty()) continue;
    list.is_mixed = !are_all_alike(items);
    list.otherwise.resize(count_);
    if (!list.otherwise[sample]) list.otherwise[sample] = filled[sample];
  }
  if (list.is_mixed) list.otherwise.clear();
}

}  // namespace tonnx::program
