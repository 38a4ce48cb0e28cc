// Joins the abstract values of two branches, or of iterations of a loop.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/constant_facts.h"
#include "program/facts/lattice.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Facts;

// The items of the list, or, if it is empty, those of other paths.
std::vector<DatumPtr> Lattice::items_found(const Sampled& list, std::size_t sample) const {
  std::vector<DatumPtr> items = evaluator_.items(*list.samples[sample]);
  if (items.empty() && !list.otherwise.empty() && list.otherwise[sample])
    items = evaluator_.items(*list.otherwise[sample]);
  return items;
}

bool Lattice::are_all_alike(const std::vector<DatumPtr>& items) const {
  return std::ranges::all_of(items, [&](const DatumPtr& item) { return is_like(*items.front(), *item); });
}

void Lattice::join_otherwise(Sampled& out, const Sampled& a, const Sampled& b) const {
  out.otherwise.clear();
  out.is_mixed = a.is_mixed || b.is_mixed;
  for (std::size_t sample = 0; sample < count_ && !out.is_mixed; ++sample) {
    const auto is_empty = [&](const Sampled& list) { return evaluator_.count(*list.samples[sample]) == 0; };
    if (!is_empty(a) && !is_empty(b)) continue;
    std::vector<DatumPtr> items = items_found(a, sample);
    for (DatumPtr& item : items_found(b, sample)) items.push_back(std::move(item));
    out.is_mixed = !are_all_alike(items);
  }
  if (out.is_mixed) return;
  for (const Sampled* side : {&a, &b}) {
    note_otherwise(out, side->samples);
    note_otherwise(out, side->otherwise);
  }
}

bool Lattice::may_be_mixed(const std::vector<const Sampled*>& inputs, const Sampled& list) const {
  const auto is_empty = [&](const DatumPtr& sample) { return evaluator_.count(*sample) == 0; };
  const auto holds_others = [](const Sampled* in) { return in->is_mixed || !in->otherwise.empty(); };
  return std::ranges::any_of(inputs, holds_others) && std::ranges::any_of(list.samples, is_empty);
}

// True if both are lists of different length whose items are tensors of one dtype and rank, and of one shape in each
// sample.
bool Lattice::have_items_of_one_form(const Sampled& a, const Sampled& b) const {
  bool of_one_length = true;
  std::optional<Facts> any;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    auto items = evaluator_.items(*a.samples[sample]);
    const auto more = evaluator_.items(*b.samples[sample]);
    of_one_length = of_one_length && items.size() == more.size();
    items.insert(items.end(), more.begin(), more.end());
    if (items.empty()) continue;
    const Facts first = evaluator_.describe(*items.front(), 0);
    if (!first.fixed_dims()) return false;
    if (any && (any->dtype != first.dtype || any->dims->size() != first.dims->size())) return false;
    any = first;
    for (const DatumPtr& item : items) {
      const Facts facts = evaluator_.describe(*item, 0);
      if (facts.dtype != first.dtype || facts.fixed_dims() != first.fixed_dims()) return false;
    }
  }
  return any && !of_one_length;
}

// Returns a list as long as `shown`, with items of the shape of those of `one`, or of `other` if `one` is empty. All
// items have one shape in a sample.
DatumPtr Lattice::in_length_of(const DatumPtr& shown, const ir::Datum& one, const ir::Datum& other) const {
  const std::vector<DatumPtr> items = evaluator_.items(*shown);
  std::vector<DatumPtr> own = evaluator_.items(one);
  if (own.empty()) own = evaluator_.items(other);
  if (items.empty() || own.empty() || is_like(*items.front(), *own.front())) return shown;
  const Facts facts = evaluator_.describe(*own.front(), 0);
  return evaluator_.list(std::vector(items.size(), evaluator_.meta(facts.dtype, *facts.fixed_dims())));
}

// Joins lists of equal length item by item. Unknown if two items are not tensors of one dtype and rank.
Sampled Lattice::join_items(Sampled out, const Sampled& a, const Sampled& b) const {
  if (has_writes_) return {};
  std::vector<std::vector<bool>> differs;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const auto items = evaluator_.items(*a.samples[sample]), others = evaluator_.items(*b.samples[sample]);
    if (items.empty() || items.size() != others.size()) return {};
    differs.resize(std::max(differs.size(), items.size()));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Facts f = evaluator_.describe(*items[i], 0), g = evaluator_.describe(*others[i], 0);
      if (f.dtype != g.dtype || !f.dims || !g.dims || f.dims->size() != g.dims->size()) return {};
      differs[i].resize(std::max(differs[i].size(), f.dims->size()), false);
      for (std::size_t d = 0; d < f.dims->size(); ++d)
        differs[i][d] = differs[i][d] || !(*f.dims)[d].same((*g.dims)[d]);
    }
  }
  require_data_samples();
  CarriedChange change;
  change.items = std::move(differs);
  change.length = shows_lengths(out);
  const bool is_fixed = out.fixed_form && !change.length;
  const std::optional<FixedEnds> ends = out.fixed_ends;
  vary_items(out, change);
  out.fixed_form = is_fixed;
  out.fixed_ends = ends;
  return out;
}

