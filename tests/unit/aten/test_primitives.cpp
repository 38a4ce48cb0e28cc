#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "aten/primitives.h"
#include "aten/schemas.h"

namespace tonnx::aten {
namespace {

TEST(Primitives, OccurOnceAndAreOperatorsOfAten) {
  std::set<std::string_view> seen;
  for (const Primitive& primitive : primitives()) {
    EXPECT_TRUE(seen.insert(primitive.name).second) << primitive.name << " occurs twice";
    EXPECT_TRUE(primitive.name.starts_with("prims::")) << primitive.name;
    EXPECT_TRUE(find_schema(primitive.as)) << primitive.name << ": no schema " << primitive.as;
    EXPECT_EQ(find_primitive(primitive.name), &primitive);
  }
}

TEST(Primitives, RenameArgumentsThatTheOperatorHas) {
  for (const Primitive& primitive : primitives()) {
    const auto schema = find_schema(primitive.as);
    ASSERT_TRUE(schema) << primitive.as;
    std::size_t renamed = 0;
    for (const ir::Argument& argument : schema->arguments) renamed += primitive.own(argument.name) != argument.name;
    EXPECT_EQ(renamed, static_cast<std::size_t>(std::ranges::count(primitive.arguments, '=')))
        << primitive.name << ": " << primitive.arguments;
  }
}

TEST(Primitives, FixArgumentsThatTheOperatorHas) {
  for (const Primitive& primitive : primitives()) {
    const auto schema = find_schema(primitive.as);
    ASSERT_TRUE(schema) << primitive.as;
    std::size_t fixed = 0;
    for (const ir::Argument& argument : schema->arguments) fixed += primitive.fixed(argument.name).has_value();
    EXPECT_EQ(fixed, static_cast<std::size_t>(std::ranges::count(primitive.arguments, ':')))
        << primitive.name << ": " << primitive.arguments;
  }
  const Primitive* transform = find_primitive("prims::fft_c2c");
  ASSERT_TRUE(transform);
  EXPECT_EQ(transform->fixed("normalization"), 0);
  EXPECT_EQ(transform->fixed("forward"), std::nullopt);
  EXPECT_EQ(transform->own("forward"), "forward");
}

TEST(Primitives, OtherNamesAreNotFound) {
  EXPECT_EQ(find_primitive("prims::nothing"), nullptr);
  EXPECT_EQ(find_primitive("aten::amax"), nullptr);
}

}  // namespace
}  // namespace tonnx::aten
