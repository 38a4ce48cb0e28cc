#include "program/traces/solve_sizes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "program/facts/linear_fit.h"
#include "program/traces/floor_fit.h"

namespace tonnx::program {

using Kind = SizeExpression::Kind;

std::vector<std::int64_t> SizeTable::of(std::size_t size) const {
  std::vector<std::int64_t> out;
  for (const auto& run : runs) out.push_back(run[size]);
  return out;
}

namespace {

// At most this many runs are requested to confirm a remainder.
constexpr std::size_t kMostChances = 9;
// Above this many sizes, products of three and sums of two are not tried.
constexpr std::size_t kManySizes = 24;

class IntegerSolver {
 public:
  // `is_part`: the runs are a subset of a larger table; bounded() does not split them again.
  IntegerSolver(const SizeTable& table, std::span<const std::int64_t> values, bool is_part = false)
      : table_(table), values_(values), is_part_(is_part), reals_(values.begin(), values.end()) {
    for (std::size_t i = 0; i < table.names.size(); ++i)
      (i < table.symbols ? symbols_ : others_).push_back(SizeExpression::size(i));
    all_ = symbols_;
    all_.insert(all_.end(), others_.begin(), others_.end());
  }

  // From simple to complex forms; sizes of inputs are tried before sizes of computed values.
  SizeSolution run() {
    for (const auto& phase :
         {&IntegerSolver::equal_symbol, &IntegerSolver::lines, &IntegerSolver::equal_other, &IntegerSolver::products,
          &IntegerSolver::sums, &IntegerSolver::polynomials, &IntegerSolver::extremes, &IntegerSolver::quotients,
          &IntegerSolver::remainders, &IntegerSolver::bounded}) {
      (this->*phase)();
      if (!solution_.expression && short_of_runs_ && solution_.wanted.empty())
        solution_.wanted.assign(table_.symbols, 0);
      if (solution_.expression || !solution_.wanted.empty()) break;
    }
    if (!done() && solution_.wanted.empty() && untried_) solution_.wanted.assign(table_.symbols, 0);
    return std::move(solution_);
  }

 private:
  using List = std::vector<SizeExpression>;

  bool done() const { return solution_.expression.has_value(); }

  bool fits(const SizeExpression& expression) const {
    for (std::size_t run = 0; run < values_.size(); ++run)
      if (integer_of(expression, table_.runs[run]) != values_[run]) return false;
    return true;
  }

  // `unknowns`: the number of runs that determine the expression; one more must confirm it.
  void offer(SizeExpression expression, std::size_t unknowns) {
    if (done() || !fits(expression)) return;
    if (values_.size() > unknowns)
      solution_.expression = std::move(expression);
    else
      short_of_runs_ = true;
  }

  // Tries a sum of the terms, with integer coefficients over one of the `divisors`. `doubt`: the number of additional
  // runs that must confirm it.
  void combine(const List& terms, std::size_t doubt = 0, std::initializer_list<std::int64_t> divisors = {1}) {
    if (done()) return;
    if (values_.size() < terms.size()) untried_ = true;
    std::vector<std::vector<double>> basis(terms.size());
    for (std::size_t k = 0; k < terms.size(); ++k)
      for (const auto& run : table_.runs) {
        const auto value = integer_of(terms[k], run);
        if (!value) return;
        basis[k].push_back(static_cast<double>(*value));
      }
    const auto coefficients = linear_fit(basis, reals_);
    if (!coefficients) return;
    for (const std::int64_t divisor : divisors) {
      const auto sum = weighted_sum(terms, *coefficients, static_cast<double>(divisor));
      if (!sum) continue;
      return offer(divisor == 1 ? *sum : call(Kind::FloorDivide, {*sum, SizeExpression::of(divisor)}),
                   terms.size() + doubt);
    }
  }