// Joins lists of different length whose items are tensors of one dtype and rank. Unknown for other lists.
Sampled Lattice::join_list_lengths(Sampled out, const Sampled& a, const Sampled& b, const ir::Datum& other) const {
  bool of_one_length = true;
  Facts first;
  std::vector<bool> differs;
  std::vector<std::vector<std::int64_t>> shown;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    auto items = evaluator_.items(*a.samples[sample]);
    const auto more = evaluator_.items(*b.samples[sample]);
    of_one_length = of_one_length && items.size() == more.size();
    items.insert(items.end(), more.begin(), more.end());
    if (items.empty()) items = items_found(out, sample);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Facts facts = evaluator_.describe(*items[i], 0);
      const auto sizes = facts.fixed_dims();
      if (!sizes) return {};
      if (sample == 0 && i == 0) first = facts;
      if (facts.dtype != first.dtype || sizes->size() != first.dims->size()) return {};
      if (i == 0) shown.push_back(*sizes);
      differs.resize(sizes->size(), false);
      for (std::size_t d = 0; d < sizes->size(); ++d) differs[d] = differs[d] || (*sizes)[d] != shown.back()[d];
    }
    if (items.empty()) return {};
  }
  if (of_one_length) return {};
  require_data_samples();
  Sampled item;
  for (const auto& sizes : shown) item.samples.push_back(evaluator_.meta(first.dtype, sizes));
  vary(item, differs);
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const ir::Datum& of_length = sample + 1 == count_ ? other : *out.samples[sample];
    const std::size_t length = std::max<std::size_t>(evaluator_.count(of_length), 1);
    out.samples[sample] = evaluator_.list(std::vector(length, item.samples[sample]));
    if (!out.samples[sample]) return {};
  }
  out.meta = out.varies = out.depends_on_data = true;
  out.fixed_form = false;
  out.items.clear();
  return out;
}

// True if both are tensors of different ranks, or without a known rank.
bool Lattice::have_open_rank(const Facts& f, const Facts& g, const Sampled& a, const Sampled& b) const {
  if (f.dims && g.dims) return f.dims->size() != g.dims->size();
  return evaluator_.describe(*a.samples.front(), 0).dims && evaluator_.describe(*b.samples.front(), 0).dims;
}

// Joins tensors of different ranks: takes samples of b so that each rank occurs. Unknown if data samples are too few.
Sampled Lattice::join_ranks(const Sampled& a, const Sampled& b) const {
  if (!a.meta && b.meta) return join_ranks(b, a);
  require_data_samples();
  constexpr std::size_t kUnknown = SIZE_MAX;
  const auto rank_of = [&](const ir::DatumPtr& sample) {
    const Facts facts = evaluator_.describe(*sample, 0);
    return facts.dims ? facts.dims->size() : kUnknown;
  };
  Sampled out = a;
  out.meta = out.depends_on_data = true;
  out.varies = false;
  std::map<std::size_t, std::size_t> shown;  // number of samples per rank
  for (const ir::DatumPtr& sample : a.samples) ++shown[rank_of(sample)];
  // Whole samples of b are taken, as their sizes belong together. The last sample differs most.
  for (auto sample = b.samples.rbegin(); sample != b.samples.rend(); ++sample) {
    const std::size_t rank = rank_of(*sample);
    if (shown.contains(rank)) continue;
    std::size_t sample_index = count_;
    while (sample_index > count_ - data_count_ && shown.at(rank_of(out.samples[sample_index - 1])) == 1) --sample_index;
    if (sample_index == count_ - data_count_) return {};
    --shown[rank_of(out.samples[sample_index - 1])];
    out.samples[sample_index - 1] = *sample;
    shown[rank] = 1;
    // Also in samples at other sizes: at the example sizes both ranks may have the same number of elements.
    const std::size_t end = count_ - data_count_, share = std::max<std::size_t>((end - 1) / shown.size(), 1);
    std::map<std::size_t, std::size_t> elsewhere = {{rank_of(out.samples.front()), 1}};
    for (std::size_t other = 1; other < end; ++other) ++elsewhere[rank_of(out.samples[other])];
    for (std::size_t other = 1; other < end && elsewhere[rank] < share; ++other) {
      std::size_t& before = elsewhere[rank_of(out.samples[other])];
      if (rank_of(b.samples[other]) != rank || before < 2) continue;
      --before;
      ++elsewhere[rank];
      out.samples[other] = b.samples[other];
    }
  }
  drop_content(out);
  return shown.contains(kUnknown) ? Sampled{} : out;
}

