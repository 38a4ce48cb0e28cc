#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exported/guards.h"

namespace tonnx::exported {
namespace {

using ir::Polynomial;
using testing::ElementsAre;
using testing::IsEmpty;

// Inputs x: [n, m, 4], y: [n, 2*n], d_k: [m], d_a_and_b: [n], and a number k.
Polynomial size_of(const std::string& input, std::optional<std::size_t> axis) {
  const auto n = Polynomial::symbol("n"), m = Polynomial::symbol("m");
  const std::map<std::string, std::vector<Polynomial>> sizes = {
      {"x", {n, m, 4}}, {"y", {n, n * 2}}, {"d_k", {m}}, {"d_a_and_b", {n}}};
  if (!axis) return input == "k" ? Polynomial::symbol("k") : Polynomial::invalid();
  const auto found = sizes.find(input);
  return found != sizes.end() && *axis < found->second.size() ? found->second[*axis] : Polynomial::invalid();
}

std::vector<std::string> open(const std::string& guards, std::map<std::string, ir::SizeRange> ranges = {}) {
  for (const char* name : {"n", "m", "k"}) ranges.try_emplace(name, ir::SizeRange{2, INT64_MAX});
  return open_guards(JsonDocument(std::string_view(guards)).root(), {size_of, {"x", "", "d_a_and_b", "y"}}, ranges);
}

TEST(Guards, AConditionThatAllSizesFulfilIsNotReported) {
  EXPECT_THAT(open(R"j(["L['x'].size()[0] == L['y'].size()[0]", "L['y'].size()[1] == 2*L['x'].size()[0]"])j"),
              IsEmpty());
  EXPECT_THAT(open(R"j(["L['x'].size()[2] == 4", "L['d']['k'].size()[0] == L['x'].size()[1]", "L['k'] >= 2"])j"),
              IsEmpty());
  EXPECT_THAT(
      open(
          R"j(["(L['x'].size()[0] // 2) <= L['x'].size()[0]", "min(L['x'].size()[1], 2*L['x'].size()[1]) == L['x'].size()[1]"])j"),
      IsEmpty());
  EXPECT_THAT(open(R"j(["L['x'].size()[0] == 1 or L['x'].size()[0] == L['y'].size()[0]"])j"), IsEmpty());
  EXPECT_THAT(open(R"j(["(L['x'].size()[0] // 2) >= 2"])j", {{"n", {4, INT64_MAX}}}), IsEmpty());
  EXPECT_THAT(open(R"j(["L['x'].size()[0] <= 64"])j", {{"n", {2, 64}}}), IsEmpty());
  EXPECT_THAT(open("[]"), IsEmpty());
  EXPECT_THAT(open("null"), IsEmpty());
}

TEST(Guards, AConditionThatSomeSizesBreakIsReported) {
  EXPECT_THAT(open(R"j(["(((-2) + L['x'].size()[0]) % 2) == 0"])j"), ElementsAre("(((-2) + x.size()[0]) % 2) == 0"));
  EXPECT_THAT(open(R"j(["L['x'].size()[0] == L['x'].size()[1]"])j"), ElementsAre("x.size()[0] == x.size()[1]"));
  EXPECT_THAT(open(R"j(["L['x'].size()[0] <= 64"])j"), ElementsAre("x.size()[0] <= 64"));
  EXPECT_THAT(open(R"j(["(L['d']['k'].size()[0] // 2) > 2"])j"), ElementsAre("(d['k'].size()[0] // 2) > 2"));
  EXPECT_THAT(open(R"j(["L['x'].size()[0] != 7"])j"), ElementsAre("x.size()[0] != 7"));
}

TEST(Guards, AConditionThatFollowsFromAnotherIsNotReported) {
  EXPECT_THAT(open(R"j(["L['x'].size()[0] >= 3", "L['x'].size()[0] == 8", "2*L['x'].size()[0] <= 16"])j"),
              ElementsAre("x.size()[0] == 8"));
}

TEST(Guards, TheChoicesOfPyTorchItselfAreNotReported) {
  EXPECT_THAT(
      open(
          R"j(["(L['x'].size()[0] // 2) != 1", "L['x'].size()[0] != 0", "(4*L['x'].size()[0]) != (4*(L['x'].size()[0] // 2))"])j"),
      IsEmpty());
}

// Each was a branch of a program that was captured at another size.
TEST(Guards, SizesThatTakeAnotherBranchAreReported) {
  EXPECT_THAT(open(R"j(["L['x'].size()[0] != L['d']['k'].size()[0]"])j"),
              ElementsAre("x.size()[0] != d['k'].size()[0]"));
  EXPECT_THAT(open(R"j(["(2*L['x'].size()[0]) != 8"])j"), ElementsAre("(2*x.size()[0]) != 8"));
  EXPECT_THAT(open(R"j(["(L['x'].size()[0] % 3) != 0"])j"), ElementsAre("(x.size()[0] % 3) != 0"));
  EXPECT_THAT(open(R"j(["L['x'].size()[0] != 7 and f(L['x'].size()[1])"])j"),
              ElementsAre("f(x.size()[1])", "x.size()[0] != 7"));
  EXPECT_THAT(open(R"j(["L['x'].size()[0] != 7", "L['x'].size()[1] <= 64"])j"),
              ElementsAre("x.size()[1] <= 64", "x.size()[0] != 7"));
}

TEST(Guards, TwoConditionsInOneAreTwo) {
  const std::string both = R"j(["L['k'] >= 2 and L['k'] <= 4"])j";
  EXPECT_THAT(open(both, {{"k", {2, 4}}}), IsEmpty());
  EXPECT_THAT(open(both), ElementsAre("k <= 4"));
  EXPECT_THAT(open(R"j(["(L['k'] >= 2 and L['k'] <= 4)"])j", {{"k", {2, 4}}}), ElementsAre("(k >= 2 and k <= 4)"));
  EXPECT_THAT(open(R"j(["L['k'] >= 2 and L['k'] <= 4 or L['k'] == 9"])j", {{"k", {2, 4}}}),
              ElementsAre("k >= 2 and k <= 4 or k == 9"));
  const JsonDocument document{std::string_view(both)};
  const auto broken = [&](std::int64_t k) {
    return broken_guard(document.root(),
                        {[&](const std::string&, std::optional<std::size_t>) { return Polynomial(k); }});
  };
  EXPECT_EQ(broken(9), "k <= 4");
  EXPECT_EQ(broken(3), std::nullopt);
}

TEST(Guards, KeysAreNoWordsOfTheGuard) {
  EXPECT_THAT(open(R"j(["L['d']['a and b'].size()[0] == L['x'].size()[0] and L['D']['a or b'].size()[0] == 3"])j"),
              ElementsAre("D['a or b'].size()[0] == 3"));
  EXPECT_THAT(open(R"j(["L['d']['a and b'].size()[0] == 3 and L['x'].size()[1] == 3"])j"),
              ElementsAre("d['a and b'].size()[0] == 3", "x.size()[1] == 3"));
  EXPECT_THAT(
      open(
          R"j(["L['d'][\"a]and'b\"].size()[0] == L['x'].size()[0]", "L['X'].size()[0] == L['d']['a \\'or b'].size()[0]"])j"),
      ElementsAre("X.size()[0] == d['a \\'or b'].size()[0]"));
}

TEST(Guards, InputsAreCountedWhereACaptureIsStrict) {
  EXPECT_THAT(open(R"j(["L['flat_args'][3].size()[1] == (2*L['flat_args'][0].size()[0])"])j"), IsEmpty());
  EXPECT_THAT(open(R"j(["L['flat_args'][3].size()[1] == 8", "L['flat_args'][9] == 1"])j"),
              ElementsAre("y.size()[1] == 8", "flat_args == 1"));
}

TEST(Guards, AnUnknownConditionIsReported) {
  EXPECT_THAT(open(R"j(["L['z'].size()[0] == 3", "f(L['x'].size()[0])", "L['x'].size()[", "L['x"])j"),
              ElementsAre("z.size()[0] == 3", "f(x.size()[0])", "x.size()[", ""));
}

}  // namespace
}  // namespace tonnx::exported