  // Multiplies each coefficient by `scale`; empty if a product is not an integer.
  static std::optional<SizeExpression> weighted_sum(const List& terms, const std::vector<double>& coefficients,
                                                    double scale) {
    SizeExpression sum = SizeExpression::of(std::int64_t{0});
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const double rounded = std::round(coefficients[k] * scale);
      if (std::abs(coefficients[k] * scale - rounded) > 1e-6 || std::abs(rounded) > 1e15) return std::nullopt;
      sum = add(std::move(sum), multiply(SizeExpression::of(static_cast<std::int64_t>(rounded)), terms[k]));
    }
    return sum;
  }

  static List pairs(const List& sizes) {
    List out;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (std::size_t j = i; j < sizes.size(); ++j) out.push_back(multiply(sizes[i], sizes[j]));
    return out;
  }

  void equal_symbol() {
    for (const SizeExpression& s : symbols_) offer(s, 0);
  }
  void equal_other() {
    for (const SizeExpression& s : others_) offer(s, 0);
  }
  void lines() {
    for (const SizeExpression& s : symbols_) combine({s, kOne});
    for (const SizeExpression& p : pairs(symbols_)) combine({p});
  }
  void products() {
    for (const SizeExpression& s : others_) combine({s, kOne});
    for (const SizeExpression& p : pairs(all_)) combine({p});
    if (all_.size() > kManySizes) return;
    for (const SizeExpression& p : pairs(all_))
      for (const SizeExpression& s : all_) combine({multiply(p, s)});
  }
  void sums() {
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      for (std::size_t j = i + 1; j < symbols_.size(); ++j) combine({symbols_[i], symbols_[j], kOne});
    if (all_.size() > kManySizes) return;
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (std::size_t j = i + 1; j < all_.size(); ++j) combine({all_[i], all_[j]}, 1);
  }
  void polynomials() {
    for (const SizeExpression& s : symbols_) combine({multiply(s, s), s, kOne}, 0, {1, 2, 3, 6});
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      for (std::size_t j = i + 1; j < symbols_.size(); ++j)
        combine({multiply(symbols_[i], symbols_[j]), symbols_[i], symbols_[j], kOne});
    if (symbols_.size() > 2) {
      List terms = symbols_;
      terms.push_back(kOne);
      combine(terms);
    }
  }

  // The minimum or maximum of two sizes or three symbols, or of a limit and a size plus or times a constant.
  void extremes() {
    for (const Kind kind : {Kind::Minimum, Kind::Maximum}) {
      for (const SizeExpression& s : all_) limited(kind, s);
      for (std::size_t i = 0; i < all_.size(); ++i)
        for (std::size_t j = i + 1; j < all_.size(); ++j) offer(call(kind, {all_[i], all_[j]}), 3);
      for (std::size_t i = 0; i < symbols_.size() && symbols_.size() <= 4; ++i)
        for (std::size_t j = i + 1; j < symbols_.size(); ++j)
          for (std::size_t k = j + 1; k < symbols_.size(); ++k)
            offer(call(kind, {call(kind, {symbols_[i], symbols_[j]}), symbols_[k]}), 4);
    }
    for (const SizeExpression& s : symbols_) clamped(s);
  }

  // A symbol clamped to limits with few sizes between them; bounded() finds limits that are further apart. Requires two
  // runs beyond the upper limit and two below the lower one, or all that exist, and all sizes between the limits.
  void clamped(const SizeExpression& size) {
    constexpr std::int64_t kFew = 4;
    const auto [least, most] = std::minmax_element(values_.begin(), values_.end());
    const std::int64_t low = *least, high = *most;
    if (done() || !solution_.wanted.empty() || low < 2 || high <= low || high - low > kFew) return;
    const SizeExpression whole =
        call(Kind::Minimum, {call(Kind::Maximum, {size, SizeExpression::of(low)}), SizeExpression::of(high)});
    if (!fits(whole)) return;
    std::vector<std::int64_t> required = {high + 1, high + 2};
    for (std::int64_t next = std::max<std::int64_t>(1, low - 2); next <= high; ++next) required.push_back(next);
    const std::vector<std::int64_t> seen = table_.of(static_cast<std::size_t>(size.integer));
    const auto is_seen = [&](std::int64_t next) { return std::ranges::find(seen, next) != seen.end(); };
    std::erase_if(required, is_seen);
    if (std::ranges::count_if(seen, [&](std::int64_t s) { return s > high; }) >= 2)
      std::erase_if(required, [&](std::int64_t s) { return s > high; });
    if (required.empty()) {
      solution_.expression = whole;
      return;
    }
    want(size, required.front());
  }

