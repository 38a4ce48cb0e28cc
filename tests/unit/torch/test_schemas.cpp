#include <sstream>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/schemas.h"
#include "ir/schema.h"
#include "schema_listing.h"
#include "torch/convert.h"

namespace tonnx::torch {
namespace {

std::string domain_of(std::string_view line) { return std::string(line.substr(0, line.find("::"))); }

std::string to_text(const ir::Schema& schema) {
  std::ostringstream out;
  const auto write = [&](const ir::Argument& a) {
    out << to_string(a.type) << " (" << a.alias_set << (a.is_write ? "!" : "") << ") " << a.name;
    if (a.default_value) out << " = " << to_string(*a.default_value) << " #" << a.default_value->value.index();
    out << "; ";
  };
  out << schema.full_name() << ": ";
  for (const ir::Argument& a : schema.arguments) write(a);
  out << (schema.is_vararg ? "...-> " : "-> ");
  for (const ir::Argument& r : schema.returns) write(r);
  return out.str();
}

// LibTorch was changed: run scripts/update_schemas.
TEST(Schemas, AreThoseOfLibTorch) {
  std::istringstream known(test::list_schemas());
  std::string expected;
  for (std::string line; std::getline(known, line);)
    if (aten::is_own_domain(domain_of(line))) expected += line + "\n";
  std::string table;
  aten::for_each_line([&](const aten::SchemaLine& line) {
    if (!aten::is_own(line)) return;
    table += line.text;
    if (line.tags.data_dependent_output) table += " #data_dependent_output";
    if (line.tags.dynamic_output_shape) table += " #dynamic_output_shape";
    if (line.tags.inplace_view) table += " #inplace_view";
    if (line.tags.nondeterministic_seeded) table += " #nondeterministic_seeded";
    table += "\n";
  });
  std::istringstream a(expected);
  std::istringstream b(table);
  int differences = 0;
  for (std::string x, y; std::getline(a, x) && std::getline(b, y) && differences < 5;)
    if (x != y) ADD_FAILURE() << "LibTorch: " << x << "\ntable:    " << y << (++differences, "");
  EXPECT_EQ(expected.size(), table.size());
}

TEST(Schemas, ReadAsTheImporterReadsThem) {
  int count = 0;
  const auto compare = [&](const c10::FunctionSchema& schema) {
    const ir::SchemaPtr imported = to_ir(schema);
    if (!aten::is_own_domain(domain_of(imported->name))) return;
    const ir::SchemaPtr read = aten::find_schema(imported->full_name());
    ASSERT_TRUE(read) << imported->full_name();
    EXPECT_EQ(to_text(*read), to_text(*imported));
    ++count;
  };
  for (const auto& op : ::torch::jit::getAllOperators()) compare(op->schema());
  EXPECT_GT(count, 3000);
}

}  // namespace
}  // namespace tonnx::torch
