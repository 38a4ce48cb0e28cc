#include <string>

#include <gtest/gtest.h>

#include "aten/schema_text.h"
#include "aten/schemas.h"

namespace tonnx::aten {
namespace {

using ir::Type;

TEST(SchemaText, TypesDefaultsAndAliases) {
  const ir::Schema s = parse_schema(
      "aten::to.dtype(Tensor(a) self, ScalarType? dtype=None, SymInt[2] size=[1, -1], *, float p=0.5, bool b=False, "
      "str mode='x\\'y', ...) -> (Tensor(b|a), int[])");
  EXPECT_EQ(s.name, "aten::to");
  EXPECT_EQ(s.overload, "dtype");
  ASSERT_EQ(s.arguments.size(), 6U);
  EXPECT_EQ(s.arguments[0].alias_set, "a");
  EXPECT_FALSE(s.arguments[0].is_write);
  EXPECT_EQ(to_string(s.arguments[1].type), "int?");
  EXPECT_TRUE(s.arguments[1].default_value->is_none());
  EXPECT_EQ(to_string(*s.arguments[2].default_value), "[1, -1]");
  EXPECT_EQ(*s.arguments[3].default_value->get<double>(), 0.5);
  EXPECT_EQ(*s.arguments[5].default_value->get<std::string>(), "x'y");
  EXPECT_TRUE(s.is_vararg);
  EXPECT_EQ(s.returns[0].alias_set, "a");
  EXPECT_EQ(to_string(s.returns[1].type), "int[]");
}

TEST(SchemaText, Containers) {
  const ir::Schema s = parse_schema("aten::pop.Dict_str(Dict(str, t)(a!) self, (int, Tensor?) key) -> t(*)");
  EXPECT_EQ(s.arguments[0].type.kind, Type::Kind::Dict);
  EXPECT_EQ(s.arguments[0].type.elements.at(1).kind, Type::Kind::Any);
  EXPECT_TRUE(s.arguments[0].is_write);
  EXPECT_EQ(s.arguments[1].type.kind, Type::Kind::Tuple);
  EXPECT_EQ(s.returns[0].alias_set, "*");
  EXPECT_TRUE(parse_schema("aten::clear.t(t[](a!) self) -> ()").returns.empty());
}

TEST(Schemas, FindsFirstLastAndNeighbours) {
  std::string last;
  int count = 0;
  bool sorted = true;
  for_each_line([&](const SchemaLine& line) {
    const std::string name(line.full_name);
    sorted = sorted && (count == 0 || last < name || !is_own(line));
    const auto found = find_line(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->text.data(), line.text.data());
    last = name;
    ++count;
  });
  EXPECT_TRUE(sorted);
  EXPECT_GT(count, 4000);
  for (const char* name : {"", "a", "aten::ad", "aten::add.", "aten::add.Tenso", "aten::add.Tensors", "zzz::zzz"})
    EXPECT_FALSE(find_line(name)) << name;
}

TEST(Schemas, Overloads) {
  const auto slices = overloads_of("aten::slice");
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].full_name, "aten::slice.Tensor");
  EXPECT_EQ(slices[0].overload(), "Tensor");
  EXPECT_EQ(overloads_of("aten::relu")[0].overload(), "");
  EXPECT_TRUE(overloads_of("aten::slic").empty());
  EXPECT_TRUE(overloads_of("aten::slice.Tensor").empty());
}

TEST(Schemas, AreParsedOnce) {
  const ir::SchemaPtr add = find_schema("aten::add.Tensor");
  ASSERT_TRUE(add);
  EXPECT_EQ(add, find_schema("aten::add.Tensor"));
  EXPECT_EQ(add->arguments.at(2).name, "alpha");
  EXPECT_EQ(*add->arguments[2].default_value->get<std::int64_t>(), 1);
  EXPECT_FALSE(find_schema("aten::nothing"));
}

TEST(Schemas, Tags) {
  EXPECT_TRUE(find_line("aten::nonzero")->tags.dynamic_output_shape);
  EXPECT_TRUE(find_line("aten::item")->tags.data_dependent_output);
  EXPECT_TRUE(find_line("aten::bernoulli")->tags.nondeterministic_seeded);
  EXPECT_TRUE(find_line("aten::squeeze_")->tags.inplace_view);
  EXPECT_FALSE(find_line("aten::add.Tensor")->tags.nondeterministic_seeded);
}

TEST(Schemas, Domains) {
  for (const char* own : {"aten", "prim", "quantized"}) EXPECT_TRUE(is_own_domain(own)) << own;
  for (const char* other : {"torchvision", "ate", "aten:", "", "custom"}) EXPECT_FALSE(is_own_domain(other)) << other;
  EXPECT_TRUE(find_line("torchvision::nms")->tags.dynamic_output_shape);
}

}  // namespace
}  // namespace tonnx::aten
