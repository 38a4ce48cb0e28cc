// Loops. Iterates exactly while the loop condition is known in every run, then abstractly until a fixpoint.
#include <algorithm>
#include <cstdint>

#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/facts/fact_inference.h"
#include "program/facts/marks.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kIterations = 4096;  // evaluated exactly, at most

}  // namespace

bool FactInference::visit_loop(Node& node) {
  const ir::Block& body = *node.block(0);
  std::vector<Sampled> carried;
  for (std::size_t i = 2; i < node.input_count(); ++i) carried.push_back(of(node.input(i)));
  const auto trips = certain_integer(node.input(0));
  auto condition = certain(node.input(1));
  std::int64_t i = 0;
  for (; trips && condition && *condition && i < *trips; ++i) {
    if (i == kIterations) return loop_unknown(node, std::move(carried), i);
    record(body.inputs()[0], number(i));
    for (std::size_t k = 0; k < carried.size(); ++k) record(body.inputs()[k + 1], carried[k]);
    if (!run_block(body)) return false;
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = of(body.outputs()[k + 1]);
    condition = certain(body.outputs()[0]);
  }
  const bool is_over = trips && i >= *trips;
  if (!is_over && (!trips || !condition)) return loop_unknown(node, std::move(carried), i);
  const auto* before = node.attribute_as<std::int64_t>(kTripCount);
  node.set_attribute(kTripCount, !before || *before == i ? i : std::int64_t{-1});
  for (std::size_t k = 0; k < carried.size(); ++k) record(node.output(k), carried[k]);
  return true;
}

// True if the sizes of the sample alone prevent the loop from being entered.
bool FactInference::enters_never(const Node& loop, std::size_t sample) const {
  const auto constant = [&](const Value* value) {
    const Sampled& sampled = of(value);
    const bool is_size_only = sampled.known() && !sampled.depends_on_data;
    return is_size_only ? evaluator_.describe(*sampled.samples[sample]).constant : nullptr;
  };
  const auto trips = constant(loop.input(0)), condition = constant(loop.input(1));
  const std::int64_t* count = trips ? trips->get<std::int64_t>() : nullptr;
  const bool* enters = condition ? condition->get<bool>() : nullptr;
  return (count && *count <= 0) || (enters && !*enters);
}

// Evaluates iterations, each from the values that the one before left. Properties in `changes` are unknown in all.
FactInference::Turns FactInference::run_turns(const Node& loop, const std::vector<Sampled>& carried,
                                              const std::vector<Change>& changes, std::int64_t first) {
  const ir::Block& body = *loop.block(0);
  const Reach reach(*this);
  for (std::size_t sample = 0; sample < count_; ++sample)
    if (enters_never(loop, sample)) unreached_[sample] = true;
  constexpr std::size_t kShown = 3;
  Turns iterations = {carried};
  const int outer_depth = turn_depth_;
  const bool outer_further = further_turn_;
  turn_depth_ = ++uncertain_;
  for (std::size_t iteration = 0; iteration < kShown; ++iteration) {
    Sampled index = number(first + static_cast<std::int64_t>(iteration));
    index.varies = index.depends_on_data = true;
    record(body.inputs()[0], std::move(index));
    for (std::size_t k = 0; k < carried.size(); ++k) {
      Sampled& now = iterations.back()[k];
      show_change(now, changes[k], body.inputs()[k + 1]->type());
      if (now.settled) now.settled = of_both(*now.settled, settled_of(carried[k]));
      record(body.inputs()[k + 1], now);
    }
    further_turn_ = outer_further || iteration > 0;
    if (!run_uncertain(body)) break;
    std::vector<Sampled> next;
    for (std::size_t k = 0; k < carried.size(); ++k) next.push_back(of(body.outputs()[k + 1]));
    iterations.push_back(std::move(next));
  }
  further_turn_ = outer_further;
  turn_depth_ = outer_depth;
  --uncertain_;
  return iterations;
}

void FactInference::show_change(Sampled& sampled, const Change& change, const Type& type) {
  if (!sampled.known()) return;
  if (change.form) {
    const DType dtype = change.any_dtype ? DType::Undefined : dtype_of(sampled);
    sampled = Sampled{};
    sampled.dtype = dtype;
    return;
  }
  const Facts facts = facts_of(sampled);
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
  if (facts.dims && facts.dims->size() == change.dims.size()) perturb(sampled, change.dims);
  if (type.is(Type::Kind::List)) show_item_changes(sampled, change);
}

