#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "program/traces/choose_sizes.h"
#include "program/traces/solve_sizes.h"

namespace tonnx::program {
namespace {

using Sizes = std::vector<std::int64_t>;
constexpr std::size_t kMostRuns = 12;

// Runs host code at more and more sizes until the solver needs no further ones, as an export does.
template <class Number>
class Host {
 public:
  using Code = std::function<Number(const Sizes&)>;

  Host(std::vector<std::string> names, Sizes examples, Code code, std::int64_t multiple = 1) : code_(std::move(code)) {
    table_.symbols = names.size();
    table_.names = std::move(names);
    table_.multiples.assign(table_.symbols, multiple);
    table_.refused.assign(table_.symbols, {});
    table_.runs = {examples};
    while (table_.runs.size() < std::max<std::size_t>(4, table_.symbols + 2)) table_.runs.push_back(fresh());
  }

  std::optional<SizeExpression> solved() {
    for (;;) {
      std::vector<Number> values;
      for (const Sizes& run : table_.runs) values.push_back(code_(run));
      SizeSolution solution = solve(table_, std::span<const Number>(values));
      if (solution.expression || solution.wanted.empty() || table_.runs.size() >= kMostRuns)
        return std::move(solution.expression);
      table_.runs.push_back(fresh(solution.wanted));
    }
  }
  std::string text() {
    const auto expression = solved();
    return expression ? to_string(*expression, table_.names) : "";
  }
  std::size_t runs() const { return table_.runs.size(); }
  const Sizes& example() const { return table_.runs[0]; }
  Number at(const Sizes& sizes) const { return code_(sizes); }

 private:
  Sizes fresh(const Sizes& wanted = {}) const {
    return choose_sizes({table_.runs, table_.multiples, table_.refused, {}}, wanted);
  }

