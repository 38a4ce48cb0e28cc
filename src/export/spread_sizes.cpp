#include "export/spread_sizes.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <limits>
#include <utility>

namespace tonnx::exporting {

namespace {

constexpr double kShare = 0.1;       // of the cost of the runs near the example
constexpr double kFreeCost = 128e6;  // bytes
constexpr double kFreeSeconds = 0.25;

// Smallest and largest size of the symbol so far.
std::pair<std::int64_t, std::int64_t> range_of(const program::ChosenSizes& chosen, std::size_t symbol) {
  std::pair<std::int64_t, std::int64_t> range = {chosen.runs[0][symbol], chosen.runs[0][symbol]};
  for (const auto& run : chosen.runs) range = {std::min(range.first, run[symbol]), std::max(range.second, run[symbol])};
  return range;
}

// Powers of four or their neighbours, since code may behave the same at all powers of two, and powers of ten, which are
// common limits.
std::vector<std::int64_t> sweep() {
  std::vector<std::int64_t> sizes = {100, 1000};
  constexpr std::int64_t kBeside[] = {0, 1, -1};
  for (int power = 2; power < 62; power += 2) sizes.push_back((std::int64_t{1} << power) + kBeside[power / 2 % 3]);
  std::ranges::sort(sizes);
  return sizes;
}

// Processor time of this thread, so that other processes do not count.
double seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool is_view(const ir::Node& node) {
  return node.schema() && !node.schema()->returns.empty() && !node.schema()->returns[0].alias_set.empty();
}

}  // namespace

SpreadSizes::Cost SpreadSizes::cost_of(const ir::Graph& graph) {
  constexpr double kOperator = 65536, kElement = 4;
  Cost cost;
  const auto add = [&](const ir::Value& value) {
    const auto dims = value.facts().fixed_dims();
    if (!dims) return;
    double elements = kElement;
    for (const std::int64_t dim : *dims) elements *= static_cast<double>(dim);
    cost.results += elements;
  };
  for (const ir::Value* input : graph.inputs()) add(*input);
  for (const ir::Value* weight : graph.weights()) cost.fixed += static_cast<double>(weight->weight()->bytes());
  for_each_node(graph.block(), [&](const ir::Node* node) {
    if (node->is("prim::Constant")) return;
    cost.fixed += kOperator;
    if (!is_view(*node))
      for (const ir::Value* output : node->outputs()) add(*output);
  });
  return cost;
}

SpreadSizes::SpreadSizes(std::int64_t largest) : largest_(largest), start_(seconds()), joint_bound_(largest) {}

void SpreadSizes::ran_near(const Cost& cost) {
  if (!example_) example_ = cost;
  spent_before_ += cost.fixed + cost.results;
}

// Large steps upwards, then sizes between them, then downwards: so differences are found early and at little cost.
void SpreadSizes::plan(const program::ChosenSizes& chosen) {
  example_sizes_ = chosen.runs[0];
  const std::size_t symbols = example_sizes_.size();
  results_.resize(symbols);
  low_.assign(symbols, 0);
  high_.assign(symbols, std::numeric_limits<std::int64_t>::max());
  for (std::size_t k = 0; k < symbols; ++k) {
    const auto [least, most] = range_of(chosen, k);
    const std::int64_t step = chosen.multiples[k];
    std::vector<std::int64_t> sizes;
    const auto add = [&](std::int64_t size) {
      const std::int64_t rounded = (size + step - 1) / step * step;
      if (rounded < 2 || (rounded > largest_ && rounded > most)) return;
      if (std::find(sizes.begin(), sizes.end(), rounded) == sizes.end()) sizes.push_back(rounded);
    };
    if (most < largest_) {
      for (const std::int64_t size : sweep())
        if (size > most && size < largest_) add(size);
      add(largest_ / step * step);
      for (std::int64_t size = 4; size <= largest_ / 2; size *= 2)
        if (size > most) add(size);
    }
    std::vector<std::int64_t> below;
    for (std::int64_t size = 2; size < least; size *= 2) below.insert(below.begin(), size);
    for (std::size_t i = 0; i < below.size(); ++i) add(below[i] + (i % 2 == 1 && below[i] + 1 < least ? 1 : 0));
    for (const std::int64_t size : sizes) candidates_.push_back({k, size});
    results_[k][example_sizes_[k]] = example_->results;
  }
}

std::optional<SpreadSizes::Sizes> SpreadSizes::next(const program::ChosenSizes& chosen) {
  if (largest_ < 2) return std::nullopt;
  if (!spread_start_) {
    near_seconds_ = seconds() - start_;
    spread_start_ = seconds();
    plan(chosen);
  }
  for (; at_ < candidates_.size(); ++at_) {
    const Candidate& candidate = candidates_[at_];
    if (!is_useful(candidate, chosen) || !is_affordable(candidate, chosen.runs[0].size())) continue;
    Sizes sizes = chosen.runs[0];
    sizes[candidate.symbol] = candidate.size;
    run_start_ = seconds();
    return sizes;
  }
  auto joint = next_joint(chosen);
  run_start_ = seconds();
  return joint;
}

// The largest sizes that may be run together, each one that ran alone. What a symbol multiplies the results by alone,
// it multiplies those of the others by.
std::optional<SpreadSizes::Sizes> SpreadSizes::next_joint(const program::ChosenSizes& chosen) {
  for (; joint_bound_ > 1 && results_.size() > 1; joint_bound_ /= 2) {
    Sizes joint = example_sizes_;
    double expected = example_->results;
    std::size_t raised = 0;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      const auto above = results_[k].upper_bound(joint_bound_);
      if (above == results_[k].begin()) continue;
      const auto& [size, results] = *std::prev(above);
      if (size <= example_sizes_[k]) continue;
      joint[k] = size;
      expected *= std::max(1.0, results / std::max(1.0, example_->results));
      ++raised;
    }
    const bool is_known = std::ranges::find(chosen.runs, joint) != chosen.runs.end();
    if (raised < 2 || is_known) continue;
    const double allowed = std::max(kFreeCost, kShare * spent_before_) - spent_;
    const double allowed_seconds = std::max(kFreeSeconds, kShare * near_seconds_);
    const bool has_time = seconds() - *spread_start_ + last_seconds_ <= allowed_seconds;
    if (!has_time || example_->fixed + expected > allowed) continue;
    joint_bound_ = *std::ranges::max_element(joint);
    return joint;
  }
  return std::nullopt;
}

