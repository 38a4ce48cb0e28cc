#include <gtest/gtest.h>

#include "program/schema_text.h"
#include "program/symbols.h"

namespace tonnx::program {
namespace {

std::string text(const ir::Dim& dim) {
  return dim.is_fixed() ? std::to_string(dim.size()) : dim.is_symbolic() ? dim.expression() : "*";
}

const SymbolTable kTwo = {{"batch", "seq"},
                          {{4, 7}, {8, 7}, {72, 7}, {3, 7}, {4, 14}, {4, 78}, {8, 14}, {72, 78}}};

template <class F>
std::string fitted(const SymbolTable& table, F f) {
  std::vector<std::int64_t> values;
  for (const auto& sizes : table.sizes) values.push_back(f(sizes[0], sizes[1]));
  return text(fit(table, values));
}

TEST(Symbols, Fits) {
  EXPECT_EQ(fitted(kTwo, [](auto, auto) { return 5; }), "5");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto) { return b; }), "batch");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto) { return 2 * b + 1; }), "2*batch + 1");
  EXPECT_EQ(fitted(kTwo, [](auto, auto s) { return s - 1; }), "seq - 1");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto s) { return b + s; }), "batch + seq");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto s) { return b * s; }), "batch*seq");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto s) { return 12 * b * (s + 1); }), "12*batch*seq + 12*batch");
}

TEST(Symbols, RefusesWhatIsNoPolynomial) {
  EXPECT_EQ(fitted(kTwo, [](auto, auto s) { return (s - 1) / 2 + 1; }), "*");
  EXPECT_EQ(fitted(kTwo, [](auto b, auto) { return std::min<std::int64_t>(b, 10); }), "*");
}

TEST(Symbols, ASumNeedsALaneThatChangesBoth) {
  const SymbolTable alone = {{"a", "b"}, {{4, 7}, {8, 7}, {4, 14}}};
  EXPECT_EQ(fitted(alone, [](auto a, auto b) { return a + b; }), "*");
  EXPECT_EQ(fitted(alone, [](auto a, auto) { return a + 1; }), "a + 1");
}

TEST(SchemaText, Reads) {
  const ir::Schema s = parse_schema(
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1, SymInt[2]? size=None) -> Tensor(a!)");
  EXPECT_EQ(s.full_name(), "aten::add_.Tensor");
  ASSERT_EQ(s.arguments.size(), 4u);
  EXPECT_TRUE(s.arguments[0].is_write);
  EXPECT_EQ(s.arguments[0].alias_set, "a");
  EXPECT_EQ(to_string(s.arguments[3].type), "int[]?");
  EXPECT_EQ(s.arguments[2].default_value->as_int64(), 1);
  ASSERT_EQ(s.returns.size(), 1u);
  EXPECT_EQ(s.returns[0].alias_set, "a");
  EXPECT_TRUE(parse_schema("aten::clear.t(t[](a!) self) -> ()").returns.empty());
}

}  // namespace
}  // namespace tonnx::program