  Code code_;
  SizeTable table_;
};

using Integers = Host<std::int64_t>;
using Reals = Host<double>;

// Checks that the solution holds at all sizes, not only at those that were run.
void holds_everywhere(Integers host, const std::string& text, std::int64_t from = 2, std::int64_t to = 200) {
  const auto expression = host.solved();
  ASSERT_TRUE(expression) << text;
  EXPECT_EQ(host.text(), text);
  for (std::int64_t a = from; a <= to; ++a) {
    Sizes sizes(host.example().size(), a);
    for (std::size_t k = 1; k < sizes.size(); ++k) sizes[k] = 3 + (7 * a + 11 * static_cast<std::int64_t>(k)) % 53;
    ASSERT_EQ(integer_of(*expression, sizes), host.at(sizes)) << text << " at " << a;
  }
}

Integers one(std::int64_t example, std::function<std::int64_t(std::int64_t)> code) {
  return Integers({"n"}, {example}, [code = std::move(code)](const Sizes& s) { return code(s[0]); });
}
Integers two(std::function<std::int64_t(std::int64_t, std::int64_t)> code) {
  return Integers({"n", "m"}, {4, 6}, [code = std::move(code)](const Sizes& s) { return code(s[0], s[1]); });
}

TEST(SolveSizes, Lines) {
  for (const std::int64_t example : {0, 1, 2, 4, 31, 224}) {
    holds_everywhere(one(example, [](auto n) { return n; }), "n");
    holds_everywhere(one(example, [](auto n) { return n - 1; }), "n - 1");
    holds_everywhere(one(example, [](auto n) { return 2 * n + 1; }), "2*n + 1");
    holds_everywhere(one(example, [](auto n) { return 3 - n; }), "-n + 3");
    holds_everywhere(one(example, [](auto n) { return -2 * n; }), "-2*n");
  }
}

TEST(SolveSizes, Products) {
  holds_everywhere(two([](auto n, auto m) { return n * m; }), "n*m");
  holds_everywhere(two([](auto n, auto m) { return 8 * n * m; }), "8*n*m");
  holds_everywhere(one(5, [](auto n) { return n * n; }), "n*n");
  holds_everywhere(one(5, [](auto n) { return n * n - n + 2; }), "n*n - n + 2");
  holds_everywhere(one(5, [](auto n) { return n * (n - 1) / 2; }), "floor((n*n - n)/2)");
  holds_everywhere(two([](auto n, auto m) { return n + m; }), "n + m");
  holds_everywhere(two([](auto n, auto m) { return 2 * n - m + 5; }), "2*n - m + 5");
  holds_everywhere(two([](auto n, auto m) { return (n + 1) * (m + 2); }), "n*m + 2*n + m + 2");
  holds_everywhere(Integers({"a", "b", "c"}, {2, 3, 4}, [](const Sizes& s) { return s[0] * s[1] * s[2]; }), "a*b*c");
  holds_everywhere(Integers({"a", "b", "c"}, {2, 3, 4}, [](const Sizes& s) { return s[0] + s[1] + 2 * s[2] - 7; }),
                   "a + b + 2*c - 7");
  holds_everywhere(Integers({"a", "b", "c"}, {2, 3, 4}, [](const Sizes& s) { return s[2]; }), "c");
}

TEST(SolveSizes, Quotients) {
  for (const std::int64_t example : {1, 2, 4, 7, 30, 224}) {
    holds_everywhere(one(example, [](auto n) { return n / 2; }), "floor(n/2)");
    holds_everywhere(one(example, [](auto n) { return (n + 1) / 2; }), "floor((n + 1)/2)");
    holds_everywhere(one(example, [](auto n) { return (n + 2) / 3; }), "floor((n + 2)/3)");
    holds_everywhere(one(example, [](auto n) { return 3 * n / 4; }), "floor(3*n/4)");
  }
  for (const std::int64_t example : {16, 30, 224}) {
    holds_everywhere(one(example, [](auto n) { return n / 16; }), "floor(n/16)");
    holds_everywhere(one(example, [](auto n) { return (n + 6 - 7) / 2 + 1; }), "floor((n + 1)/2)");
    holds_everywhere(one(example, [](auto n) { return (n + 15) / 16; }), "floor((n + 15)/16)");
    holds_everywhere(one(example, [](auto n) { return (n + 5) / 8; }), "floor((n + 5)/8)");
  }
  holds_everywhere(one(30, [](auto n) { return -(n / 2); }), "-floor(n/2)");
  holds_everywhere(one(5, [](auto n) { return -((n + 1) / 2); }), "-floor((n + 1)/2)");
  holds_everywhere(one(30, [](auto n) { return -(n / 3 * 2); }), "-2*floor(n/3)");
  holds_everywhere(two([](auto n, auto m) { return n * m / 4; }), "floor(n*m/4)");
  holds_everywhere(one(30, [](auto n) { return n / 4 * 4 + 1; }), "4*floor(n/4) + 1");
}

TEST(SolveSizes, Remainders) {
  holds_everywhere(one(30, [](auto n) { return n % 8; }), "n - 8*floor(n/8)");
  holds_everywhere(one(30, [](auto n) { return (32 - n % 32) % 32; }), "-n - 32*floor(-n/32)");
  holds_everywhere(one(5, [](auto n) { return (n + 2) / 3 * 3 - n; }), "-n - 3*floor(-n/3)");
  for (const std::int64_t example : {4, 7})
    holds_everywhere(one(example, [](auto n) { return n % 2; }), "n - 2*floor(n/2)");
}

TEST(SolveSizes, TheCodeRunsAtMultiplesAlone) {
  for (const std::int64_t multiple : {16, 32}) {
    Integers host({"n"}, {2 * multiple}, [](const Sizes& s) { return s[0] / 16; }, multiple);
    holds_everywhere(host, "floor(n/16)");
  }
}

TEST(SolveSizes, SmallerAndLarger) {
  for (const std::int64_t example : {1, 4, 9, 20}) {
    holds_everywhere(one(example, [](auto n) { return std::min<std::int64_t>(n, 12); }), "min(n, 12)");
    holds_everywhere(one(example, [](auto n) { return std::max<std::int64_t>(n, 12); }), "max(n, 12)");
    holds_everywhere(one(example, [](auto n) { return std::max<std::int64_t>(n - 8, 0); }), "max(n - 8, 0)");
    holds_everywhere(one(example, [](auto n) { return std::min<std::int64_t>(2 * n, 22); }), "min(2*n, 22)");
  }
}

TEST(SolveSizes, TheLeastOfThreeSymbols) {
  Integers least({"n", "m", "k"}, {7, 5, 9}, [](const Sizes& s) { return std::min({s[0], s[1], s[2]}); });
  EXPECT_EQ(least.text(), "min(min(n, m), k)");
  Integers most({"n", "m", "k"}, {7, 5, 9}, [](const Sizes& s) { return std::max({s[0], s[1], s[2]}); });
  EXPECT_EQ(most.text(), "max(max(n, m), k)");
}

// The solution from runs at these sizes only; empty if there is none.
std::string found_at(const Sizes& sizes, const std::function<std::int64_t(std::int64_t)>& code) {
  SizeTable table{.names = {"n"}, .symbols = 1, .runs = {}, .multiples = {1}, .refused = {{}}};
  Sizes values;
  for (const std::int64_t size : sizes) table.runs.push_back({size}), values.push_back(code(size));
  const SizeSolution solution = solve(table, std::span<const std::int64_t>(values));
  return solution.expression ? to_string(*solution.expression, table.names) : "";
}

// Sizes near the example and far from it, as a trace uses.
TEST(SolveSizes, ALimitOfOtherArithmetic) {
  const Sizes sizes = {20, 4, 13, 7, 5, 9, 16, 22, 11, 64, 65, 257, 1023, 4096};
  EXPECT_EQ(found_at(sizes, [](auto n) { return std::min<std::int64_t>(2 * n + 1, 31); }), "min(2*n + 1, 31)");
  EXPECT_EQ(found_at(sizes, [](auto n) { return std::max<std::int64_t>(3 * n - 2, 40); }), "max(3*n - 2, 40)");
  EXPECT_EQ(found_at(sizes, [](auto n) { return std::min<std::int64_t>(n * n, 200); }), "min(n*n, 200)");
  EXPECT_EQ(found_at(sizes, [](auto n) { return std::min<std::int64_t>(n / 2, 12); }), "min(floor(n/2), 12)");
}

TEST(SolveSizes, ClampedBetweenTwoConstants) {
  const auto clamp = [](std::int64_t low, std::int64_t high) {
    return [=](std::int64_t n) { return std::clamp(n, low, high); };
  };
  EXPECT_EQ(found_at({4, 8, 81, 7, 1, 2, 3}, clamp(2, 4)), "min(max(n, 2), 4)");
  EXPECT_EQ(found_at({4, 8, 81, 7, 1, 2, 3}, clamp(3, 4)), "min(max(n, 3), 4)");
  EXPECT_EQ(found_at({4, 8, 81, 7, 1, 2}, clamp(2, 4)), "");  // 3 has not run
  EXPECT_EQ(found_at({4, 8, 81, 7, 2, 3}, clamp(3, 4)), "");  // nor 1
  const auto other = [](std::int64_t n) { return n == 3 ? std::int64_t{4} : std::clamp<std::int64_t>(n, 2, 4); };
  EXPECT_EQ(found_at({4, 8, 81, 7, 1, 2, 3}, other), "");
}

// Few of the runs are below the limit.
TEST(SolveSizes, ALimitThatFewSizesAreFreeOf) {
  const auto& found = found_at;
  EXPECT_EQ(found({2, 7, 14, 5, 1}, [](auto n) { return std::min<std::int64_t>(n, 3); }), "min(n, 3)");
  EXPECT_EQ(found({2, 7, 14, 5, 1}, [](auto n) { return std::max<std::int64_t>(n, 3); }), "max(n, 3)");
  EXPECT_EQ(found({2, 7, 14, 64, 257, 1023, 4096}, [](auto n) { return std::min<std::int64_t>(n, 512); }),
            "min(n, 512)");
  EXPECT_EQ(found({4, 7, 14, 5, 1, 2, 3}, [](auto n) { return -std::min<std::int64_t>(n, 3); }), "max(-n, -3)");
  EXPECT_EQ(found({4, 7, 14, 5, 2, 3}, [](auto n) { return -std::min<std::int64_t>(n, 3); }), "");  // 1 has not run
  const auto padding = [](auto n) { return std::max<std::int64_t>(3 - n, 0); };
  EXPECT_EQ(found({5, 7, 14, 64, 2, 1}, padding), "max(3 - n, 0)");
  EXPECT_EQ(found({5, 7, 14, 64, 2}, padding), "");  // no second size confirms it
  EXPECT_EQ(found({5, 7, 14, 64, 2, 1}, [](auto n) { return n == 2 ? std::int64_t{1} : n == 1 ? 5 : 0; }), "");
  EXPECT_EQ(found({2, 7, 14, 64, 257, 1023, 4096}, [](auto n) { return n > 100 ? std::int64_t{2} : 1; }), "");
  EXPECT_EQ(found({2, 7, 14, 64, 257, 1023, 4096}, [](auto n) { return n > 100 ? 2 * n : n; }), "");
}

// A table has values that a quotient with a limit fits at all of these sizes, but not at 16.
TEST(SolveSizes, AQuotientMustHoldAtItsFirstValues) {
  const Sizes sizes = {4, 11, 5, 1, 15, 64, 257, 1023, 4096, 32, 128, 512, 2048, 2, 65};
  const auto table = [](std::int64_t n) {
    return Sizes{1, 5, 7, 2, 9}[static_cast<std::size_t>(std::min<std::int64_t>(n / 30, 4))];
  };
  EXPECT_EQ(found_at(sizes, table), "");
  Sizes more = sizes;
  more.push_back(16);
  EXPECT_EQ(found_at(more, table), "");
  EXPECT_EQ(found_at(more, [](auto n) { return std::min<std::int64_t>((3 * n + 4) / 50 * 2 + 1, 9); }),
            "min(2*floor((3*n + 4)/50) + 1, 9)");
}

TEST(SolveSizes, MeasuredSizesOfValuesCount) {
  SizeTable table{.names = {"n", "size 2 of aten::conv2d"},
                  .symbols = 1,
                  .runs = {{8, 3}, {13, 6}, {20, 9}},
                  .multiples = {1},
                  .refused = {{}}};
  const Sizes square = {9, 36, 81};
  const auto found = solve(table, std::span<const std::int64_t>(square));
  ASSERT_TRUE(found.expression);
  EXPECT_EQ(to_string(*found.expression, table.names), "size 2 of aten::conv2d*size 2 of aten::conv2d");
}

TEST(SolveSizes, AFitThatNoOtherRunConfirmsIsNone) {
  SizeTable table{.names = {"n"}, .symbols = 1, .runs = {{4}, {7}}, .multiples = {1}, .refused = {{}}};
  const Sizes values = {9, 15};
  const SizeSolution found = solve(table, std::span<const std::int64_t>(values));
  EXPECT_FALSE(found.expression);
  EXPECT_EQ(found.wanted, Sizes{0});
}

TEST(ChooseSizes, BothParitiesAndBothOrdersAreAmongThem) {
  for (const Sizes& example : {Sizes{7, 7}, Sizes{8, 8}, Sizes{3, 4}, Sizes{9, 5}, Sizes{8, 5}, Sizes{224, 320}}) {
    ChosenSizes chosen{{example}, {1, 1}, {{}, {}}, {}};
    for (int run = 0; run < 2; ++run) chosen.runs.push_back(choose_sizes(chosen));
    std::set<std::int64_t> first, second;
    std::set<bool> orders, parities_differ;
    for (const Sizes& run : chosen.runs) {
      first.insert(run[0] % 2);
      second.insert(run[1] % 2);
      orders.insert(run[0] < run[1]);
      parities_differ.insert(run[0] % 2 != run[1] % 2);
    }
    EXPECT_EQ(first.size(), 2) << example[0];
    EXPECT_EQ(second.size(), 2) << example[1];
    EXPECT_EQ(orders.size(), 2) << example[0] << " " << example[1];
    EXPECT_EQ(parities_differ.size(), 2) << example[0] << " " << example[1];
  }
}

TEST(ChooseSizes, WhereLargerOnesAreRefusedSmallerOnesAreTaken) {
  for (const std::int64_t most : {3, 4, 6, 20}) {
    ChosenSizes chosen{{{4}}, {1}, {{}}, {}};
    for (int run = 0; chosen.runs.size() < (most == 3 ? 2 : 3) && run < 8; ++run) {
      const Sizes sizes = choose_sizes(chosen);
      if (sizes[0] > most)
        chosen.refused[0].push_back(sizes[0]);
      else
        chosen.runs.push_back(sizes);
    }
    EXPECT_EQ(chosen.runs.size(), most == 3 ? 2 : 3) << most;
  }
}

TEST(SolveSizes, ValuesThatNoArithmeticYields) {
  const auto refused = [](Integers host) { EXPECT_EQ(host.text(), ""); };
  refused(one(4, [](auto n) { return n ^ 5; }));
  refused(one(4, [](auto n) { return (n - 9) / 2; }));
  refused(one(4, [](auto n) { return std::int64_t{1} << (n % 13); }));
  refused(one(4, [](auto n) { return n * 2654435761 % 65536; }));
  refused(one(4, [](auto n) { return n > 10 ? n * n : 3; }));
}

void reals(const std::string& text, std::int64_t example, const std::function<double(double)>& code,
           double tolerance = 1e-12) {
  Reals host({"n"}, {example}, [&](const Sizes& s) { return code(static_cast<double>(s[0])); });
  const auto expression = host.solved();
  ASSERT_TRUE(expression) << text;
  EXPECT_EQ(host.text(), text);
  for (std::int64_t n = 3; n < 300; ++n) {
    const double wanted = host.at({n});
    ASSERT_NEAR(real_of(*expression, Sizes{n}).value(), wanted, tolerance * (1 + std::abs(wanted))) << text << " " << n;
  }
}

TEST(SolveSizes, Floats) {
  for (const std::int64_t example : {2, 4, 30}) {
    reals("n", example, [](double n) { return n; });
    reals("n - 1", example, [](double n) { return n - 1; });
    reals("1./n", example, [](double n) { return 1 / n; });
    reals("1./(2*n + 1)", example, [](double n) { return 1 / (2 * n + 1); });
    reals("sqrt(n)", example, [](double n) { return std::sqrt(n); });
    reals("1./sqrt(n)", example, [](double n) { return 1 / std::sqrt(n); });
    reals("log(n + 1)", example, [](double n) { return std::log(n + 1); });
    reals("3./n", example, [](double n) { return 3 / n; });
    reals("(n + 1)/(n + 2)", example, [](double n) { return (n + 1) / (n + 2); });
    reals("sqrt((n - 1)/n)", example, [](double n) { return std::sqrt((n - 1) / n); });
    reals("0.1*n", example, [](double n) { return 0.1 * n; });
    reals("0.3/n", example, [](double n) { return 0.3 / n; });
    reals("0.5*n", example, [](double n) { return n / 2; });
    reals("1./n", example, [](double n) { return static_cast<double>(1.0F / static_cast<float>(n)); }, 1e-6);
  }
  Reals linear({"n"}, {4}, [](const Sizes& s) { return 0.25 + 0.1 * static_cast<double>(s[0]); });
  EXPECT_NEAR(real_of(linear.solved().value(), Sizes{1000}).value(), 100.25, 1e-9);
  Reals ratio({"n", "m"}, {4, 6}, [](const Sizes& s) { return static_cast<double>(s[0]) / static_cast<double>(s[1]); });
  EXPECT_EQ(ratio.text(), "n/m");
  for (const auto& [text, larger] : {std::pair("8./max(n, m)", true), std::pair("8./min(n, m)", false)}) {
    Reals host({"n", "m"}, {5, 5}, [&](const Sizes& s) {
      return 8 / static_cast<double>(larger ? std::max(s[0], s[1]) : std::min(s[0], s[1]));
    });
    EXPECT_EQ(host.text(), text);
  }
  Reals mean({"n", "m"}, {4, 6}, [](const Sizes& s) { return 1 / static_cast<double>(s[0] * s[1]); });
  EXPECT_EQ(mean.text(), "1./(n*m)");
}

TEST(SolveSizes, FloatsThatNoArithmeticYields) {
  Reals sine({"n"}, {4}, [](const Sizes& s) { return std::sin(static_cast<double>(s[0])); });
  EXPECT_EQ(sine.text(), "");
  Reals infinite({"n"}, {4}, [](const Sizes& s) { return s[0] == 4 ? HUGE_VAL : 1.5; });
  EXPECT_EQ(infinite.text(), "");
}

}  // namespace
}  // namespace tonnx::program
