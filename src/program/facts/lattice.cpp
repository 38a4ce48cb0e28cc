// The lattice of abstract values: facts of samples, and values with other sizes in the data samples.
#include "program/facts/lattice.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "ir/constant_facts.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::Dim;
using ir::DType;
using ir::Facts;

Lattice::Lattice(ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples,
                 const std::vector<InputAxis>& open, bool has_writes)
    : evaluator_(evaluator),
      table_(std::move(table)),
      data_count_(data_samples),
      count_(table_.sizes.size() + data_samples),
      has_open_axes_(!open.empty()),
      has_writes_(has_writes) {
  table_.sizes.resize(count_, std::vector(table_.sizes.front()));
  for (const InputAxis& axis : open) {
    // The samples show whether other axes have the size of a free symbol.
    if (!axis.follows && table_.position(axis.symbol) >= table_.free_count()) continue;
    std::vector<std::int64_t> sizes;
    for (std::size_t sample = 0; sample < count_; ++sample) sizes.push_back(size_in(axis, sample));
    fits_.emplace(std::move(sizes), Dim(axis.size()));
  }
}

void Lattice::require_data_samples() const {
  if (!data_count_) throw NeedsDataSamples{};
}

std::int64_t Lattice::size_in(const InputAxis& axis, std::size_t sample) const {
  return axis.size().value(table_.names, table_.sizes[sample]).value();
}

Sampled Lattice::constant_samples(const Constant& constant) const {
  Sampled sampled;
  if (!has_writes_) {
    sampled.samples.assign(count_, evaluator_.constant(constant));
  } else {
    for (std::size_t i = 0; i < count_; ++i) sampled.samples.push_back(evaluator_.constant(constant));
  }
  return sampled;
}

Sampled Lattice::number(std::int64_t value) const { return constant_samples({value}); }

void Lattice::vary(Sampled& sampled, const std::vector<bool>& dims) const {
  if (std::find(dims.begin(), dims.end(), true) == dims.end()) return;
  require_data_samples();
  sampled.depends_on_data = true;
  for (std::size_t k = 0; k < data_count_; ++k) {
    DatumPtr& datum = sampled.samples[count_ - data_count_ + k];
    const Facts facts = evaluator_.describe(*datum, 0);
    const auto sizes = facts.fixed_dims();
    const auto base = evaluator_.describe(*sampled.samples.front(), 0).fixed_dims();
    if (!sizes || !base || sizes->size() != dims.size() || base->size() != dims.size()) continue;
    std::vector<std::int64_t> varied = *sizes;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d]) varied[d] = other_number((*base)[d], k);
    datum = evaluator_.meta(facts.dtype, varied);
  }
  sampled.meta = true;
}

// Replaces the constants of the samples, and of their items, by tensors without data.
void Lattice::drop_content(Sampled& sampled) const {
  const auto drop = [&](DatumPtr& datum) {
    const Facts facts = evaluator_.describe(*datum, std::numeric_limits<std::int64_t>::max());
    const auto sizes = facts.fixed_dims();
    if (!facts.constant || !sizes) return false;
    datum = evaluator_.meta(facts.dtype, *sizes);
    return true;
  };
  for (DatumPtr& sample : sampled.samples) {
    if (drop(sample)) continue;
    std::vector<DatumPtr> items = evaluator_.items(*sample);
    bool changed = false;
    for (DatumPtr& item : items) changed = drop(item) || changed;
    if (DatumPtr list = changed ? evaluator_.list(items) : nullptr) sample = std::move(list);
  }
}

