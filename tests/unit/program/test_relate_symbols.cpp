#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/facts/relate_symbols.h"

namespace tonnx::program {
namespace {

using ::testing::ElementsAreArray;

struct Case {
  std::vector<FreeSymbol> symbols;
  std::vector<std::string> relations;  // of the first symbol
};

std::vector<std::string> relations(const std::vector<FreeSymbol>& symbols) {
  std::vector<std::string> lines;
  for (const std::vector<SizeRelation>& together : possible_relations(symbols, symbols.front().name)) {
    std::string line;
    for (const SizeRelation& r : together) line += (line.empty() ? "" : ", ") + r.symbol + " = " + r.size.text();
    lines.push_back(std::move(line));
  }
  return lines;
}

class PossibleRelations : public ::testing::TestWithParam<Case> {};

TEST_P(PossibleRelations, ComeMostGeneralFirst) {
  EXPECT_THAT(relations(GetParam().symbols), ElementsAreArray(GetParam().relations));
}

INSTANTIATE_TEST_SUITE_P(
    , PossibleRelations,
    ::testing::Values(Case{{{"a", 4}}, {}}, Case{{{"a", 4}, {"b", 4}}, {"b = a"}},
                      Case{{{"a", 4}, {"b", 4}, {"c", 4}}, {"b = a", "c = a", "b = a, c = a"}},
                      Case{{{"a", 30}, {"b", 10}}, {"a = 3*b"}}, Case{{{"a", 10}, {"b", 30}}, {"b = 3*a"}},
                      Case{{{"a", 30}, {"b", 29}}, {"a = b + 1"}}, Case{{{"a", 30}, {"b", 11}}, {}},
                      Case{{{"a", 4}, {"b", 8}}, {"b = 2*a", "b = a + 4"}},
                      Case{{{"a", 300}, {"b", 20}, {"c", 15}}, {"a = b*c", "a = 15*b", "a = 20*c"}},
                      Case{{{"a", 70}, {"b", 29}, {"c", 41}}, {"a = b + c"}}, Case{{{"a", 1}, {"b", 30}}, {}}));

TEST(Relations, OfManyEqualSizesAreOfOneAxis) {
  std::vector<FreeSymbol> symbols;
  for (std::size_t k = 0; k < 8; ++k) symbols.push_back({"s" + std::to_string(k), 3, k % 2});
  const std::vector<std::string> lines = relations(symbols);
  EXPECT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[0], "s1 = s0");
  EXPECT_EQ(lines[7], "s2 = s0, s4 = s0, s6 = s0");
}

TEST(Relations, AreOfTheAskedSymbolAlone) {
  for (const auto& together : possible_relations({{"a", 30}, {"b", 20}, {"c", 50}, {"d", 20}}, "a"))
    for (const SizeRelation& r : together) EXPECT_TRUE(r.symbol == "a" || r.size.mentions("a")) << r.size.text();
}

TEST(Relations, AreBounded) {
  std::vector<FreeSymbol> symbols;
  for (int k = 0; k < 40; ++k) symbols.push_back({"s" + std::to_string(k), 2 + k});
  EXPECT_LE(possible_relations(symbols, "s0").size(), 32U);
}

}  // namespace
}  // namespace tonnx::program