// Sizes next to one that was run add no information.
bool SpreadSizes::is_useful(const Candidate& candidate, const program::ChosenSizes& chosen) const {
  const auto& [k, size] = candidate;
  if (size <= low_[k] || size >= high_[k]) return false;
  return std::none_of(chosen.runs.begin(), chosen.runs.end(), [&, k = k, size = size](const Sizes& run) {
    return run[k] == size || (std::abs(run[k] - size) == 1 && run[k] != chosen.runs[0][k] && size > 8);
  });
}

// In nearly all programs, results grow at most with the square of a size.
double SpreadSizes::expected_results(const Candidate& candidate) const {
  const auto& known = results_[candidate.symbol];
  const auto above = known.lower_bound(candidate.size);
  if (above != known.end()) return above->second;
  const auto& [size, results] = *known.rbegin();
  const double growth = static_cast<double>(candidate.size) / static_cast<double>(std::max<std::int64_t>(size, 1));
  return results * growth * growth;
}

double SpreadSizes::expected_seconds(const Candidate& candidate) const {
  const auto& known = results_[candidate.symbol];
  const std::int64_t most = std::max<std::int64_t>(known.rbegin()->first, 1);
  return last_seconds_ * std::max(1.0, static_cast<double>(candidate.size) / static_cast<double>(most));
}

// Each symbol has a share of the budget; the next symbols may use what is left.
bool SpreadSizes::is_affordable(const Candidate& candidate, std::size_t symbols) const {
  const double allowed = std::max(kFreeCost, kShare * spent_before_);
  const double left = (allowed - spent_) / static_cast<double>(symbols - candidate.symbol);
  if (example_->fixed + expected_results(candidate) > left) return false;
  const double allowed_seconds = std::max(kFreeSeconds, kShare * near_seconds_);
  return seconds() - *spread_start_ + expected_seconds(candidate) <= allowed_seconds;
}

void SpreadSizes::ran(const Cost& cost) {
  if (at_ == candidates_.size()) {
    joint_bound_ = 0;
    return;
  }
  const Candidate& candidate = candidates_[at_++];
  last_seconds_ = seconds() - run_start_;
  spent_ += cost.fixed + cost.results;
  results_[candidate.symbol][candidate.size] = cost.results;
}

void SpreadSizes::failed() {
  if (at_ == candidates_.size()) {
    --joint_bound_;
    spent_ += example_->fixed;
    return;
  }
  const Candidate& candidate = candidates_[at_++];
  spent_ += example_->fixed;
  if (candidate.size > example_sizes_[candidate.symbol])
    high_[candidate.symbol] = std::min(high_[candidate.symbol], candidate.size);
  else
    low_[candidate.symbol] = std::max(low_[candidate.symbol], candidate.size);
}

}  // namespace tonnx::exporting