  void limited(Kind kind, const SizeExpression& size) {
    const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
    const std::int64_t limit = kind == Kind::Minimum ? *high : *low;
    const SizeExpression bound = SizeExpression::of(limit);
    std::size_t free_runs = 0, last = 0;
    for (std::size_t run = 0; run < values_.size(); ++run)
      if (values_[run] != limit) ++free_runs, last = run;
    const std::size_t bound_runs = values_.size() - free_runs;
    const std::int64_t at = *integer_of(size, table_.runs[last]);
    List forms = {size, add(size, SizeExpression::of(values_[last] - at))};
    if (at != 0 && values_[last] % at == 0) forms.push_back(multiply(SizeExpression::of(values_[last] / at), size));
    // As in padding up to a constant; no size has more free runs than there are sizes below it.
    const std::int64_t sum = values_[last] + at;
    const bool is_padding = kind == Kind::Maximum && limit == 0 && values_[last] > 0 && has_all_sizes_below(size, sum);
    if (is_padding) forms = {add(SizeExpression::of(sum), multiply(SizeExpression::of(std::int64_t{-1}), size))};
    for (std::size_t i = 0; i < forms.size() && !done(); ++i) {
      const SizeExpression whole = call(kind, {forms[i], bound});
      // 1 is the only size below 2.
      const bool is_last = i == 0 && kind == Kind::Minimum && limit == 2;
      bool free_enough = is_padding || free_runs >= (is_last ? 1U : i == 0 ? 2U : 3U);
      if (!fits(whole) || (!free_enough && bound_runs < 2)) continue;
      if (!free_enough) {
        const std::optional<std::int64_t> untried = untried_free_size(size, limit);
        free_enough = untried == 0;
        if (untried.value_or(0) > 0 && solution_.wanted.empty()) want(size, *untried);
      }
      if (free_enough && bound_runs >= 2 && values_.size() >= 5) {
        solution_.expression = whole;
      } else if (solution_.wanted.empty()) {
        want_size(size, limit, !free_enough);
      }
    }
  }

  // The least size, up to the first one at the limit, at which no run is; 0 if there is none. Empty if there are many
  // sizes that the limit does not bind, or large ones.
  std::optional<std::int64_t> untried_free_size(const SizeExpression& size, std::int64_t limit) const {
    constexpr std::int64_t kFew = 4;
    std::int64_t most = 0;
    for (std::size_t run = 0; run < values_.size(); ++run)
      if (values_[run] != limit) most = std::max(most, *integer_of(size, table_.runs[run]));
    if (static_cast<std::size_t>(size.integer) >= table_.symbols || most < 1 || most > kFew) return std::nullopt;
    const std::vector<std::int64_t> seen = table_.of(static_cast<std::size_t>(size.integer));
    for (std::int64_t next = 1; next <= most + 1; ++next)
      if (std::ranges::find(seen, next) == seen.end()) return next;
    return 0;
  }

  // Requests a run at this size of the symbol, if the code may run there.
  void want(const SizeExpression& symbol, std::int64_t next) {
    const auto k = static_cast<std::size_t>(symbol.integer);
    const auto& refused = table_.refused[k];
    if (next % table_.multiples[k] != 0 || next > table_.largest || std::ranges::find(refused, next) != refused.end())
      return;
    solution_.wanted.assign(table_.symbols, 0);
    solution_.wanted[k] = next;
  }

