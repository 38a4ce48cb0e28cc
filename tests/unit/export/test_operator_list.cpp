#include <set>
#include <string>

#include <gtest/gtest.h>

#include "aten/functional_form.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "export/operator_list.h"

namespace tonnx::exporting {
namespace {

std::vector<std::size_t> written_by(const ir::Schema& schema) {
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < schema.arguments.size(); ++i)
    if (schema.arguments[i].is_write) written.push_back(i);
  return written;
}

// The functional form of a writing operator that passes convert by it; null for others.
ir::SchemaPtr form_of(const ir::Schema& schema) {
  const std::vector<std::size_t> written = written_by(schema);
  if (aten::traits_of(schema.name, schema.overload).write != aten::Write::Content) return nullptr;
  return written.size() == 1 ? aten::functional_form(schema, written[0]).schema
                             : aten::functional_form_of_outs(schema, written.size());
}

// Facts are inferred by calling the functional form in LibTorch, so its arguments must be those of an operator there.
TEST(OperatorList, EachWriteHasAFormThatLibTorchCanCall) {
  // Their forms call the tensor `input`, at the same position.
  const std::set<std::string> renamed = {"aten::alpha_dropout_", "aten::dropout_", "aten::feature_alpha_dropout_",
                                         "aten::feature_dropout_"};
  std::size_t found = 0;
  for (const Conversion& conversion : list_operators(lower::Registry())) {
    if (conversion.kind != "write" || renamed.contains(conversion.name)) continue;
    const ir::SchemaPtr schema = aten::find_schema(conversion.name);
    ASSERT_TRUE(schema) << conversion.name;
    const ir::SchemaPtr form = form_of(*schema);
    if (!form || aten::overloads_of(form->name).empty()) continue;  // LibTorch has no operator of this name
    const ir::SchemaPtr known = aten::find_schema(form->full_name());
    ASSERT_TRUE(known) << conversion.name << " by " << form->full_name();
    ASSERT_EQ(form->arguments.size(), known->arguments.size()) << conversion.name;
    for (std::size_t i = 0; i < form->arguments.size(); ++i)
      EXPECT_EQ(form->arguments[i].name, known->arguments[i].name) << conversion.name;
    ++found;
  }
  EXPECT_GE(found, 200U);
}

TEST(OperatorList, HasThePrimitivesThatAreReadAsOtherOperators) {
  std::set<std::pair<std::string, std::string>> rows;
  for (const Conversion& conversion : list_operators(lower::Registry())) rows.emplace(conversion.name, conversion.kind);
  EXPECT_TRUE(rows.contains({"prims::cat", "primitive"}));
  EXPECT_TRUE(rows.contains({"prims::resize", "primitive"}));
  EXPECT_FALSE(rows.contains({"prims::resize", "lowering"}));
}

}  // namespace
}  // namespace tonnx::exporting
