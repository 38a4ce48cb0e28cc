#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ir/polynomial.h"

namespace tonnx::ir {
namespace {

const Polynomial n = Polynomial::symbol("n");
const Polynomial m = Polynomial::symbol("m");

struct Case {
  Polynomial polynomial;
  const char* text;
  std::int64_t value;  // at n = 3, m = 5
};

class Polynomials : public ::testing::TestWithParam<Case> {};

TEST_P(Polynomials, HaveOneTextAndAValue) {
  const std::string names[] = {"m", "n"};
  const std::int64_t sizes[] = {5, 3};
  EXPECT_EQ(GetParam().polynomial.text(), GetParam().text);
  EXPECT_EQ(GetParam().polynomial.value(names, sizes), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(, Polynomials,
                         ::testing::Values(Case{7, "7", 7}, Case{0, "0", 0}, Case{-2, "-2", -2}, Case{n, "n", 3},
                                           Case{n + n, "2*n", 6}, Case{n * 2 + 1, "2*n + 1", 7},
                                           Case{n * 2 - n - n, "0", 0}, Case{n - 1, "n - 1", 2},
                                           Case{Polynomial(1) - n, "-n + 1", -2}, Case{n + m, "m + n", 8},
                                           Case{n * m, "m*n", 15}, Case{n * n * 2, "2*n*n", 18},
                                           Case{(n + 1) * (m - 1), "m*n + m - n - 1", 16},
                                           Case{(n + m) * (n - m), "-m*m + n*n", -16}));

TEST(Polynomial, EqualsEveryEquivalentExpression) {
  EXPECT_EQ(n * 2, n + n);
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ((n + 1) * m, m * n + m);
  EXPECT_EQ(n - n, 0);
  EXPECT_NE(n, m);
  EXPECT_NE(n * n, n * 2);
  EXPECT_NE(n, n + 1);
}

TEST(Polynomial, ReturnsASingleSymbolOrConstant) {
  ASSERT_TRUE(n.symbol());
  EXPECT_EQ(*n.symbol(), "n");
  EXPECT_FALSE((n * 2).symbol());
  EXPECT_FALSE((n * n).symbol());
  EXPECT_FALSE((n + 1).symbol());
  EXPECT_FALSE(Polynomial(1).symbol());
  EXPECT_EQ((n - n + 4).constant(), 4);
  EXPECT_FALSE(n.constant());
  EXPECT_TRUE((n * m + 1).mentions("m"));
  EXPECT_FALSE((n * m + 1).mentions("nm"));
}

struct CallCase {
  SizeFunction function;
  std::int64_t a, b;
  std::int64_t value;
};

class SizeFunctions : public ::testing::TestWithParam<CallCase> {};

TEST_P(SizeFunctions, RoundAsPythonDoes) {
  const CallCase& c = GetParam();
  const std::string names[] = {"n"};
  const std::int64_t size[] = {c.a};
  EXPECT_EQ(Polynomial::call(c.function, {n, c.b}).value(names, size), c.value);
  EXPECT_EQ(Polynomial::call(c.function, {c.a, c.b}), c.value);
}

INSTANTIATE_TEST_SUITE_P(
    , SizeFunctions,
    ::testing::Values(CallCase{SizeFunction::FloorDivide, 7, 2, 3}, CallCase{SizeFunction::FloorDivide, -7, 2, -4},
                      CallCase{SizeFunction::FloorDivide, 7, -2, -4}, CallCase{SizeFunction::FloorDivide, 6, 2, 3},
                      CallCase{SizeFunction::CeilDivide, 7, 2, 4}, CallCase{SizeFunction::CeilDivide, -7, 2, -3},
                      CallCase{SizeFunction::CeilDivide, 6, 2, 3}, CallCase{SizeFunction::Remainder, 7, 3, 1},
                      CallCase{SizeFunction::Remainder, -7, 3, 2}, CallCase{SizeFunction::Remainder, 7, -3, -2},
                      CallCase{SizeFunction::Remainder, 6, 3, 0}, CallCase{SizeFunction::Max, 7, 3, 7},
                      CallCase{SizeFunction::Min, 7, 3, 3}));

TEST(Polynomial, AFunctionIsAFactor) {
  const Polynomial half = Polynomial::call(SizeFunction::FloorDivide, {n + 1, 2});
  EXPECT_EQ(half.text(), "((n + 1)//(2))");
  EXPECT_EQ((half * 2 - 1).text(), "2*((n + 1)//(2)) - 1");
  EXPECT_EQ(half, Polynomial::call(SizeFunction::FloorDivide, {Polynomial(1) + n, 2}));
  EXPECT_NE(half, Polynomial::symbol(half.text()));
  EXPECT_FALSE(half.symbol());
  EXPECT_FALSE(half.constant());
  EXPECT_TRUE(half.mentions("n"));
  EXPECT_FALSE(half.mentions("m"));
  EXPECT_EQ(Polynomial::call(SizeFunction::Max, {n, m}), Polynomial::call(SizeFunction::Max, {m, n}));
  EXPECT_EQ((half * m).symbols(), (std::set<std::string>{"m", "n"}));
}

TEST(Polynomial, NamesMayContainTheSignsOfItsText) {
  const auto max = [](const char* a, const char* b) {
    return Polynomial::call(SizeFunction::Max, {Polynomial::symbol(a), Polynomial::symbol(b)});
  };
  EXPECT_NE(max("a, b", "c").text(), max("a", "b, c").text());
  EXPECT_NE(max("a, b", "c"), max("a", "b, c"));
  EXPECT_NE(Polynomial::symbol("a + b"), Polynomial::symbol("a") + Polynomial::symbol("b"));
}

TEST(Polynomial, SubstitutesAllSymbolsAtOnce) {
  const Polynomial sum = Polynomial::call(SizeFunction::Remainder, {n, m}) + n * 2;
  EXPECT_EQ(sum.with({{"n", m}, {"m", n}}), Polynomial::call(SizeFunction::Remainder, {m, n}) + m * 2);
  EXPECT_EQ(sum.with({{"n", 7}, {"m", 4}}), 17);
  EXPECT_EQ(sum.with({{"other", 7}}), sum);
}

TEST(Polynomial, HasNoValueWithoutASizeOrBeyond64Bits) {
  const std::string names[] = {"n"};
  const std::int64_t size[] = {std::numeric_limits<std::int64_t>::max() / 2};
  EXPECT_FALSE((n + m).value(names, size));
  EXPECT_TRUE((n * 2).value(names, size));
  EXPECT_FALSE((n * 3).value(names, size));
  EXPECT_FALSE((n + n + 2).value(names, size));
}

TEST(Polynomial, IsNotValidIfACoefficientOverflows) {
  const Polynomial largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE((largest * n * 2).is_valid());
  EXPECT_FALSE((largest * n + n).is_valid());
  EXPECT_FALSE((largest * n + n - n).is_valid());
  EXPECT_TRUE((largest * n).is_valid());
}

TEST(Polynomial, IsNotValidIfAFunctionIsUndefined) {
  const Polynomial over_zero = Polynomial::call(SizeFunction::FloorDivide, {4, 0});
  EXPECT_FALSE(over_zero.is_valid());
  EXPECT_FALSE(over_zero.constant());
  EXPECT_FALSE(Polynomial::call(SizeFunction::Max, {n, over_zero}).is_valid());
  EXPECT_FALSE((n + over_zero).is_valid());
  const std::string names[] = {"n"};
  const std::int64_t size[] = {0};
  EXPECT_FALSE(Polynomial::call(SizeFunction::Remainder, {4, n}).value(names, size));
}

TEST(Polynomial, IsNotValidIfAProductHasTooManyTerms) {
  const auto sum = [](const std::string& name, int count) {
    Polynomial all = 0;
    for (int i = 0; i < count; ++i) all = all + Polynomial::symbol(name + std::to_string(i));
    return all;
  };
  const Polynomial largest = sum("a", 64) * sum("b", 64);
  EXPECT_TRUE(largest.is_valid());
  EXPECT_TRUE(((largest + n) * 2 * m).is_valid());
  EXPECT_FALSE((sum("a", 64) * sum("b", 65)).is_valid());
}

}  // namespace
}  // namespace tonnx::ir