// Returns a sample of b or else of a that differs from `shown` in length or content; b's first sample if none does.
ir::DatumPtr Lattice::another(const ir::Datum& shown, const Sampled& b, const Sampled& a) const {
  const std::size_t count = evaluator_.count(shown);
  const Facts facts = evaluator_.describe(shown);
  const auto differs = [&](const DatumPtr& sample) {
    if (evaluator_.count(*sample) != count) return true;
    const Facts here = evaluator_.describe(*sample);
    return facts.constant && here.constant && !same_constant(*facts.constant, *here.constant);
  };
  for (const Sampled* side : {&b, &a}) {
    const auto found = std::find_if(side->samples.begin(), side->samples.end(), differs);
    if (found != side->samples.end()) return *found;
  }
  return b.samples.front();
}

Sampled Lattice::join(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first) const {
  if (a.unreachable || b.unreachable) return a.unreachable ? b : a;
  Sampled out;
  if (a.known() && b.known()) {
    if (!has_undefined_items(a) && !has_undefined_items(b)) {
      out = join_known(a, b, takes_first);
    } else if (!has_writes_) {
      out = join_known(filled(a, b), filled(b, a), takes_first);
    }
  }
  return out.known() ? out : unknown_of(std::vector{a, b});
}

Sampled Lattice::join_known(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first) const {
  Sampled out = a;
  const bool has_chosen = !takes_first.empty() && (!has_writes_ || evaluator_.describe(*a.samples.front(), 0).dims);
  for (std::size_t sample = 0; has_chosen && sample < count_; ++sample)
    if (!takes_first[sample]) out.samples[sample] = b.samples[sample];
  const bool is_swapped = has_chosen && !takes_first.front();
  const DatumPtr other = another(*out.samples.front(), is_swapped ? a : b, is_swapped ? b : a);
  const Facts f = facts_of(a), g = facts_of(b);
  out.has_open_layout = a.has_open_layout || b.has_open_layout || (has_writes_ && !have_one_layout(a, b));
  out.fixed_form = a.fixed_form && b.fixed_form;
  if (a.fixed_ends || b.fixed_ends) out.fixed_ends = common_ends(fixed_ends_of(a), fixed_ends_of(b));
  if (have_open_rank(f, g, a, b)) return f.dtype == g.dtype ? join_ranks(a, b) : Sampled{};
  const bool is_container = !f.dims && !g.dims;
  if (is_container) {
    join_otherwise(out, a, b);
    if (f.constant && g.constant && same_constant(*f.constant, *g.constant)) return out;
    const bool scalars = f.constant && g.constant && f.constant->value.index() == g.constant->value.index();
    if (!scalars && have_items_of_one_form(a, b)) {
      require_data_samples();
      out.samples.back() = in_length_of(other, *a.samples.back(), *b.samples.back());
      out.varies = out.depends_on_data = true;
      out.meta = a.meta || b.meta;
      out.items.clear();
      out.fixed_form = false;
      if (out.meta) drop_content(out);
      return out;
    }
    if (!scalars && !same_items(a, b)) {
      Sampled of_items = join_items(out, a, b);
      return of_items.known() ? of_items : join_list_lengths(std::move(out), a, b, *other);
    }
    const auto is_empty = [&](const DatumPtr& sample) { return evaluator_.count(*sample) == 0; };
    if (!scalars && std::ranges::all_of(a.samples, is_empty)) return {};
    if (evaluator_.count(*other) != evaluator_.count(*out.samples.front())) out.fixed_form = false;
    // Scalars: the last data sample has the value of the other branch.
    require_data_samples();
    if (scalars || (!a.meta && !b.meta)) out.samples[count_ - 1] = other;
    out.varies = out.depends_on_data = true;
    out.meta = a.meta || b.meta;
    out.items.clear();
    if (out.meta) drop_content(out);
    return out;
  }
  if (f.dtype != g.dtype || !f.dims || !g.dims) return {};
  out.meta = a.meta || b.meta;
  out.depends_on_data = a.depends_on_data || b.depends_on_data;
  if (f.constant && g.constant && same_constant(*f.constant, *g.constant)) return out;
  if (out.meta) {
    if (!a.meta) out.samples = b.samples;  // only one of them has data, so it is dropped
    if (!b.meta) out.samples = a.samples;
  } else {
    out.varies = out.depends_on_data = true;
    out.items.clear();
    const auto same_size = [](const ir::Dim& one, const ir::Dim& other) { return one.same(other); };
    if (std::ranges::equal(*f.dims, *g.dims, same_size)) {
      // The content of a small tensor, such as a size: the last data sample has that of the other branch.
      require_data_samples();
      out.samples[count_ - 1] = other;
      return out;
    }
  }
  std::vector<bool> unknown;
  for (std::size_t d = 0; d < f.dims->size(); ++d) unknown.push_back(!(*f.dims)[d].same((*g.dims)[d]));
  vary(out, unknown);
  return out;
}

}  // namespace tonnx::program
