#include <gtest/gtest.h>

#include "program/facts/symbols.h"

namespace tonnx::program {
namespace {

const SymbolTable kTwo = {{"batch", "seq"}, {{4, 7}, {8, 7}, {72, 7}, {3, 7}, {4, 14}, {4, 78}, {8, 14}, {72, 78}}};

template <class F>
std::string fitted(const SymbolTable& table, F f) {
  std::vector<std::int64_t> values;
  for (const auto& sizes : table.sizes) values.push_back(f(sizes[0], sizes[1]));
  return text_of(fit(table, values), "*");
}

TEST(Symbols, Fits) {
  EXPECT_EQ(fitted(kTwo, [](auto, auto) { return 5; }), "5");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto) { return b; }), "batch");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto) { return 2 * b + 1; }), "2*batch + 1");
  EXPECT_EQ(fitted(kTwo, [](auto, auto s) { return s - 1; }), "seq - 1");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto s) { return b + s; }), "batch + seq");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto s) { return b * s; }), "batch*seq");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto s) { return 12 * b * (s + 1); }), "12*batch*seq + 12*batch");
}

TEST(Symbols, RefusesNonPolynomials) {
  EXPECT_EQ(fitted(kTwo, [](auto, auto s) { return (s - 1) / 2 + 1; }), "*");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto) { return std::min<std::int64_t>(b, 10); }), "*");
}

TEST(Symbols, AProductNeedsLanesThatDistinguishSymbols) {
  const SymbolTable alike = {{"a", "b", "c"}, {{4, 4, 4}, {8, 4, 4}, {4, 8, 4}, {4, 4, 8}, {8, 8, 8}, {81, 81, 81}}};
  const SymbolTable apart = {{"a", "b", "c"}, {{4, 4, 4}, {8, 4, 4}, {4, 8, 4}, {4, 4, 8}, {8, 8, 8}, {81, 3, 8}}};
  EXPECT_EQ(fitted(alike, [](auto a, auto b) { return a * b; }), "*");
  EXPECT_EQ(fitted(apart, [](auto a, auto b) { return a * b; }), "a*b");
}

TEST(Symbols, ASumNeedsALaneThatChangesBoth) {
  const SymbolTable alone = {{"a", "b"}, {{4, 7}, {8, 7}, {4, 14}}};
  EXPECT_EQ(fitted(alone, [](auto a, auto b) { return a + b; }), "*");
  EXPECT_EQ(fitted(alone, [](auto a, auto) { return a + 1; }), "a + 1");
}

}  // namespace
}  // namespace tonnx::program
