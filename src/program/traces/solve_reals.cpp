#include <algorithm>
#include <cmath>

#include "program/facts/linear_fit.h"
#include "program/traces/solve_sizes.h"

namespace tonnx::program {

using Kind = SizeExpression::Kind;

namespace {

constexpr double kExact = 1e-13;
constexpr double kSingle = 3e-7;                      // if all values are exact in single precision
constexpr double kLargestInteger = 9007199254740992;  // 2^53

class RealSolver {
 public:
  RealSolver(const SizeTable& table, std::span<const double> values) : table_(table), values_(values) {
    const auto is_single = [](double v) { return static_cast<double>(static_cast<float>(v)) == v; };
    tolerance_ = kExact;
    tolerances_ = std::all_of(values.begin(), values.end(), is_single) ? 2 : 1;
  }

  SizeSolution run() {
    for (const double v : values_)
      if (!std::isfinite(v)) return {};
    for (; tolerances_ > 0 && !done(); --tolerances_, tolerance_ = kSingle) {
      of_integer([](double v) { return v; }, [](SizeExpression e) { return e; });
      of_integer([](double v) { return 1 / v; }, [](SizeExpression e) { return inverse(std::move(e)); });
      of_integer([](double v) { return v * v; },
                 [](SizeExpression e) { return call(Kind::SquareRoot, {std::move(e)}); });
      of_integer([](double v) { return 1 / (v * v); },
                 [](SizeExpression e) { return inverse(call(Kind::SquareRoot, {std::move(e)})); });
      of_integer([](double v) { return v < 30 ? std::exp(v) : 0.5; },
                 [](SizeExpression e) { return call(Kind::Logarithm, {std::move(e)}); });
      multiples();
      ratios();
      lines();
    }
    return std::move(solution_);
  }

 private:
  static SizeExpression one() { return SizeExpression::of(1.0); }
  static SizeExpression inverse(SizeExpression e) { return call(Kind::Divide, {one(), std::move(e)}); }

  bool done() const { return solution_.expression || !solution_.wanted.empty(); }

  bool fits(const SizeExpression& expression) const {
    for (std::size_t run = 0; run < values_.size(); ++run) {
      const auto value = real_of(expression, table_.runs[run]);
      if (!value || std::abs(*value - values_[run]) > tolerance_ * std::abs(values_[run])) return false;
    }
    return true;
  }

  void offer(SizeExpression expression, std::size_t unknowns) {
    if (done() || !fits(expression)) return;
    if (values_.size() > unknowns)
      solution_.expression = std::move(expression);
    else
      solution_.wanted.assign(table_.symbols, 0);
  }

  // Solves for change(value), if it is an integer in every run; `back` is the inverse of `change`.
  template <class Change, class Back>
  void of_integer(Change change, Back back) {
    if (done()) return;
    std::vector<std::int64_t> integers;
    for (const double v : values_) {
      const double changed = change(v);
      const double rounded = std::round(changed);
      if (!std::isfinite(changed) || std::abs(rounded) > kLargestInteger) return;
      if (std::abs(changed - rounded) > 8 * tolerance_ * std::max(1.0, std::abs(rounded))) return;
      integers.push_back(static_cast<std::int64_t>(rounded));
    }
    if (std::all_of(integers.begin(), integers.end(), [&](std::int64_t v) { return v == integers[0]; })) return;
    SizeSolution inner = solve(table_, std::span<const std::int64_t>(integers));
    if (inner.expression) {
      SizeExpression whole = back(std::move(*inner.expression));
      if (fits(whole)) solution_.expression = std::move(whole);
    } else {
      solution_.wanted = std::move(inner.wanted);
    }
  }

  // A constant times a size, a product or quotient of two, an inverse, a root, or the minimum or maximum of two
  // symbols.
  void multiples() {
    std::vector<SizeExpression> forms;
    for (std::size_t i = 0; i < table_.names.size(); ++i) {
      const SizeExpression s = SizeExpression::size(i);
      forms.push_back(s);
      forms.push_back(inverse(s));
      forms.push_back(call(Kind::SquareRoot, {s}));
      forms.push_back(inverse(call(Kind::SquareRoot, {s})));
      forms.push_back(call(Kind::Logarithm, {s}));
      for (std::size_t j = 0; j < table_.names.size(); ++j) {
        const SizeExpression t = SizeExpression::size(j);
        if (i != j) forms.push_back(call(Kind::Divide, {s, t}));
        if (j < i) continue;
        if (i < j && j < table_.symbols)
          for (const Kind kind : {Kind::Maximum, Kind::Minimum}) {
            forms.push_back(call(kind, {s, t}));
            forms.push_back(inverse(call(kind, {s, t})));
          }
        forms.push_back(multiply(s, t));
        forms.push_back(inverse(multiply(s, t)));
      }
    }
    for (const SizeExpression& form : forms) {
      if (done()) return;
      const auto first = real_of(form, table_.runs[0]);
      if (!first || *first == 0) continue;
      const double factor = values_[0] / *first;
      const double rounded = std::round(factor);
      const bool whole = std::abs(factor - rounded) <= tolerance_ * std::abs(rounded);
      if (whole && rounded == 1)
        offer(form, 1);
      else
        offer(scaled(whole ? rounded : factor, form), 1);
    }
  }

  // (n + a)/(n + b) for small a and b, and its root, as in the correction of a variance.
  void ratios() {
    constexpr std::int64_t kLargest = 2;
    for (std::size_t i = 0; i < table_.symbols; ++i)
      for (std::int64_t a = -kLargest; a <= kLargest; ++a)
        for (std::int64_t b = -kLargest; b <= kLargest; ++b) {
          if (a == b) continue;
          const auto beside = [&](std::int64_t more) { return add(SizeExpression::size(i), SizeExpression::of(more)); };
          const SizeExpression ratio = call(Kind::Divide, {beside(a), beside(b)});
          offer(ratio, 3);
          offer(call(Kind::SquareRoot, {ratio}), 3);
        }
  }

  static SizeExpression scaled(double factor, const SizeExpression& form) {
    if (form.kind == Kind::Divide && form.operands[0].kind == Kind::Real)
      return call(Kind::Divide, {SizeExpression::of(factor), form.operands[1]});
    return call(Kind::Multiply, {SizeExpression::of(factor), form});
  }

  // A linear function of a size, or its inverse.
  void lines() {
    for (std::size_t i = 0; i < table_.names.size(); ++i)
      for (const bool inverted : {false, true}) {
        if (done()) return;
        std::vector<std::vector<double>> basis(2);
        std::vector<double> wanted;
        for (std::size_t run = 0; run < values_.size(); ++run) {
          basis[0].push_back(static_cast<double>(table_.runs[run][i]));
          basis[1].push_back(1);
          wanted.push_back(inverted ? 1 / values_[run] : values_[run]);
        }
        const auto line = linear_fit(basis, wanted);
        if (!line || (*line)[0] == 0) continue;
        SizeExpression sum =
            call(Kind::Add, {call(Kind::Multiply, {SizeExpression::of((*line)[0]), SizeExpression::size(i)}),
                             SizeExpression::of((*line)[1])});
        offer(inverted ? inverse(std::move(sum)) : std::move(sum), 2);
      }
  }

  const SizeTable& table_;
  std::span<const double> values_;
  double tolerance_;
  int tolerances_;
  SizeSolution solution_;
};

}  // namespace

SizeSolution solve(const SizeTable& table, std::span<const double> values) { return RealSolver(table, values).run(); }

}  // namespace tonnx::program
