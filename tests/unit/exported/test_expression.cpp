#include <gtest/gtest.h>

#include "exported/expression.h"

namespace tonnx::exported {
namespace {

std::string text(const char* expression) { return parse_expression(expression).text(); }

TEST(Expression, BothFormsOfSympyAreOne) {
  EXPECT_EQ(text("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(text("s77"), "s77");
  EXPECT_EQ(text("Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(-1))"), "2*s0 - 1");
  EXPECT_EQ(text("2*s0 - 1"), "2*s0 - 1");
  EXPECT_EQ(text("Pow(Symbol('s0', positive=True, integer=True), Integer(2))"), text("s0**2"));
  EXPECT_EQ(text("s1*s0"), text("Mul(Symbol('s0'), Symbol('s1'))"));
}

TEST(Expression, TermsMeet) {
  EXPECT_EQ(text("s0 + 1 - s0"), "1");
  EXPECT_EQ(text("(s0 + 1)*(s0 - 1)"), text("s0**2 - 1"));
  EXPECT_EQ(parse_expression("s0 - s0"), 0);
  EXPECT_EQ(parse_expression("3*4"), 12);
}

TEST(Expression, ANonPolynomialIsAnAtom) {
  EXPECT_EQ(text("(s0 + 1)//2"), text("FloorDiv(Add(Symbol('s0'), Integer(1)), Integer(2))"));
  EXPECT_NE(text("s0//2"), text("s0//3"));
  EXPECT_EQ(text("Max(1, s0)"), text("Max(s0, 1)"));
  EXPECT_EQ(text("Mod(s0, 8) + 1"), "((s0)%(8)) + 1");
}

TEST(Expression, WhatIsNotUnderstoodIsUnknown) {
  for (const char* broken :
       {"", "s0 +", "s0)", "Piecewise((1, True))", "s0/2", "s0**s1", "99999999999999999999", "'", "s0 s1"})
    EXPECT_FALSE(parse_expression(broken).is_valid()) << broken;
  EXPECT_FALSE(parse_expression("9223372036854775807 + 1").is_valid());
  EXPECT_FALSE(parse_expression(std::string(100000, '(')).is_valid());
  EXPECT_FALSE(parse_expression("(a + b + c + d + e + f + g + h)**8").is_valid());
}

TEST(Expression, SymbolsGetOtherNames) {
  EXPECT_EQ(parse_expression("2*s0 + s1//2", {{"s0", "batch"}, {"s1", "s0"}}).text(), "((s0)//(2)) + 2*batch");
}

}  // namespace
}  // namespace tonnx::exported
