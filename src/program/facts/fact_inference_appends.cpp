// Lists that a loop makes as long as sizes say: each turn appends as many items, and data have no part in how many
// turns there are.
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "program/facts/fact_inference.h"

namespace tonnx::program {

using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kMostItems = 1 << 12;  // in one sample
constexpr int kFewerInside = 3;  // each loop around takes so many bits off it, for all its turns make the list anew

// The lists that are put behind a carried one to make what the turn hands on, in order; nothing if it is made
// otherwise.
std::optional<std::vector<const Value*>> lists_behind(const Value* carried, const Value* handed_on) {
  if (handed_on == carried) return std::vector<const Value*>();
  const Node* node = handed_on->node();
  if (!node || !aten::put_behind(*node)) return std::nullopt;
  auto lists = lists_behind(carried, node->input(0));
  if (lists) lists->push_back(node->input(1));
  return lists;
}

}  // namespace

// How often the loop runs in each sample; nothing where data or a condition in it have a part in that.
std::optional<std::vector<std::size_t>> FactInference::turns_by_size(const Node& loop) {
  const Sampled& trips = of(loop.input(0));
  if (!trips.known() || trips.depends_on_data || certain(loop.input(1)) != true ||
      certain(loop.block(0)->outputs()[0]) != true)
    return std::nullopt;
  const auto by_sample = numbers(trips);
  if (!by_sample) return std::nullopt;
  std::vector<std::size_t> turns;
  for (std::size_t sample = 0; sample < count_; ++sample)
    turns.push_back(
        static_cast<std::size_t>(std::max(is_data_sample(sample) ? by_sample->front() : (*by_sample)[sample], 0.0)));
  return turns;
}

// What each of the `shown` turns between two lists appended; nothing where the first `turns` of them, which there are,
// differ.
std::optional<std::vector<DatumPtr>> FactInference::appended(const ir::Datum& begun, const ir::Datum& after,
                                                             std::size_t shown, std::size_t turns) {
  std::vector<DatumPtr> items = evaluator_.items(after);
  const std::size_t before = evaluator_.count(begun);
  if (items.size() < before || (items.size() - before) % shown != 0) return std::nullopt;
  const std::size_t count = (items.size() - before) / shown;
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(before));
  for (std::size_t i = count; i < std::min(shown, turns) * count; ++i)
    if (!is_like(*items[i], *items[i - count])) return std::nullopt;
  items.resize(count);
  return items;
}

// What the loop leaves of a list of tensors that it carries, as long in each sample as its sizes say; nothing where
// more than they decides on that. `begun` is the list before the loop, `after` that behind the `shown` turns, `change`
// what they do to it.
std::optional<Sampled> FactInference::grown_by_size(const Node& loop, std::size_t k, const Sampled& begun,
                                                    const Sampled& after, std::size_t shown, const Change& change) {
  const ir::Block& body = *loop.block(0);
  const Value* carried = body.inputs()[k + 1];
  if (!carried->type().is_tensor_list() || !begun.known() || begun.depends_on_data || !after.known() || change.form ||
      shown == 0)
    return std::nullopt;
  const auto added = lists_behind(carried, body.outputs()[k + 1]);
  if (!added || added->empty()) return std::nullopt;
  if (!std::ranges::all_of(*added, [&](const Value* list) { return of(list).known() && !of(list).unreachable; }))
    return std::nullopt;
  const auto turns = turns_by_size(loop);
  if (!turns) return std::nullopt;
  Sampled out;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    std::vector<DatumPtr> items = evaluator_.items(*begun.samples[sample]);
    // Sizes that depend on data, as on which turn it is, are others in the data samples.
    std::vector<DatumPtr> of_turn;
    if (is_data_sample(sample)) {
      for (const Value* list : *added)
        for (DatumPtr& item : evaluator_.items(*of(list).samples[sample])) of_turn.push_back(std::move(item));
    } else if (auto same = appended(*begun.samples[sample], *after.samples[sample], shown, (*turns)[sample])) {
      of_turn = std::move(*same);
    } else {
      return std::nullopt;
    }
    for (DatumPtr& item : of_turn) {
      const Facts facts = evaluator_.describe(*item, 0);
      const auto sizes = facts.fixed_dims();
      if (!sizes) return std::nullopt;
      item = evaluator_.meta(facts.dtype, *sizes);
    }
    if (items.size() + of_turn.size() * (*turns)[sample] > kMostItems >> std::min(kFewerInside * uncertain_, 12))
      return std::nullopt;
    for (std::size_t turn = 0; turn < (*turns)[sample]; ++turn)
      items.insert(items.end(), of_turn.begin(), of_turn.end());
    out.samples.push_back(evaluator_.list(items));
    if (!out.samples.back()) return std::nullopt;
  }
  if (thresholds_) note_turns(*numbers(of(loop.input(0))));
  out.meta = out.varies = true;
  return out;
}

}  // namespace tonnx::program
