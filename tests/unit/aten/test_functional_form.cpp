#include <string>

#include <gtest/gtest.h>

#include "aten/functional_form.h"
#include "aten/schema_text.h"
#include "aten/schemas.h"

namespace tonnx::aten {
namespace {

std::size_t written_argument(const ir::Schema& schema) {
  std::size_t written = 0;
  while (!schema.arguments.at(written).is_write) ++written;
  return written;
}

std::string form_of(const ir::Schema& schema) {
  const FunctionalForm form = functional_form(schema, written_argument(schema));
  if (!form.schema) return "none";
  std::string text = form.schema->full_name() + " of";
  for (const std::size_t place : form.arguments)
    text += place == FunctionalForm::kDefault ? " default" : " " + std::to_string(place);
  return text;
}
std::string form_of(std::string_view full_name) { return form_of(*find_schema(full_name)); }

TEST(FunctionalForm, IsTheOverloadWithTheSameArguments) {
  EXPECT_EQ(form_of("aten::add_.Tensor"), "aten::add.Tensor of 0 1 2");
  EXPECT_EQ(form_of("aten::relu_"), "aten::relu of 0");
  EXPECT_EQ(form_of("aten::pow_.Scalar"), "aten::pow.Tensor_Scalar of 0 1");
  EXPECT_EQ(form_of("aten::pow_.Tensor"), "aten::pow.Tensor_Tensor of 0 1");
  EXPECT_EQ(form_of("aten::bernoulli_.float"), "aten::bernoulli.p of 0 1 2");
  EXPECT_EQ(form_of("aten::div_.Tensor_mode"), "aten::div.Tensor_mode of 0 1 2");
  EXPECT_EQ(form_of("aten::__ior__.Tensor"), "aten::__or__.Tensor of 0 1");
}

TEST(FunctionalForm, DropsAnOutArgument) {
  EXPECT_EQ(form_of("aten::add.out"), "aten::add.Tensor of 0 1 2");
  EXPECT_EQ(form_of("aten::div.out_mode"), "aten::div.Tensor_mode of 0 1 2");
  EXPECT_EQ(form_of("aten::sum.IntList_out"), "aten::sum.dim_IntList of 0 1 2 3");
  EXPECT_EQ(form_of("aten::cat.out"), "aten::cat of 0 1");
}

TEST(FunctionalForm, MayHaveItsArgumentsInAnotherOrderOrFurtherOnes) {
  EXPECT_EQ(form_of("aten::polygamma_"), "aten::polygamma of 1 0");
  EXPECT_EQ(form_of("aten::zeros.out"), "aten::zeros of 0 default default default default");
  EXPECT_EQ(form_of("aten::_to_copy.out"), "aten::_to_copy of 0 default default default default 1 2");
}

TEST(FunctionalForm, OfAnotherNameIsInTheTraits) {
  EXPECT_EQ(form_of("aten::normal_"), "aten::normal_functional of 0 1 2 3");
  EXPECT_EQ(form_of("aten::_index_put_impl_"), "aten::index_put of 0 1 2 3");
}

TEST(FunctionalForm, IsDerivedIfTheTableHasNone) {
  const ir::Schema in_place = parse_schema("custom::scale_.by(Tensor(a!) self, Tensor(b) by) -> Tensor(a!)");
  EXPECT_EQ(form_of(in_place), "custom::scale.by of 0 1");
  const FunctionalForm form = functional_form(in_place, 0);
  EXPECT_FALSE(form.schema->arguments[0].is_write);
  EXPECT_TRUE(form.schema->arguments[1].alias_set.empty());
  EXPECT_TRUE(form.schema->returns[0].alias_set.empty());
  EXPECT_EQ(form_of(parse_schema("custom::scale.by_out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")),
            "custom::scale.by of 0");
}

TEST(FunctionalForm, IsNullIfNoNameImpliesIt) {
  EXPECT_EQ(form_of(parse_schema("custom::scale(Tensor(a!) self) -> Tensor(a!)")), "none");
  EXPECT_EQ(form_of(parse_schema("custom::scale_(Tensor x, Tensor(a!) y) -> ()")), "none");
}

}  // namespace
}  // namespace tonnx::aten
