// Loops. Iterates exactly while the loop condition is known in every run, then abstractly until a fixpoint.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/facts/interpreter.h"
#include "program/facts/marks.h"

namespace tonnx::program {

using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::int64_t kIterations = 4096;  // evaluated exactly, at most
}  // namespace

bool Interpreter::visit_loop(const Node& node) {
  const ir::Block& body = *node.block(0);
  std::vector<Sampled> carried;
  for (std::size_t i = 2; i < node.input_count(); ++i) carried.push_back(state_.of(node.input(i)));
  const auto trips = state_.certain_integer(node.input(0));
  auto condition = state_.certain(node.input(1));
  std::int64_t i = 0;
  for (; trips && condition && *condition && i < *trips; ++i) {
    if (i == kIterations) return loop_unknown(node, std::move(carried), i);
    state_.record(body.inputs()[0], lattice_.number(i));
    for (std::size_t k = 0; k < carried.size(); ++k) state_.record(body.inputs()[k + 1], carried[k]);
    if (!run_block(body)) return false;
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = state_.of(body.outputs()[k + 1]);
    condition = state_.certain(body.outputs()[0]);
  }
  const bool is_over = trips && i >= *trips;
  if (!is_over && (!trips || !condition)) return loop_unknown(node, std::move(carried), i);
  auto& known = state_.found.marks.loops[body.inputs()[0]].trip_count;
  known = !known || *known == i ? i : std::int64_t{-1};
  for (std::size_t k = 0; k < carried.size(); ++k) state_.record(node.output(k), carried[k]);
  return true;
}

// True if the sizes of the sample alone prevent the loop from being entered.
bool Interpreter::never_enters(const Node& loop, std::size_t sample) const {
  const Sampled &trips = state_.of(loop.input(0)), &condition = state_.of(loop.input(1));
  const auto is_size_only = [](const Sampled& sampled) { return sampled.known() && !sampled.depends_on_data; };
  return (is_size_only(trips) && state_.constant_in<std::int64_t>(trips, sample).value_or(1) <= 0) ||
         (is_size_only(condition) && state_.constant_in<bool>(condition, sample) == false);
}

// Evaluates iterations, each from the values that the one before left. Properties in `changes` are unknown in all.
Interpreter::Iterations Interpreter::run_iterations(const Node& loop, const std::vector<Sampled>& carried,
                                                    const std::vector<CarriedChange>& changes, std::int64_t first) {
  const ir::Block& body = *loop.block(0);
  const AbstractState::Reach reach(state_);
  for (std::size_t sample = 0; sample < count_; ++sample)
    if (never_enters(loop, sample)) state_.unreached[sample] = true;
  constexpr std::size_t kShown = 3;
  Iterations iterations = {carried};
  const int outer_depth = state_.iteration_depth;
  const bool outer_further = state_.further_iteration;
  state_.iteration_depth = ++state_.uncertain;
  for (std::size_t iteration = 0; iteration < kShown; ++iteration) {
    Sampled index = lattice_.number(first + static_cast<std::int64_t>(iteration));
    index.varies = index.depends_on_data = true;
    state_.record(body.inputs()[0], std::move(index));
    for (std::size_t k = 0; k < carried.size(); ++k) {
      Sampled& now = iterations.back()[k];
      lattice_.vary_carried(now, changes[k], body.inputs()[k + 1]->type());
      if (now.fixed_ends) now.fixed_ends = lattice_.common_ends(*now.fixed_ends, lattice_.fixed_ends_of(carried[k]));
      state_.record(body.inputs()[k + 1], now);
    }
    state_.further_iteration = outer_further || iteration > 0;
    if (!run_uncertain(body)) break;
    std::vector<Sampled> next;
    for (std::size_t k = 0; k < carried.size(); ++k) next.push_back(state_.of(body.outputs()[k + 1]));
    iterations.push_back(std::move(next));
  }
  state_.further_iteration = outer_further;
  state_.iteration_depth = outer_depth;
  --state_.uncertain;
  return iterations;
}

