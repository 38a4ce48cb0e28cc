#include "program/traces/choose_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

namespace tonnx::program {

namespace {

// Successive targets: factor * example + offset. Large sizes cost time, so their targets are close to the example.
struct Distance {
  double factor;
  std::int64_t offset;
};
constexpr Distance kWide[] = {{1.7, 3}, {0.15, 1}, {3.1, 10}, {1.2, 2}, {2.4, 6}, {0.8, 0}, {4, 12}};
constexpr Distance kNarrow[] = {{1.2, 1}, {0.8, 0}, {1.4, 3}, {1.1, 0}, {0.65, 0}, {1.6, 0}, {0.9, 0}};
constexpr std::int64_t kLarge = 48;

class Chooser {
 public:
  Chooser(const ChosenSizes& chosen, const std::vector<std::int64_t>& wanted) : chosen_(chosen), sizes_(wanted) {
    sizes_.resize(chosen.multiples.size(), 0);
  }

  std::vector<std::int64_t> run() {
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      if (sizes_[k] == 0) sizes_[k] = choose(k);
    return std::move(sizes_);
  }

 private:
  std::int64_t target(std::size_t symbol) const {
    const std::int64_t example = std::max<std::int64_t>(1, chosen_.runs[0][symbol]);
    const std::size_t count = chosen_.runs.size() - 1 + chosen_.refused[symbol].size() + symbol;
    const Distance& distance = (example < kLarge ? kWide : kNarrow)[count % std::size(kWide)];
    const std::size_t rounds = count / std::size(kWide);
    const double factor = distance.factor + 0.37 * static_cast<double>(rounds) + 0.07 * static_cast<double>(symbol);
    const auto size = static_cast<std::int64_t>(std::ceil(factor * static_cast<double>(example))) + distance.offset;
    const auto [low, high] = refused_bounds(symbol);
    return std::clamp(size, std::min(low + 1, example), std::max(high - 1, example));
  }

  bool is_bounded(std::size_t symbol) const {
    return chosen_.largest < std::numeric_limits<std::int64_t>::max() && chosen_.runs[0][symbol] <= chosen_.largest;
  }

  // The nearest refused sizes below and above those of all runs: a table may have no more rows.
  std::pair<std::int64_t, std::int64_t> refused_bounds(std::size_t symbol) const {
    const auto of_symbol = [&](const auto& run) { return run[symbol]; };
    const std::int64_t least = std::ranges::min(chosen_.runs | std::views::transform(of_symbol));
    const std::int64_t most = std::ranges::max(chosen_.runs | std::views::transform(of_symbol));
    std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max();
    if (is_bounded(symbol)) high = chosen_.largest + 1;
    for (const std::int64_t size : chosen_.refused[symbol]) {
      if (size % chosen_.multiples[symbol] != 0) continue;  // refused because it is not a multiple
      if (size < least) low = std::max(low, size);
      if (size > most) high = std::min(high, size);
    }
    return {low, high};
  }

  bool is_used(std::size_t symbol, std::int64_t size) const {
    const auto& refused = chosen_.refused[symbol];
    const auto has_size = [&](const auto& run) { return run[symbol] == size; };
    return std::any_of(chosen_.runs.begin(), chosen_.runs.end(), has_size) ||
           std::find(refused.begin(), refused.end(), size) != refused.end();
  }

  // Lower is better.
  int penalty(std::size_t symbol, std::int64_t size) const {
    const std::int64_t step = chosen_.multiples[symbol];
    int penalty = chosen_.avoided.contains(size) ? 8 : 0;
    for (std::size_t other = 0; other < sizes_.size(); ++other) {
      if (other == symbol || sizes_[other] == 0) continue;
      penalty += sizes_[other] == size ? 8 : 0;
      penalty += is_collinear(symbol, size, other) ? 4 : 0;
      penalty += std::gcd(sizes_[other], size) > std::gcd(step, sizes_[other]) ? 1 : 0;
    }
    for (const auto& run : chosen_.runs)
      for (std::size_t other = 0; other < run.size(); ++other)
        penalty += (other != symbol && run[other] == size ? 2 : 0) + (std::gcd(run[other], size) > step ? 1 : 0);
    const auto [low, high] = refused_bounds(symbol);
    penalty += size < low || size > high ? 8 : 0;
    penalty += is_bounded(symbol) && size > chosen_.largest ? 8 : 0;
    return penalty + repetition_penalty(symbol, size);
  }

