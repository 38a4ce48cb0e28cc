#include <array>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "torch/rule_table.h"

namespace tonnx::torch {
namespace {

RuleOutcome done(RuleCall&) { return RuleOutcome::Done; }
RuleOutcome declined(RuleCall&) { return RuleOutcome::Declined; }

constexpr std::array kFirst = {NamedRule{"aten::a", done}, NamedRule{"aten::a.out", declined}};

TEST(RuleTable, TwoRulesOfOneNameAreAnError) {
  static constexpr std::array second = {NamedRule{"aten::b", done}, NamedRule{"aten::a", declined}};
  EXPECT_NO_THROW(RuleTable({kFirst}));
  try {
    RuleTable({kFirst, second});
    ADD_FAILURE() << "taken";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Internal);
    EXPECT_STREQ(error.what(), "operator aten::a has two rules");
  }
}

TEST(RuleTable, TheRuleOfAnOverloadWins) {
  const RuleTable table({kFirst});
  EXPECT_EQ(table.find("aten::a", "out"), declined);
  EXPECT_EQ(table.find("aten::a", "Tensor"), done);
  EXPECT_EQ(table.find("aten::a", ""), done);
  EXPECT_EQ(table.find("aten::c", ""), nullptr);
}

}  // namespace
}  // namespace tonnx::torch