  bool has_all_sizes_below(const SizeExpression& size, std::int64_t end) const {
    constexpr std::int64_t kFew = 4;
    for (std::int64_t wanted = 1; wanted < end && end <= kFew; ++wanted)
      if (std::ranges::none_of(table_.runs, [&](const auto& run) { return integer_of(size, run) == wanted; }))
        return false;
    return end > 2 && end <= kFew;
  }

  // Requests a run in which the value is not bound by the limit (`free`), or in which it is.
  void want_size(const SizeExpression& size, std::int64_t limit, bool free) {
    solution_.wanted.assign(table_.symbols, 0);
    const auto k = static_cast<std::size_t>(size.integer);
    if (k >= table_.symbols) return;
    const std::vector<std::int64_t> seen = table_.of(k);
    // The closest pair of sizes, one free and one bound.
    std::int64_t inner = 0, outer = INT32_MAX;
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t j = 0; j < seen.size(); ++j)
        if (values_[i] != limit && values_[j] == limit && std::abs(seen[i] - seen[j]) < std::abs(inner - outer))
          inner = seen[i], outer = seen[j];
    const std::int64_t step = table_.multiples[k];
    const std::int64_t direction = outer > inner ? 1 : -1;
    const auto usable = [&](std::int64_t next) {
      const auto& no = table_.refused[k];
      return next >= 2 && next <= table_.largest && std::find(no.begin(), no.end(), next) == no.end() &&
             std::find(seen.begin(), seen.end(), next) == seen.end();
    };
    const std::int64_t reach = std::max<std::int64_t>(3, outer / 3);
    const std::int64_t gap = std::abs(outer - inner);
    for (std::int64_t next :
         {free ? inner - direction * reach : outer + direction * reach, free ? inner - direction : outer + direction,
          free ? inner + direction * (gap / 3) : outer - direction * (gap / 3), inner + direction * (gap / 2)}) {
      next -= ((next % step) + step) % step;
      if (usable(next)) {
        solution_.wanted[k] = next;
        return;
      }
    }
  }

  // factor * floor(...) + rest, or its negative, as in an index from the end. The factor is the greatest common divisor
  // of all differences of values.
  void quotients() {
    List dividends = all_;
    for (const SizeExpression& p : pairs(all_.size() > kManySizes ? symbols_ : all_)) dividends.push_back(p);
    for (const std::int64_t sign : {1, -1})
      if (quotient(dividends, sign)) return;
  }

  // Tries sign * value with each dividend. True if one fits: solution_ then has the expression or the runs to request.
  bool quotient(const List& dividends, std::int64_t sign) {
    std::vector<std::int64_t> values, scaled;
    for (const std::int64_t v : values_) values.push_back(sign * v);
    std::int64_t factor = 0;
    for (const std::int64_t v : values) factor = std::gcd(factor, v - values[0]);
    if (factor == 0) return false;
    const std::int64_t rest = ((values[0] % factor) + factor) % factor;
    for (const std::int64_t v : values) scaled.push_back((v - rest) / factor);
    for (const bool whole : {true, false}) {
      if (!whole && factor == 1) continue;
      for (const SizeExpression& dividend : dividends) {
        const FloorFit fit(table_, dividend, whole ? values : scaled, is_part_);
        if (!fit.found()) continue;
        solution_ = fit.solution();
        if (!done()) return true;
        SizeExpression found = std::move(*solution_.expression);
        if (!whole) found = add(multiply(SizeExpression::of(factor), std::move(found)), SizeExpression::of(rest));
        solution_.expression = sign < 0 ? multiply(SizeExpression::of(sign), std::move(found)) : std::move(found);
        return true;
      }
    }
    return false;
  }

