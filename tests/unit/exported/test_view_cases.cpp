#include <gtest/gtest.h>

#include "exported/expression.h"
#include "exported/view_cases.h"

namespace tonnx::exported {
namespace {

using Texts = std::vector<std::string>;

Sizes sizes(const Texts& texts) {
  Sizes read;
  for (const std::string& text : texts) read.push_back(parse_expression(text));
  return read;
}

// "always", "never", "unknown", or "b s: 1 3": the symbols, and the cases by their bits.
std::string shown(const std::optional<ViewCases>& cases) {
  if (!cases) return "unknown";
  if (cases->is_always() || cases->is_never()) return cases->is_always() ? "always" : "never";
  std::string text;
  for (const std::string& symbol : cases->symbols) text += (text.empty() ? "" : " ") + symbol;
  text += ":";
  for (const std::int64_t which : cases->cases) text += " " + std::to_string(which);
  return text;
}

std::string view(const Texts& have, const Texts& strides, const Texts& wanted) {
  return shown(view_cases(sizes(have), sizes(strides), sizes(wanted)));
}

std::string contiguous(const Texts& have, const Texts& strides) {
  return shown(contiguous_cases(sizes(have), sizes(strides)));
}

TEST(ViewCases, RunsOfAxesMayBeReadAsOne) {
  EXPECT_EQ(view({"b", "2"}, {"4", "2"}, {"2*b"}), "always");
  EXPECT_EQ(view({"b", "2", "4"}, {"8*s", "4*s", "s"}, {"2*b", "2", "2"}), "always");
  EXPECT_EQ(view({"b", "0"}, {"4", "2"}, {"0", "b"}), "always");
}

TEST(ViewCases, SizesOfOneDecideWhereStridesDiffer) {
  EXPECT_EQ(view({"b", "2"}, {"4", "1"}, {"2*b"}), "b: 1");
  EXPECT_EQ(view({"4", "b"}, {"1", "4"}, {"4*b"}), "b: 1");
  EXPECT_EQ(view({"b", "2", "s", "2"}, {"4*s", "2", "4", "1"}, {"b", "2", "2*s"}), "s: 1");
  EXPECT_EQ(view({"b", "2", "s", "2"}, {"4*s", "2", "4", "1"}, {"2*b", "s", "2"}), "b s: 1 2 3");
  EXPECT_EQ(view({"2", "2"}, {"4", "1"}, {"4"}), "never");
}

TEST(ViewCases, WhatSizesAboveOneDecideIsUnknown) {
  EXPECT_EQ(view({"b", "(s + 1)//2", "4"}, {"4*s", "8", "1"}, {"b*((s + 1)//2)", "4"}), "unknown");
  EXPECT_EQ(view({"b", "3"}, {"s", "1"}, {"3*b"}), "unknown");
  EXPECT_EQ(view({"b - 1", "2"}, {"4", "1"}, {"2*b - 2"}), "unknown");
  EXPECT_EQ(view({"b", "2"}, {"4", "1"}, {"b"}), "unknown");
}

// A name with a minus sign in it is not a subtraction.
TEST(ViewCases, ProductsThatAreTooLongAreUnknown) {
  const auto power = [](const std::string& sum) {
    std::string product = sum;
    for (int i = 1; i < 8; ++i) product += "*" + sum;
    return product;
  };
  const std::string product = power("(a + b + c + d + e + f + g + h)");
  ASSERT_FALSE(parse_expression(product).is_valid());
  EXPECT_EQ(view({product}, {"1"}, {power("(i + j + k + l + m + n + o + p)")}), "unknown");
  EXPECT_EQ(contiguous({"2", product}, {product, "1"}), "unknown");
}

TEST(ViewCases, NamesAreNotReadAsExpressions) {
  const ir::Polynomial b = ir::Polynomial::symbol("batch-size (b)");
  EXPECT_EQ(shown(view_cases({b, 2}, {4, 1}, {b * 2})), "batch-size (b): 1");
}

TEST(ViewCases, ContiguousByStrides) {
  EXPECT_EQ(contiguous({"b", "s"}, {"s", "1"}), "always");
  EXPECT_EQ(contiguous({"s", "b"}, {"1", "s"}), "b s: 1 2 3");
  EXPECT_EQ(contiguous({"2", "3"}, {"1", "2"}), "never");
  EXPECT_EQ(contiguous({"b", "2"}, {"s", "1"}), "unknown");
}

std::string strided(const Texts& have, const Texts& strides, const Texts& wanted) {
  return shown(strided_cases(sizes(have), sizes(strides), sizes(wanted)));
}

TEST(ViewCases, ContiguousInAnotherOrder) {
  EXPECT_EQ(strided({"2", "3", "4"}, {"12", "4", "1"}, {"12", "1", "3"}), "never");
  EXPECT_EQ(strided({"b", "3", "s", "5"}, {"15*s", "5*s", "5", "1"}, {"15*s", "1", "15", "3"}), "never");
  EXPECT_EQ(strided({"2", "1", "4"}, {"4", "4", "1"}, {"4", "1", "1"}), "unknown");
}

TEST(ViewCases, ATensorHasAStrideForEachAxis) {
  EXPECT_EQ(view({"2", "4"}, {"1"}, {"8"}), "unknown");
  EXPECT_EQ(contiguous({"2", "4"}, {"1"}), "unknown");
  EXPECT_EQ(strided({"2", "4"}, {"1"}, {"4", "1"}), "unknown");
  EXPECT_EQ(strided({"2", "4"}, {"4", "1"}, {"1"}), "unknown");
}

}  // namespace
}  // namespace tonnx::exported
