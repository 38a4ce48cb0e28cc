#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/facts/thresholds.h"

namespace tonnx::program {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

const SymbolTable kOne = {{"n"}, {{40}, {80}, {153}, {3}, {1}}};

template <class F>
std::vector<double> by_sample(const SymbolTable& table, F f) {
  std::vector<double> result;
  for (const auto& sizes : table.sizes) result.push_back(f(static_cast<double>(sizes.front())));
  return result;
}

template <class F>
std::vector<std::int64_t> around(const SymbolTable& table, F f, Thresholds::Kind kind = Thresholds::Kind::Cut) {
  Thresholds thresholds;
  thresholds.note(by_sample(table, f), kind);
  return thresholds.further(table).front();
}

TEST(Thresholds, ACutIsLookedAtWhereItBegins) {
  EXPECT_THAT(around(kOne, [](double n) { return 20 - n; }), ElementsAre(20));
  EXPECT_THAT(around(kOne, [](double n) { return 3 * n - 64; }), ElementsAre(21, 22));
  EXPECT_THAT(around(kOne, [](double) { return -7; }), IsEmpty());
}

TEST(Thresholds, AConditionIsLookedAtOnBothSides) {
  EXPECT_THAT(around(kOne, [](double n) { return 20 - n; }, Thresholds::Kind::Jump), ElementsAre(19, 20, 21));
}

TEST(Thresholds, OneThresholdBeyondAllSamplesIsFarAway) {
  EXPECT_THAT(around(kOne, [](double n) { return 300 - n; }), ElementsAre(603));
  EXPECT_THAT(around(kOne, [](double n) { return 5000 - n; }), IsEmpty());
  EXPECT_THAT(around(kOne, [](double n) { return 5000 - n; }, Thresholds::Kind::CutByConstant), ElementsAre(10003));
}

TEST(Thresholds, OfWhatIsBeforeAllSamplesTwoAreSmaller) {
  const SymbolTable large = {{"n"}, {{40}, {80}, {153}}};
  EXPECT_THAT(around(large, [](double n) { return 20 - n; }), ElementsAre(18, 19, 20));
}

TEST(Thresholds, RemaindersFollowOneAnother) {
  Thresholds thresholds;
  thresholds.note_divided(by_sample(kOne, [](double n) { return n; }), 4);
  EXPECT_THAT(thresholds.further(kOne).front(), IsSupersetOf({2, 4, 5, 6, 41, 42, 43, 44}));
  Thresholds whole;
  whole.note_divided(by_sample(kOne, [](double n) { return n; }), 1);
  EXPECT_THAT(whole.further(kOne).front(), IsEmpty());
}

TEST(Thresholds, ADivisorBeyondAllSamplesIsLookedAt) {
  Thresholds thresholds;
  thresholds.note_divided(by_sample(kOne, [](double n) { return n; }), 1000);
  EXPECT_THAT(thresholds.further(kOne).front(), IsSupersetOf({2003}));
  Thresholds below;
  below.note_divided(by_sample(kOne, [](double n) { return -n; }), 1000);
  EXPECT_THAT(below.further(kOne).front(), IsSupersetOf({2003}));
  const SymbolTable more = {{"n"}, {{40}, {80}, {153}, {2003}}};
  Thresholds between;
  between.note_divided(by_sample(more, [](double n) { return n; }), 1000);
  EXPECT_THAT(between.further(more).front(), IsSupersetOf({1000}));
}

TEST(Thresholds, OtherSymbolsStayAsInTheExample) {
  const SymbolTable two = {{"h", "w"}, {{40, 8}, {80, 8}, {3, 8}, {40, 16}, {80, 16}}};
  Thresholds thresholds;
  thresholds.note({32, 72, -5, 24, 64}, Thresholds::Kind::Cut);
  EXPECT_THAT(thresholds.further(two), ElementsAre(ElementsAre(8), ElementsAre(83)));
}

}  // namespace
}  // namespace tonnx::program