// Notes the changes between the iterations. Returns true if one is new. The caller repeats until a fixpoint, so values
// that move one variable per iteration are covered.
bool Interpreter::note_changes(const Node& loop, Iterations& iterations, std::vector<CarriedChange>& changes) {
  bool found = false;
  const ir::Block& body = *loop.block(0);
  const auto note = [&](bool& mark) {
    found = found || !mark;
    mark = true;
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    CarriedChange& change = changes[k];
    std::size_t first = 0;
    while (first + 1 < iterations.size() && iterations[first][k].unreachable) ++first;
    Sampled& start = iterations[first][k];
    for (std::size_t t = first + 1; t < iterations.size(); ++t)
      if (!change.any_dtype && !iterations[t][k].unreachable &&
          lattice_.dtype_of(iterations[t][k]) != lattice_.dtype_of(start)) {
        change.any_dtype = true;
        found = found || !start.known();
      }
    if (!start.known() || start.unreachable) continue;
    const Facts before = lattice_.note_facts(start);
    if (before.dims && change.dims.empty()) change.dims.assign(before.dims->size(), false);
    for (std::size_t t = first + 1; t < iterations.size(); ++t) {
      Sampled& later = iterations[t][k];
      if (later.unreachable || change.form) continue;
      if (later.known() && (lattice_.has_undefined_items(start) || lattice_.has_undefined_items(later))) {
        if (has_writes_) {
          note(change.form);
          continue;
        }
        start = lattice_.filled(start, later);
        later = lattice_.filled(later, start);
      }
      const Facts after = lattice_.note_facts(later);
      const bool same_form = later.known() && after.dtype == before.dtype &&
                             after.dims.has_value() == before.dims.has_value() &&
                             (!after.dims || after.dims->size() == before.dims->size());
      const bool are_fresh =
          is_only_passed_through(*loop.input(k + 2)) && is_only_passed_through(*body.outputs()[k + 1]);
      if (!same_form || (!are_fresh && heap_.is_either(body.inputs()[k + 1], loop.input(k + 2), body.outputs()[k + 1],
                                                       start, later))) {
        const bool are_known = later.known() && before.dims && after.dims;
        change.dtype = are_known && after.dtype != before.dtype;
        change.rank = are_known && after.dims->size() != before.dims->size();
        note(change.form);
        continue;
      }
      if (!before.dims && lattice_.note_item_changes(start, later, change)) found = true;
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
bool Interpreter::loop_unknown(const Node& node, std::vector<Sampled> carried, std::int64_t first) {
  lattice_.require_data_samples();
  const ir::Block& body = *node.block(0);
  LoopFacts& known = state_.found.marks.loops[body.inputs()[0]];
  known.trip_count = -1;
  heap_.invalidate_written_containers(body);
  for (std::size_t k = 0; k < carried.size(); ++k) {
    // A list that the body writes to is unknown.
    const Value* inner = body.inputs()[k + 1];
    if (inner->type().is(Type::Kind::Tensor)) continue;
    const bool written = std::any_of(inner->uses().begin(), inner->uses().end(),
                                     [](const ir::Use& use) { return writes_argument(*use.node, use.index); });
    if (written || (first == 0 && !state_.of(node.input(k + 2)).known())) carried[k] = Sampled{};
  }
  std::vector<CarriedChange> changes(carried.size());
  const std::vector<Sampled> before_loop = carried;
  const Iterations iterations = iterations_at_fixpoint(node, std::move(carried), changes, first);
  known.changes_dtype = std::ranges::any_of(changes, &CarriedChange::dtype);
  known.other_ranks.clear();
  for (std::size_t k = 0; k < changes.size(); ++k)
    if (changes[k].rank) known.other_ranks.push_back(body.inputs()[k + 1]->id());
  for (std::size_t k = 0; k < changes.size(); ++k) {
    std::vector<Sampled> states;  // the value before each iteration and after the last
    for (const auto& iteration : iterations) states.push_back(iteration[k]);
    Sampled result = value_after_loop(std::move(states), changes[k], node.output(k)->type());
    auto grown = first == 0 && result.known()
                     ? grown_by_size(node, k, before_loop[k], iterations.back()[k], iterations.size() - 1, changes[k])
                     : std::nullopt;
    if (grown) {
      grown->fixed_ends = result.fixed_ends;
      result = std::move(*grown);
    }
    state_.record(node.output(k), std::move(result));
  }
  return true;
}

// Returns the iterations at the fixpoint, when they show no further change. `changes` is then complete.
Interpreter::Iterations Interpreter::iterations_at_fixpoint(const Node& loop, std::vector<Sampled> carried,
                                                            std::vector<CarriedChange>& changes, std::int64_t first) {
  const ir::Block& body = *loop.block(0);
  const auto drop_carried = [&](const std::vector<Sampled>& iteration) {
    for (std::size_t k = 0; k < iteration.size(); ++k)
      if (body.inputs()[k + 1] != body.outputs()[k + 1])
        heap_.drop_content_of_phi(body.inputs()[k + 1], iteration[k], Sampled{});
  };
  drop_carried(carried);
  const std::size_t before = heap_.invalid_count();
  Iterations iterations;
  bool has_written = false;
  bool again = true;
  while (again) {
    const std::size_t settings = heap_.changing_nodes();
    iterations = run_iterations(loop, carried, changes, first);
    heap_.invalidate_uncertain_writes();
    again = note_changes(loop, iterations, changes) || heap_.changing_nodes() > settings;
    if (begin_with_reached(carried, iterations)) again = true;
    // A write through an alias in one iteration has happened when the next one begins.
    if (!has_written && heap_.invalid_count() > before) {
      has_written = again = true;
      for (Sampled& sampled : carried) heap_.invalidate(sampled);
    }
  }
  for (const auto& iteration : iterations) drop_carried(iteration);
  return iterations;
}

// Joins the states of one loop-carried value to its value after the loop.
Sampled Interpreter::value_after_loop(std::vector<Sampled> iterations, const CarriedChange& change, const Type& type) {
  // An iteration that never completes has no values. If there is none, the initial value passes through.
  const auto reached = std::find_if(iterations.rbegin(), iterations.rend() - 1,
                                    [](const Sampled& iteration) { return !iteration.unreachable; });
  Sampled out = *reached;
  if (out.unreachable) return out;
  Sampled unknown = lattice_.unknown_of(iterations);
  for (Sampled& iteration : iterations) {
    if (iteration.unreachable) iteration = out;
    if (!iteration.known()) return unknown;
    if (lattice_.has_undefined) out = lattice_.filled(std::move(out), iteration);
  }
  const Facts facts = lattice_.note_facts(out);
  const bool is_of_open_rank = !facts.dims && type.is(Type::Kind::Tensor);
  if (is_of_open_rank || (facts.dims && !facts.dims->empty())) {
    for (const Sampled& iteration : iterations) {
      if (!out.known()) break;
      out = lattice_.join(out, iteration);
    }
    return out;
  }
  // Scalars and lists: each data sample has another trip count, if the example sizes allow one.
  bool equal = facts.constant != nullptr;
  for (const Sampled& other : iterations) {
    const Facts f = lattice_.facts_of(other);
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
      lattice_.join_otherwise(out, before, iteration);
    }
  }
  lattice_.vary_items(out, change);
  for (const Sampled& iteration : iterations)
    if (out.fixed_ends) out.fixed_ends = lattice_.common_ends(*out.fixed_ends, lattice_.fixed_ends_of(iteration));
  if (change.length || !change.items.empty()) return out;
  for (std::size_t d = 0; d < data_count_; ++d)
    out.samples[count_ - data_count_ + d] = iterations[d == 0 ? 0 : iterations.size() / 2].samples.front();
  return out;
}

// Replaces undefined parts of the loop-carried values by those of later iterations. Returns true if anything changed.
bool Interpreter::begin_with_reached(std::vector<Sampled>& carried,
                                     const std::vector<std::vector<Sampled>>& iterations) const {
  bool found = false;
  for (std::size_t k = 0; k < carried.size(); ++k) {
    for (const std::vector<Sampled>& iteration : iterations) {
      if (iteration[k].unreachable || (!carried[k].unreachable && !lattice_.has_undefined_items(carried[k]))) continue;
      if (carried[k].unreachable || !iteration[k].known()) {
        carried[k] = iteration[k];
        found = true;
        continue;
      }
      Sampled now = lattice_.filled(carried[k], iteration[k]);
      found = found || now.samples != carried[k].samples;
      carried[k] = std::move(now);
    }
  }
  return found;
}

}  // namespace tonnx::program