  // (size + c) mod d and (c - size) mod d, as in padding to a multiple.
  void remainders() {
    for (const SizeExpression& s : all_)
      for (const std::int64_t sign : {1, -1})
        for (std::int64_t d = 2; d <= kLargestDivisor && !done(); ++d) {
          const auto mod = [d](std::int64_t v) { return ((v % d) + d) % d; };
          const std::int64_t c = mod(values_[0] - sign * *integer_of(s, table_.runs[0]));
          SizeExpression dividend = add(multiply(SizeExpression::of(sign), s), SizeExpression::of(c));
          SizeExpression quotient = call(Kind::FloorDivide, {dividend, SizeExpression::of(d)});
          // A run confirms a wrong divisor with probability 1/d.
          const auto chances = static_cast<std::size_t>(std::ceil(20 / std::log2(static_cast<double>(d))));
          const std::size_t unknowns = has_each_remainder(s, d) ? std::min(chances, kMostChances) : values_.size();
          offer(add(std::move(dividend), multiply(SizeExpression::of(-d), std::move(quotient))), unknowns);
        }
  }

  // The minimum or maximum of a limit, the value of some runs, and the expression of the other runs, as in a count of
  // windows that is 0 for a small input.
  void bounded() {
    if (is_part_) return;
    for (const Kind kind : {Kind::Maximum, Kind::Minimum}) {
      if (done() || !solution_.wanted.empty()) return;
      const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
      bounded(kind, kind == Kind::Minimum ? *high : *low);
    }
  }

  void bounded(Kind kind, std::int64_t limit) {
    SizeTable others = table_;
    others.runs.clear();
    std::vector<std::int64_t> values;
    for (std::size_t run = 0; run < values_.size(); ++run) {
      if (values_[run] == limit) continue;
      others.runs.push_back(table_.runs[run]);
      values.push_back(values_[run]);
    }
    const bool is_plain = kind == Kind::Maximum && limit == 0;  // no other limit is likely
    const std::size_t bound_runs = values_.size() - values.size();
    const bool is_step = std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == values[0]; });
    if (is_step && values.size() < 3 && bound_runs > 1 && table_.symbols == 1) want_size(symbols_[0], limit, true);
    if (is_step || (!is_plain && bound_runs < 2)) return;
    SizeSolution inner = IntegerSolver(others, values, true).run();
    solution_.wanted = std::move(inner.wanted);
    if (!inner.expression) return;
    SizeExpression whole = call(kind, {std::move(*inner.expression), SizeExpression::of(limit)});
    if (fits(whole)) solution_.expression = std::move(whole);
  }

  // True if the divisor is small and each remainder occurs at several sizes.
  bool has_each_remainder(const SizeExpression& size, std::int64_t divisor) const {
    constexpr std::int64_t kSmall = 3;
    constexpr std::ptrdiff_t kSeveral = 2;
    for (std::int64_t rest = 0; rest < divisor && divisor <= kSmall; ++rest) {
      const auto leaves = [&](const auto& run) { return *integer_of(size, run) % divisor == rest; };
      if (std::count_if(table_.runs.begin(), table_.runs.end(), leaves) < kSeveral) return false;
    }
    return true;
  }

  static const SizeExpression kOne;
  const SizeTable& table_;
  std::span<const std::int64_t> values_;
  const bool is_part_;
  std::vector<double> reals_;
  List symbols_, others_, all_;
  SizeSolution solution_;
  bool short_of_runs_ = false;
  bool untried_ = false;  // a sum has more terms than there are runs
};

const SizeExpression IntegerSolver::kOne = SizeExpression::of(std::int64_t{1});

}  // namespace

SizeSolution solve(const SizeTable& table, std::span<const std::int64_t> values) {
  // Differences and products of larger numbers may overflow.
  constexpr std::int64_t kLargest = std::int64_t{1} << 60;
  if (std::ranges::any_of(values, [](std::int64_t v) { return v > kLargest || v < -kLargest; })) return {};
  return IntegerSolver(table, values).run();
}

}  // namespace tonnx::program