// Notes how the items of two lists, and items in them, differ in number and sizes. Returns true if anything is new.
bool FactInference::note_item_changes(const Sampled& before, const Sampled& after, Change& change) {
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

// Changes the lengths, and the sizes of tensors, in the data samples of a list as `change` says.
void FactInference::show_item_changes(Sampled& list, const Change& change) {
  const bool resized = std::any_of(change.items.begin(), change.items.end(), [](const std::vector<bool>& dims) {
    return std::find(dims.begin(), dims.end(), true) != dims.end();
  });
  if (!change.length && !resized) return;
  if (change.length) list.settled = change.shrinks ? Settled{} : Settled{.front = settled_of(list).front};
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
void FactInference::note_otherwise(Sampled& list, const std::vector<DatumPtr>& filled) {
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

// Notes the changes between the iterations. Returns true if one is new. The caller repeats until a fixpoint, so values
// that move one variable per iteration are covered.
bool FactInference::note_changes(const Node& loop, Turns& iterations, std::vector<Change>& changes) {
  bool found = false;
  const ir::Block& body = *loop.block(0);
  const auto note = [&](bool& mark) {
    found = found || !mark;
    mark = true;
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Change& change = changes[k];
    std::size_t first = 0;
    while (first + 1 < iterations.size() && iterations[first][k].unreachable) ++first;
    Sampled& start = iterations[first][k];
    for (std::size_t t = first + 1; t < iterations.size(); ++t)
      if (!change.any_dtype && !iterations[t][k].unreachable && dtype_of(iterations[t][k]) != dtype_of(start)) {
        change.any_dtype = true;
        found = found || !start.known();
      }
    if (!start.known() || start.unreachable) continue;
    const Facts before = facts_of(start);
    if (before.dims && change.dims.empty()) change.dims.assign(before.dims->size(), false);
    for (std::size_t t = first + 1; t < iterations.size(); ++t) {
      Sampled& later = iterations[t][k];
      if (later.unreachable || change.form) continue;
      if (later.known() && (holds_never(start) || holds_never(later))) {
        if (has_writes_) {
          note(change.form);
          continue;
        }
        start = filled(start, later);
        later = filled(later, start);
      }
      const Facts after = facts_of(later);
      const bool same_form = later.known() && after.dtype == before.dtype &&
                             after.dims.has_value() == before.dims.has_value() &&
                             (!after.dims || after.dims->size() == before.dims->size());
      const bool are_fresh = is_only_handed_on(*loop.input(k + 2)) && is_only_handed_on(*body.outputs()[k + 1]);
      if (!same_form ||
          (!are_fresh && is_either(body.inputs()[k + 1], loop.input(k + 2), body.outputs()[k + 1], start, later))) {
        const bool are_known = later.known() && before.dims && after.dims;
        change.dtype = are_known && after.dtype != before.dtype;
        change.rank = are_known && after.dims->size() != before.dims->size();
        note(change.form);
        continue;
      }
      if (!before.dims && note_item_changes(start, later, change)) found = true;
      const bool same_value = before.constant && after.constant && same_constant(*before.constant, *after.constant);
      const bool shows = !start.meta && !start.varies;
      if (shows && (later.varies || later.meta || (before.constant && !same_value))) note(change.value);
      for (std::size_t d = 0; after.dims && d < change.dims.size(); ++d)
        if (!change.dims[d] && !(*before.dims)[d].is_unknown() && !(*after.dims)[d].same((*before.dims)[d])) {
          found = true;
          change.dims[d] = true;
        }
    }
  }
  return found;
}

// The remaining iterations of a loop whose trip count or condition is not known.
bool FactInference::loop_unknown(Node& node, std::vector<Sampled> carried, std::int64_t first) {
  require_data_samples();
  node.set_attribute(kTripCount, std::int64_t{-1});
  const ir::Block& body = *node.block(0);
  forget_written_lists(body);
  for (std::size_t k = 0; k < carried.size(); ++k) {
    // A list that the body writes to is unknown.
    const Value* inner = body.inputs()[k + 1];
    if (inner->type().is(Type::Kind::Tensor)) continue;
    const bool written = std::any_of(inner->uses().begin(), inner->uses().end(),
                                     [](const ir::Use& use) { return writes_argument(*use.node, use.index); });
    if (written || (first == 0 && !of(node.input(k + 2)).known())) carried[k] = Sampled{};
  }
  std::vector<Change> changes(carried.size());
  const std::vector<Sampled> before_loop = carried;
  const Turns iterations = settled_turns(node, std::move(carried), changes, first);
  node.remove_attribute(kDtypeChanges);
  if (std::any_of(changes.begin(), changes.end(), [](const Change& change) { return change.dtype; }))
    node.set_attribute(kDtypeChanges, std::int64_t{1});
  std::vector<std::int64_t> ranks;
  for (std::size_t k = 0; k < changes.size(); ++k)
    if (changes[k].rank) ranks.push_back(static_cast<std::int64_t>(k));
  node.set_attribute(kRankChanges, std::move(ranks));
  for (std::size_t k = 0; k < changes.size(); ++k) {
    std::vector<Sampled> states;  // the value before each iteration and after the last
    for (const auto& iteration : iterations) states.push_back(iteration[k]);
    Sampled result = after_turns(std::move(states), changes[k], node.output(k)->type());
    auto grown = first == 0 && result.known()
                     ? grown_by_size(node, k, before_loop[k], iterations.back()[k], iterations.size() - 1, changes[k])
                     : std::nullopt;
    if (grown) {
      grown->settled = result.settled;
      result = std::move(*grown);
    }
    record(node.output(k), std::move(result));
  }
  return true;
}

// Returns the iterations at the fixpoint, when they show no further change. `changes` is then complete.
FactInference::Turns FactInference::settled_turns(const Node& loop, std::vector<Sampled> carried,
                                                  std::vector<Change>& changes, std::int64_t first) {
  const ir::Block& body = *loop.block(0);
  const auto forget_carried = [&](const std::vector<Sampled>& iteration) {
    for (std::size_t k = 0; k < iteration.size(); ++k)
      if (body.inputs()[k + 1] != body.outputs()[k + 1]) forget_chosen(body.inputs()[k + 1], iteration[k], Sampled{});
  };
  forget_carried(carried);
  const auto spoiled = [&] { return spoiled_.size() + spoiled_entries_.size(); };
  const std::size_t before = spoiled();
  Turns iterations;
  bool has_written = false;
  bool again = true;
  while (again) {
    const std::size_t settings = open_settings_.size();
    iterations = run_turns(loop, carried, changes, first);
    forget_uncertain_writes();
    again = note_changes(loop, iterations, changes) || open_settings_.size() > settings;
    if (begin_with_reached(carried, iterations)) again = true;
    // A write through an alias in one iteration has happened when the next one begins.
    if (!has_written && spoiled() > before) {
      has_written = again = true;
      for (Sampled& sampled : carried) spoil(sampled);
    }
  }
  for (const auto& iteration : iterations) forget_carried(iteration);
  return iterations;
}

// Joins the states of one loop-carried value to its value after the loop.
Sampled FactInference::after_turns(std::vector<Sampled> iterations, const Change& change, const Type& type) {
  // An iteration that never completes has no values. If there is none, the initial value passes through.
  const auto reached = std::find_if(iterations.rbegin(), iterations.rend() - 1,
                                    [](const Sampled& iteration) { return !iteration.unreachable; });
  Sampled out = *reached;
  if (out.unreachable) return out;
  Sampled unknown = unknown_of(iterations);
  for (Sampled& iteration : iterations) {
    if (iteration.unreachable) iteration = out;
    if (!iteration.known()) return unknown;
    if (has_never_) out = filled(std::move(out), iteration);
  }
  const Facts facts = facts_of(out);
  const bool is_of_open_rank = !facts.dims && type.is(Type::Kind::Tensor);
  if (is_of_open_rank || (facts.dims && !facts.dims->empty())) {
    for (const Sampled& iteration : iterations) {
      if (!out.known()) break;
      out = join(out, iteration);
    }
    return out;
  }
  // Scalars and lists: each data sample has another trip count, if the example sizes allow one.
  bool equal = facts.constant != nullptr;
  for (Sampled other : iterations) {
    const Facts f = facts_of(other);
    if (f.dtype != facts.dtype || f.dims.has_value() != facts.dims.has_value()) return unknown;
    equal = equal && f.constant && same_constant(*f.constant, *facts.constant);
  }
  if (equal || iterations.size() == 1 || (facts.dims && out.meta)) return out;
  out.varies = out.depends_on_data = true;
  out.items.clear();
  out.fixed_form = false;
  if (type.is(Type::Kind::List)) {
    for (const Sampled& iteration : iterations) {
      const Sampled before = out;
      join_otherwise(out, before, iteration);
    }
  }
  show_item_changes(out, change);
  for (const Sampled& iteration : iterations)
    if (out.settled) out.settled = of_both(*out.settled, settled_of(iteration));
  if (change.length || !change.items.empty()) return out;
  for (std::size_t d = 0; d < data_count_; ++d)
    out.samples[count_ - data_count_ + d] = iterations[d == 0 ? 0 : iterations.size() / 2].samples.front();
  return out;
}

}  // namespace tonnx::program