  // Code that pads to multiples behaves the same at all sizes with one remainder, and code that compares two sizes
  // behaves the same at one order of them.
  int repetition_penalty(std::size_t symbol, std::int64_t size) const {
    const auto remainder = [](std::int64_t of, std::int64_t step, std::int64_t divisor) { return of / step % divisor; };
    const std::int64_t step = chosen_.multiples[symbol];
    int penalty = 0;
    for (const auto& [divisor, weight] : {std::pair<std::int64_t, int>{2, 8}, {3, 1}, {4, 2}}) {
      const auto is_same = [&](const auto& run) {
        return remainder(run[symbol], step, divisor) == remainder(size, step, divisor);
      };
      penalty += std::all_of(chosen_.runs.begin(), chosen_.runs.end(), is_same) ? weight : 0;
    }
    for (std::size_t other = 0; other < sizes_.size(); ++other) {
      if (other == symbol || sizes_[other] == 0) continue;
      const auto parities_differ = [&](std::int64_t of_symbol, std::int64_t of_other) {
        return remainder(of_symbol, step, 2) != remainder(of_other, chosen_.multiples[other], 2);
      };
      const auto is_same = [&](const auto& run) {
        return parities_differ(run[symbol], run[other]) == parities_differ(size, sizes_[other]);
      };
      const auto ordered = [&](const auto& run) { return (run[symbol] < run[other]) == (size < sizes_[other]); };
      penalty += std::all_of(chosen_.runs.begin(), chosen_.runs.end(), ordered) ? 4 : 0;
      penalty += chosen_.runs.size() > 1 && std::all_of(chosen_.runs.begin(), chosen_.runs.end(), is_same) ? 6 : 0;
    }
    return penalty;
  }

  // True if the points (symbol, other) of all runs and of the new size are collinear.
  bool is_collinear(std::size_t symbol, std::int64_t size, std::size_t other) const {
    const auto& runs = chosen_.runs;
    if (runs.size() < 2) return (size - runs[0][symbol]) == (sizes_[other] - runs[0][other]);
    const std::int64_t x = runs[1][symbol] - runs[0][symbol], y = runs[1][other] - runs[0][other];
    for (std::size_t run = 2; run < runs.size(); ++run)
      if (x * (runs[run][other] - runs[0][other]) != y * (runs[run][symbol] - runs[0][symbol])) return false;
    return x * (sizes_[other] - runs[0][other]) == y * (size - runs[0][symbol]);
  }

  std::int64_t choose(std::size_t symbol) const {
    const std::int64_t step = chosen_.multiples[symbol];
    const std::int64_t smallest = step * ((2 + step - 1) / step);
    const std::int64_t centre = std::max(smallest, (target(symbol) + step - 1) / step * step);
    std::int64_t best = 0;
    int lowest = 0;
    for (std::int64_t away = 0; away < 12 || best == 0; ++away)
      for (const std::int64_t size : {centre + away * step, centre - away * step}) {
        if (size < smallest || is_used(symbol, size)) continue;
        const int found = penalty(symbol, size) * 4 + static_cast<int>(std::min<std::int64_t>(away, 12));
        if (best != 0 && found >= lowest) continue;
        best = size;
        lowest = found;
      }
    return best;
  }

  const ChosenSizes& chosen_;
  std::vector<std::int64_t> sizes_;
};

}  // namespace

std::vector<std::int64_t> choose_sizes(const ChosenSizes& chosen, const std::vector<std::int64_t>& wanted) {
  return Chooser(chosen, wanted).run();
}

}  // namespace tonnx::program