Facts Lattice::facts_of(const Sampled& sampled, Sampled* noted) const {
  Facts out;
  if (!sampled.known()) return out;
  std::vector<Facts> samples;
  for (std::size_t i = 0; i < count_; ++i) {
    if (i > 0 && sampled.samples[i] == sampled.samples[0]) {
      samples.push_back(samples.front());
    } else {
      samples.push_back(evaluator_.describe(*sampled.samples[i]));
    }
  }
  const Facts& base = samples.front();
  bool constant = base.constant != nullptr;
  bool same_rank = base.dims.has_value();
  out.dtype = base.dtype;
  for (const Facts& sample : samples) {
    if (sample.dtype != base.dtype) out.dtype = DType::Undefined;
    same_rank = same_rank && sample.dims && sample.dims->size() == base.dims->size();
    if (constant && sample.constant != base.constant)
      constant = sample.constant && same_constant(*sample.constant, *base.constant);
  }
  if (noted && base.constant && !constant) {
    noted->varies = true;
    const auto* list = base.constant->get<Constant::List>();
    if (list && noted->items.size() == list->items.size()) {
      for (std::size_t k = 0; k < noted->items.size(); ++k)
        for (const Facts& sample : samples) {
          const auto* other = sample.constant ? sample.constant->get<Constant::List>() : nullptr;
          if (!other || other->items.size() != list->items.size() || !same_constant(other->items[k], list->items[k]))
            noted->items[k] = 1;
        }
    }
  }
  if (constant && !sampled.varies) out.constant = base.constant;
  bool depends_on_data = base.dims && !same_rank;
  if (same_rank) {
    out.dims.emplace();
    for (std::size_t d = 0; d < base.dims->size(); ++d) {
      std::vector<std::int64_t> sizes;
      for (const Facts& sample : samples) sizes.push_back((*sample.dims)[d].size());
      for (std::size_t i = count_ - data_count_; i < count_; ++i)
        depends_on_data = depends_on_data || sizes[i] != sizes[0];
      out.dims->push_back(fitted(std::move(sizes)));
    }
  }
  if (noted) noted->depends_on_data = noted->depends_on_data || depends_on_data;
  return out;
}

ir::Dim Lattice::fitted(std::vector<std::int64_t> sizes) const {
  if (!has_open_axes_ && std::ranges::count(sizes, sizes.front()) == std::ssize(sizes)) return sizes.front();
  const auto [found, fresh] = fits_.try_emplace(std::move(sizes));
  if (fresh) found->second = fit(table_, found->first);
  return found->second;
}

DType Lattice::dtype_of(const Sampled& sampled) const {
  if (!sampled.known()) return sampled.dtype;
  const DType first = evaluator_.describe(*sampled.samples.front(), 0).dtype;
  const bool same = std::ranges::all_of(sampled.samples, [&](const DatumPtr& sample) {
    return sample == sampled.samples.front() || evaluator_.describe(*sample, 0).dtype == first;
  });
  return same ? first : DType::Undefined;
}

Sampled Lattice::unknown_of(std::span<const Sampled> values) const {
  Sampled out;
  const Sampled* before = nullptr;
  for (const Sampled& value : values) {
    if (value.unreachable) continue;
    const DType dtype = dtype_of(value);
    if (before && dtype != out.dtype) return {};
    out.dtype = dtype;
    before = &value;
  }
  return out;
}

bool Lattice::is_like(const ir::Datum& a, const ir::Datum& b) const {
  const Facts f = evaluator_.describe(a, 0), g = evaluator_.describe(b, 0);
  if (f.dtype != g.dtype || f.fixed_dims() != g.fixed_dims()) return false;
  if (f.dims) return true;
  const auto is_none = [](const Facts& facts) { return facts.constant && facts.constant->is_none(); };
  if (is_none(f) != is_none(g)) return false;
  const auto x = evaluator_.items(a), y = evaluator_.items(b);
  const auto are_like = [&](const DatumPtr& one, const DatumPtr& other) { return is_like(*one, *other); };
  if (!std::ranges::equal(x, y, are_like)) return false;
  const auto keys = evaluator_.keys(a), others = evaluator_.keys(b);
  for (std::size_t i = 0; i < keys.size() && i < others.size(); ++i) {
    const Facts key = evaluator_.describe(*keys[i]), other = evaluator_.describe(*others[i]);
    if (!key.constant || !other.constant || !same_constant(*key.constant, *other.constant)) return false;
    if (!is_like(*evaluator_.entry(a, *keys[i]), *evaluator_.entry(b, *others[i]))) return false;
  }
  return keys.size() == others.size();
}

bool Lattice::same_items(const Sampled& a, const Sampled& b) const {
  for (std::size_t sample = 0; sample < count_; ++sample)
    if (!is_like(*a.samples[sample], *b.samples[sample])) return false;
  return true;
}

