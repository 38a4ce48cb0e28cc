#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "program/cut.h"

namespace tonnx::program {
namespace {

using testing::HasSubstr;

std::string part(const Cut& cut, std::size_t begin, std::size_t end) {
  const Cut::Part part = cut.part(begin, end);
  verify(*part.graph, "cut");
  EXPECT_EQ(part.inputs.empty(), part.graph->inputs().empty());
  std::string text = "in " + std::to_string(part.graph->inputs().size()) + "\n";
  return text + test::show(*part.graph);
}

TEST(Cut, TheLaterHalfIsTheLongerOne) {
  const auto graph = test::parse(R"(
graph(%x : Float(3))
weight %w : Float(3)
%a = aten::relu(%x)
%b = aten::neg(%a)
%l = prim::ListConstruct(%a, %b)
%c = aten::stack(%l, 0)
return %c)");
  const Cut cut(*graph);
  ASSERT_EQ(cut.nodes().size(), 3u);
  EXPECT_EQ(cut.middle(0, 3), 1u);
  EXPECT_EQ(cut.middle(1, 3), 2u);
  EXPECT_EQ(cut.middle(2, 3), 3u);
}

TEST(Cut, ConstantsAndListsOfValuesComeAlong) {
  const auto graph = test::parse(R"(
graph(%x : Float(3))
weight %w : Float(3)
%a = aten::relu(%x)
%l = prim::ListConstruct(%a, %x, %w)
%c = aten::stack(%l, 0)
%d = aten::stack(%l, 1)
return %c, %d)");
  const Cut cut(*graph);
  EXPECT_EQ(part(cut, 0, 1), "in 1\n%1 = aten::relu(%x)\nreturn %1\n");
  EXPECT_EQ(part(cut, 1, 2), "in 2\n%1 = prim::ListConstruct(%relu_2, %x, %w)\n%2 = aten::stack(%1, 0)\nreturn %2\n");
  EXPECT_EQ(part(cut, 2, 3), "in 2\n%1 = prim::ListConstruct(%relu_2, %x, %w)\n%2 = aten::stack(%1, 1)\nreturn %2\n");
}

TEST(Cut, AListCrossesItemByItemOrNotAtAll) {
  const auto graph = test::parse(R"(
graph(%x : Float(4, 3))
%l : Tensor[] = aten::unbind.int(%x, 0)
%y = aten::neg(%x)
%a = aten::stack(%l, 0)
%b = aten::add.Tensor(%a, %y, 1)
return %b)");
  Cut cut(*graph);
  std::string why;
  EXPECT_EQ(cut.middle(0, 3, &why), 3u);
  EXPECT_THAT(why, HasSubstr("Tensor[] that aten::unbind.int"));
  EXPECT_EQ(cut.middle(0, 4), 3u);
  ASSERT_EQ(cut.lists().size(), 1u);
  cut.declare({{cut.lists()[0], std::vector<ir::Facts>(2)}});
  EXPECT_EQ(cut.middle(0, 3), 1u);
  EXPECT_EQ(cut.width(cut.lists()[0]), 2u);
  EXPECT_THAT(part(cut, 0, 1), HasSubstr("prim::ListUnpack(%1)"));
  EXPECT_THAT(part(cut, 1, 4), testing::StartsWith("in 3\n"));
}

TEST(Cut, WhatABranchReadsIsAnInput) {
  const auto graph = test::parse(R"(
graph(%x : Float(3), %c : bool)
%a = aten::relu(%x)
%k = aten::neg(%x)
if %y = %c
  %l = prim::ListConstruct(%a, %k)
  %b = aten::stack(%l, 0)
  then %b
  else %x
end
return %y)");
  const Cut cut(*graph);
  ASSERT_EQ(cut.nodes().size(), 3u);
  const Cut::Part last = cut.part(2, 3);
  EXPECT_EQ(last.inputs.size(), 4u);
  verify(*last.graph, "cut");
}

}  // namespace
}  // namespace tonnx::program
