#include <gtest/gtest.h>

#include <array>
#include <string>

#include "aten/schemas.h"
#include "aten/trait_table.h"
#include "ir/error.h"

namespace tonnx::aten {
namespace {

TEST(Traits, OverloadBeforeNameBeforeDomain) {
  EXPECT_EQ(traits_of("aten::slice", "Tensor").inverse, Inverse::Slice);
  EXPECT_EQ(traits_of("aten::slice", "t").container, Container::Part);
  EXPECT_EQ(traits_of("aten::slice", "str").container, Container::None);
  EXPECT_EQ(traits_of("aten::view").inverse, Inverse::Reshape);
  EXPECT_EQ(traits_of("aten::view", "dtype").inverse, Inverse::Dtype);
  EXPECT_EQ(traits_of("aten::reshape", "anything").alias, Alias::SometimesView);
  EXPECT_EQ(traits_of("c10d::broadcast_").effect, Effect::Outside);
  EXPECT_EQ(traits_of("custom::reshape").alias, Alias::Marked);
  EXPECT_EQ(traits_of("").effect, Effect::None);
}

TEST(Traits, TwoRowsOfOneNameAreAnError) {
  static constexpr std::array first = {Row{"aten::a", {}}, Row{"aten::b", {}}};
  static constexpr std::array second = {Row{"aten::c", {}}, Row{"aten::a", {.passes = true}}};
  EXPECT_NO_THROW(TraitTable({first}));
  try {
    TraitTable({first, second});
    ADD_FAILURE() << "taken";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Internal);
    EXPECT_STREQ(error.what(), "operator aten::a has two rows of traits");
  }
}

TEST(Traits, RowsNameOperatorsThatExist) {
  for (const Row* row : trait_table().rows()) {
    if (row->op.ends_with("::*") || row->op.starts_with("prim::")) continue;  // forms of the language have no schema
    EXPECT_TRUE(find_line(row->op) || !overloads_of(row->op).empty()) << row->op;
  }
}

TEST(Traits, ReasonsStandWhereTheyAreTold) {
  for (const Row* row : trait_table().rows()) {
    const Traits& traits = row->traits;
    EXPECT_TRUE(traits.effect != Effect::Outside || !traits.refusal.empty()) << row->op;
    EXPECT_TRUE(traits.effect != Effect::Told || traits.refusal.empty()) << row->op;
  }
}

}  // namespace
}  // namespace tonnx::aten