// True if tensors have the same strides or are contiguous, and so have those in containers of the same length.
bool Lattice::have_one_layout(const ir::Datum& a, const ir::Datum& b) const {
  const auto rank_of = [&](const ir::Datum& datum) {
    const Facts facts = evaluator_.describe(datum, 0);
    return facts.dims ? facts.dims->size() : 0;
  };
  const std::size_t rank = rank_of(a);
  if (rank != rank_of(b)) return false;
  if (rank > 0) {
    if (evaluator_.contiguous_offset(a) && evaluator_.contiguous_offset(b)) return true;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      std::vector<std::size_t> others;
      for (std::size_t other = 0; other < rank; ++other)
        if (other != axis) others.push_back(other);
      if (evaluator_.merged_strides(a, others) != evaluator_.merged_strides(b, others)) return false;
    }
    return true;
  }
  const auto is_same = [&](const DatumPtr& one, const DatumPtr& other) { return have_one_layout(*one, *other); };
  if (!std::ranges::equal(evaluator_.items(a), evaluator_.items(b), is_same)) return false;
  return std::ranges::all_of(evaluator_.keys(a), [&](const DatumPtr& key) {
    const DatumPtr one = evaluator_.entry(a, *key), other = evaluator_.entry(b, *key);
    return one && other && have_one_layout(*one, *other);
  });
}

bool Lattice::have_one_layout(const Sampled& a, const Sampled& b) const {
  for (std::size_t sample = 0; sample < count_; ++sample)
    if (!have_one_layout(*a.samples[sample], *b.samples[sample])) return false;
  return true;
}

bool Lattice::has_several_layouts(const Sampled& list) const {
  return std::ranges::any_of(list.samples, [&](const DatumPtr& sample) {
    const std::vector<DatumPtr> items = evaluator_.items(*sample);
    return std::ranges::any_of(items, [&](const DatumPtr& item) { return !have_one_layout(*items.front(), *item); });
  });
}

std::optional<Sampled> Lattice::samples_with(const Facts& facts) const {
  if (!facts.dims || facts.dtype == DType::Undefined) return std::nullopt;
  Sampled out;
  std::vector<bool> open(facts.dims->size(), false);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < open.size(); ++d) {
      const Dim& dim = (*facts.dims)[d];
      std::optional<std::int64_t> size;
      if (dim.is_fixed()) size = dim.size();
      if (dim.polynomial()) size = dim.polynomial()->value(table_.names, table_.sizes[sample]);
      open[d] = open[d] || !size;
      sizes.push_back(size.value_or(2));
    }
    out.samples.push_back(evaluator_.meta(facts.dtype, sizes));
  }
  out.meta = out.depends_on_data = true;
  vary(out, open);
  return out;
}

std::optional<std::vector<double>> Lattice::in_sizes(
    const Sampled& sampled, const std::function<std::optional<double>(const ir::Datum&)>& read) const {
  if (!sampled.known()) return std::nullopt;
  std::vector<double> result;
  for (std::size_t sample = 0; sample + data_count_ < count_; ++sample) {
    if (sample > 0 && sampled.samples[sample] == sampled.samples[0]) {
      result.push_back(result.front());
      continue;
    }
    const std::optional<double> value = read(*sampled.samples[sample]);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<std::vector<double>> Lattice::numbers(const Sampled& sampled, std::size_t item) const {
  return in_sizes(sampled, [&](const ir::Datum& datum) -> std::optional<double> {
    const Facts facts = evaluator_.describe(datum);
    const Constant* constant = facts.constant.get();
    const auto* list = constant ? constant->get<Constant::List>() : nullptr;
    if (list) constant = item < list->items.size() ? &list->items[item] : nullptr;
    const auto* tensor = constant ? constant->get<ir::Tensor>() : nullptr;
    if (!constant || !(constant->is_number() || (tensor && tensor->numel() == 1))) return std::nullopt;
    return constant->as_double();
  });
}

std::optional<std::vector<double>> Lattice::sizes_along(const Sampled& tensor, std::size_t axis) const {
  return in_sizes(tensor, [&](const ir::Datum& datum) -> std::optional<double> {
    const auto sizes = evaluator_.describe(datum, 0).fixed_dims();
    return sizes && axis < sizes->size() ? std::optional(static_cast<double>((*sizes)[axis])) : std::nullopt;
  });
}

}  // namespace tonnx::program
