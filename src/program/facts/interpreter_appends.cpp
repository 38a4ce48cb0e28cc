// Lists whose length follows from sizes: each iteration appends equally many items, and no data decide the trip count.
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "program/facts/interpreter.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kMostItems = 1 << 12;  // in one sample
constexpr int kBitsPerLoop = 3;              // taken off it per enclosing block, as each run rebuilds the list
// Returns the lists that are appended to a carried list to compute its next value, in order. Empty for other values.
std::optional<std::vector<const Value*>> appended_lists(const Value* carried, const Value* next) {
  if (next == carried) return std::vector<const Value*>();
  const Node* node = next->node();
  if (!node || !aten::put_behind(*node)) return std::nullopt;
  auto lists = appended_lists(carried, node->input(0));
  if (lists) lists->push_back(node->input(1));
  return lists;
}

}  // namespace

// Returns the trip count in each sample. Empty if it depends on data or on a condition in the loop.
std::optional<std::vector<std::size_t>> Interpreter::trips_by_size(const Node& loop) {
  const Sampled& trip_count = state_.of(loop.input(0));
  if (!trip_count.known() || trip_count.depends_on_data || state_.certain(loop.input(1)) != true ||
      state_.certain(loop.block(0)->outputs()[0]) != true)
    return std::nullopt;
  const auto by_sample = lattice_.numbers(trip_count);
  if (!by_sample) return std::nullopt;
  std::vector<std::size_t> trips;
  for (std::size_t sample = 0; sample < count_; ++sample)
    trips.push_back(static_cast<std::size_t>(
        std::max(lattice_.is_data_sample(sample) ? by_sample->front() : (*by_sample)[sample], 0.0)));
  return trips;
}

// Returns the items that each of the `shown` iterations between two lists appended. Empty if those of the first `trips`
// iterations, which the program executes, differ in dtype or shape.
std::optional<std::vector<DatumPtr>> Interpreter::appended(const ir::Datum& before_loop, const ir::Datum& after,
                                                           std::size_t shown, std::size_t trips) {
  std::vector<DatumPtr> items = evaluator_.items(after);
  const std::size_t before = evaluator_.count(before_loop);
  if (items.size() < before || (items.size() - before) % shown != 0) return std::nullopt;
  const std::size_t count = (items.size() - before) / shown;
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(before));
  for (std::size_t i = count; i < std::min(shown, trips) * count; ++i)
    if (!lattice_.is_like(*items[i], *items[i - count])) return std::nullopt;
  items.resize(count);
  return items;
}

// Returns a carried list of tensors after the loop, in each sample as long as the sizes require. Empty if its length or
// items depend on anything else. `before_loop` is the list before the loop, `after` the list after the `shown`
// iterations, `change` how they change it.
std::optional<Sampled> Interpreter::grown_by_size(const Node& loop, std::size_t k, const Sampled& before_loop,
                                                  const Sampled& after, std::size_t shown,
                                                  const CarriedChange& change) {
  const ir::Block& body = *loop.block(0);
  const Value* carried = body.inputs()[k + 1];
  if (!carried->type().is_tensor_list() || !before_loop.known() || before_loop.depends_on_data || !after.known() ||
      change.form || shown == 0)
    return std::nullopt;
  const auto added = appended_lists(carried, body.outputs()[k + 1]);
  if (!added || added->empty()) return std::nullopt;
  if (!std::ranges::all_of(*added,
                           [&](const Value* list) { return state_.of(list).known() && !state_.of(list).unreachable; }))
    return std::nullopt;
  const auto trips = trips_by_size(loop);
  if (!trips) return std::nullopt;
  Sampled out;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*before_loop.samples[sample]);
    // The items of the last iteration. In data samples, sizes that depend on data or on the iteration number differ.
    std::vector<DatumPtr> of_iteration;
    if (lattice_.is_data_sample(sample)) {
      for (const Value* list : *added)
        for (DatumPtr& item : evaluator_.items(*state_.of(list).samples[sample]))
          of_iteration.push_back(std::move(item));
    } else if (auto same = appended(*before_loop.samples[sample], *after.samples[sample], shown, (*trips)[sample])) {
      of_iteration = std::move(*same);
    } else {
      return std::nullopt;
    }
    for (DatumPtr& item : of_iteration) {
      const Facts facts = evaluator_.describe(*item, 0);
      const auto sizes = facts.fixed_dims();
      if (!sizes) return std::nullopt;
      item = evaluator_.meta(facts.dtype, *sizes);
    }
    if (items.size() + of_iteration.size() * (*trips)[sample] > kMostItems >>
        std::min(kBitsPerLoop * state_.uncertain, 12))
      return std::nullopt;
    for (std::size_t iteration = 0; iteration < (*trips)[sample]; ++iteration)
      items.insert(items.end(), of_iteration.begin(), of_iteration.end());
    out.samples.push_back(evaluator_.list(items));
    if (!out.samples.back()) return std::nullopt;
  }
  decisions_.note_trips(*lattice_.numbers(state_.of(loop.input(0))));
  out.meta = out.varies = true;
  return out;
}

}  // namespace tonnx::program
