#include "program/facts/thresholds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tonnx::program {

namespace {

constexpr double kLargestThreshold =
    1024;  // largest crossing searched beyond all samples: a program may square the size
constexpr double kLargestConstant = 8192;  // the same if the bound is a constant of the program
constexpr std::int64_t kFollowing = 6;     // consecutive sizes that show remainders

using Points = std::map<std::int64_t, double>;  // a difference by the size of the only symbol that changes

Points along(const SymbolTable& table, std::size_t symbol, const std::vector<double>& by_sample) {
  const auto count = static_cast<std::ptrdiff_t>(table.free_count());
  const std::vector<std::int64_t> example(table.sizes.front().begin(), table.sizes.front().begin() + count);
  Points points;
  for (std::size_t sample = 0; sample < table.sizes.size(); ++sample) {
    if (!table.broken(table.sizes[sample]).empty()) continue;
    std::vector<std::int64_t> sizes(table.sizes[sample].begin(), table.sizes[sample].begin() + count);
    sizes[symbol] = example[symbol];
    if (sizes == example) points.emplace(table.sizes[sample][symbol], by_sample[sample]);
  }
  return points;
}

int sign(double value) { return (value > 0) - (value < 0); }

// The zero of the line through two points.
double root(std::pair<double, double> a, std::pair<double, double> b) {
  return a.first - a.second * (b.first - a.first) / (b.second - a.second);
}

bool is_straight(const Points& points) {
  const auto& [first, value] = *points.begin();
  const auto& [last, end] = *points.rbegin();
  const double slope = (end - value) / static_cast<double>(last - first);
  return std::ranges::all_of(points, [&](const auto& p) {
    return std::abs(p.second - value - slope * static_cast<double>(p.first - first)) < 0.01;
  });
}

class Crossings {
 public:
  Crossings(const Points& points, Thresholds::Kind kind, std::set<std::int64_t>& found, std::int64_t& far)
      : points_(points),
        jumps_(kind == Thresholds::Kind::Jump),
        largest_(kind == Thresholds::Kind::CutByConstant ? kLargestConstant : kLargestThreshold),
        found_(found),
        far_(far) {}

  void run() {
    for (auto a = points_.begin(), b = std::next(a); b != points_.end(); ++a, ++b) interpolate(*a, *b);
    extrapolate_below(*points_.begin(), *std::next(points_.begin()));
    extrapolate_above(*std::next(points_.rbegin()), *points_.rbegin());
  }

 private:
  using Point = std::pair<const std::int64_t, double>;

  void interpolate(const Point& a, const Point& b) {
    if (sign(a.second) == sign(b.second) || b.first == a.first + 1) return;
    if (a.second == 0 || b.second == 0) {
      if (jumps_) found_.insert(a.second == 0 ? a.first + 1 : b.first - 1);
      return;
    }
    add_around(root(a, b), a.first + 1, b.first - 1);
  }

  // Samples below a crossing that is below all samples: one more, or two if sizes are rounded.
  void extrapolate_below(const Point& first, const Point& second) {
    if (first.second == second.second && first.second != 0) return;
    const double at = first.second == 0 ? static_cast<double>(first.first) : root(first, second);
    if (at < 1 || at > static_cast<double>(first.first)) return;
    add_around(at, 1, first.first - 1);
    for (const std::int64_t step : {1, 2})
      if (const auto size = static_cast<std::int64_t>(std::ceil(at)) - step; size >= 1) found_.insert(size);
  }

  // One size far above a crossing that is above all samples. The next refinement interpolates.
  void extrapolate_above(const Point& last_but_one, const Point& last) {
    if (last_but_one.second == last.second) return;
    const double at = root(last_but_one, last);
    if (at < static_cast<double>(last.first) || at > largest_) return;
    far_ = std::max(far_, 2 * static_cast<std::int64_t>(std::ceil(at)) + 3);
  }

  void add_around(double at, std::int64_t least, std::int64_t most) {
    const auto below = static_cast<std::int64_t>(std::floor(at)), above = static_cast<std::int64_t>(std::ceil(at));
    for (std::int64_t size = below - (jumps_ && below == above); size <= above + (jumps_ && below == above); ++size)
      if (size >= least && size <= most) found_.insert(size);
  }

  const Points& points_;
  const bool jumps_;
  const double largest_;
  std::set<std::int64_t>& found_;
  std::int64_t& far_;
};

// Adds the k-th size after the smallest one, after those where the values first change, and after the example's.
void follow_up(const Points& points, std::int64_t example, std::int64_t k, std::set<std::int64_t>& found) {
  const auto differ = [](const auto& a, const auto& b) { return a.second != b.second; };
  const auto a = std::adjacent_find(points.begin(), points.end(), differ);
  if (a == points.end()) return;
  const auto b = std::next(a);
  for (const std::int64_t first : {points.begin()->first, a->first, b->first, example}) found.insert(first + k);
  const double step = static_cast<double>(b->first - a->first) / std::abs(b->second - a->second);
  found.insert(b->first + k * std::max<std::int64_t>(1, std::llround(step)));
}

}  // namespace

void Thresholds::note_divided(std::vector<double> by_sample, double divisor) {
  divisor = std::abs(divisor);
  if (divisor == 0) return;
  const double quotient = std::floor(by_sample.front() / divisor);
  std::set<double> quotients;
  for (const double number : by_sample) quotients.insert(std::floor(number / divisor));
  // If the samples have at most two quotients, the multiples of the divisor next to the example are bounds too: a
  // divisor above all samples, or all but one, seems to have no effect.
  if (quotients.size() <= 2)
    for (const double end : {quotient * divisor, (quotient + 1) * divisor}) {
      std::vector<double> difference = by_sample;
      for (double& number : difference) number -= end;
      note(std::move(difference), Kind::CutByConstant);
    }
  if (divisor > 1) divided_.insert(std::move(by_sample));
}

void Thresholds::note(std::vector<double> by_sample, Kind kind) {
  if (std::ranges::adjacent_find(by_sample, std::not_equal_to{}) == by_sample.end()) return;
  Kind& noted = differences_.try_emplace(std::move(by_sample), kind).first->second;
  noted = std::max(noted, kind);
}

std::vector<std::vector<std::int64_t>> Thresholds::further(const SymbolTable& table) const {
  std::vector<std::vector<std::int64_t>> result(table.free_count());
  for (std::size_t symbol = 0; symbol < result.size(); ++symbol) {
    const auto append = [&](const std::set<std::int64_t>& found) {
      result[symbol].insert(result[symbol].end(), found.begin(), found.end());
    };
    std::set<std::int64_t> around;
    std::set<Points> followed;
    std::int64_t far = 0;
    for (const auto& [by_sample, kind] : differences_) {
      const Points points = along(table, symbol, by_sample);
      if (points.size() < 2) continue;
      Crossings(points, kind, around, far).run();
      if (!is_straight(points)) followed.insert(points);
    }
    for (const std::vector<double>& by_sample : divided_) followed.insert(along(table, symbol, by_sample));
    if (far > 0) append({far});
    append(around);
    for (std::int64_t k = 1; k < kFollowing; ++k) {
      std::set<std::int64_t> following;
      for (const Points& points : followed) follow_up(points, table.sizes.front()[symbol], k, following);
      append(following);
    }
  }
  return result;
}

}  // namespace tonnx::program
