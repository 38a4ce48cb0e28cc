#include <array>
#include <string>

#include <gtest/gtest.h>

#include "aten/quantised_traits.h"
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

TEST(Traits, FollowTheKindAndTheSchemaOfANode) {
  ir::Graph graph;
  ir::Node* node = graph.create("aten::slice", std::vector<ir::Value*>{});
  EXPECT_EQ(traits_of(*node).container, Container::None);
  node->set_schema(find_schema("aten::slice.t"));
  EXPECT_EQ(traits_of(*node).container, Container::Part);
  node->set_kind("aten::rand");
  node->set_schema(find_schema("aten::rand"));
  EXPECT_EQ(traits_of(*node).container, Container::None);
  EXPECT_TRUE(is_random(*node));
  node->set_kind("aten::view");
  EXPECT_EQ(traits_of(*node).inverse, Inverse::Reshape);
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
    // prim operators of the language have no schema
    if (row->op.ends_with("::*") || row->op.starts_with("prim::")) continue;
    EXPECT_TRUE(find_line(row->op) || !overloads_of(row->op).empty()) << row->op;
  }
}

TEST(Traits, ReasonsAreSetExactlyWhereTheyAreReported) {
  for (const Row* row : trait_table().rows()) {
    const Traits& traits = row->traits;
    EXPECT_TRUE(traits.effect != Effect::Outside || !traits.refusal.empty()) << row->op;
    EXPECT_TRUE(traits.effect != Effect::Diagnostic || traits.refusal.empty()) << row->op;
  }
}

TEST(QuantisedTraits, RowsNameOperatorsThatExist) {
  for (const QuantisedRow* row : quantised_rows()) {
    const QuantisedTraits& traits = row->traits;
    EXPECT_NE(traits.form, QuantisedForm::None) << row->op;
    for (const std::string_view op : {traits.real, traits.transposed, traits.dynamic, traits.after})
      EXPECT_TRUE(op.empty() || find_schema(op)) << row->op << " " << op;
    // prim operators of the language have no schema
    if (row->op.ends_with("::*") || row->op.starts_with("prim::")) continue;
    EXPECT_TRUE(!overloads_of(row->op).empty() || find_schema(row->op)) << row->op;
  }
}

TEST(QuantisedTraits, QuantisedOperatorsHaveARow) {
  for_each_line([](const SchemaLine& line) {
    const std::string name(line.full_name.substr(0, line.full_name.find('.')));
    const bool speaks =
        name.starts_with("quantized::") || name.starts_with("aten::quantize") || name.starts_with("aten::q_");
    if (speaks) {
      EXPECT_TRUE(is_quantised_alone(quantised_traits_of(name, line.overload()).form)) << name;
    }
  });
  EXPECT_EQ(quantised_traits_of("quantized::linear_unpack").form, QuantisedForm::Refused);
  EXPECT_EQ(quantised_traits_of("quantized::linear").form, QuantisedForm::Linear);
  EXPECT_FALSE(is_quantised_alone(quantised_traits_of("aten::sigmoid").form));
  EXPECT_EQ(quantised_traits_of("aten::matmul").form, QuantisedForm::None);
}

// The float operator of a Function has the arguments of the same names, and requires no others.
TEST(QuantisedTraits, FunctionsHaveTheArgumentsOfTheirFloatOperators) {
  for (const QuantisedRow* row : quantised_rows()) {
    if (row->traits.form != QuantisedForm::Function) continue;
    const auto real = find_schema(row->traits.real);
    const auto own = find_schema(overloads_of(row->op).front().full_name);
    for (std::size_t i = 1; i < own->arguments.size(); ++i) {
      const std::string& name = own->arguments[i].name;
      const bool apart = name == "output_scale" || name == "output_zero_point" || name == "inplace";
      EXPECT_NE(apart, real->index_of(name) > 0) << row->op << " " << name;
    }
  }
}

}  // namespace
}  // namespace tonnx::aten
