#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "ir/refusal.h"
#include "program/nested/branch_alignment.h"
#include "program/nested/replace_nested.h"

namespace tonnx::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Replaced {
  std::string text;
  std::vector<std::string> warnings;
};

Replaced replaced(const std::string& text) {
  const auto graph = test::parse(text);
  Replaced result;
  replace_nested(*graph, result.warnings);
  verify(*graph, "replace_nested");
  result.text = test::show(*graph);
  return result;
}

TEST(ReplaceNested, ANestedTensorIsAPaddedOneAndAMask) {
  const Replaced result = replaced(R"(
graph(%x : Float(2, 3, 4), %m : Bool(2, 3))
%n = aten::_nested_tensor_from_mask(%x, %m, True)
%y = aten::relu(%n)
%p = aten::to_padded_tensor(%y, 0.5, None)
return %p)");
  EXPECT_EQ(result.text, R"(%1 = aten::sum(%m, [1], False, None)
%2 = aten::size(%x, 1)
%3 = aten::arange(%2, 4, None, None, None)
%4 = aten::unsqueeze(%3, 0)
%5 = aten::unsqueeze(%1, 1)
%6 = aten::lt(%4, %5)
%7 = aten::unsqueeze(%6, 2)
%8 = aten::where(%7, %x, 0)
%9 = aten::relu(%8)
%10 = aten::unsqueeze(%6, 2)
%11 = aten::where(%10, %9, 0.5)
%12 = aten::sum(%6, [1], False, None)
%13 = aten::max(%12)
%14 = aten::Int(%13)
%15 = aten::slice(%11, 1, 0, %14, 1)
return %15
)");
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("aten::_nested_tensor_from_mask (line:3): if the mask is not left-aligned")));
}

TEST(ReplaceNested, ABranchCarriesTheMask) {
  const Replaced result = replaced(R"(
graph(%x : Float(2, 3, 4), %m : Bool(2, 3), %c : bool)
if %n = %c
  %a = aten::_nested_tensor_from_mask(%x, %m, False)
  then %a
  else %x
end
%y = aten::relu(%n)
%q = prim::is_nested(%y)
if %z = %q
  %p = aten::to_padded_tensor(%y, 0.5, None)
  then %p
  else %y
end
return %z)");
  EXPECT_EQ(result.text, R"(if %c
  %1 = aten::sum(%m, [1], False, None)
  %2 = aten::size(%x, 1)
  %3 = aten::arange(%2, 4, None, None, None)
  %4 = aten::unsqueeze(%3, 0)
  %5 = aten::unsqueeze(%1, 1)
  %6 = aten::lt(%4, %5)
  %7 = aten::unsqueeze(%6, 2)
  %8 = aten::where(%7, %x, 0)
  then %8, True, %6
  %9 = prim::Uninitialized()
  else %x, False, %9
end -> %10, %11, %12
%13 = aten::relu(%10)
if %11
  %14 = aten::unsqueeze(%12, 2)
  %15 = aten::where(%14, %13, 0.5)
  %16 = aten::sum(%12, [1], False, None)
  %17 = aten::max(%16)
  %18 = aten::Int(%17)
  %19 = aten::slice(%15, 1, 0, %18, 1)
  %20 = prim::Uninitialized()
  then %19, False, %20
  else %13, %11, %12
end -> %21, %22, %23
if %22
  %24 = aten::clone(%21, None)
  then %24
  else %21
end -> %25
return %25
)");
}

TEST(ReplaceNested, AnOperatorWithoutAFormIsMarked) {
  const auto graph = test::parse(R"(
graph(%x : Float(2, 3, 4), %m : Bool(2, 3))
%n = aten::_nested_tensor_from_mask(%x, %m, True)
%y = aten::select.int(%n, 0, 0)
return %y)");
  std::vector<std::string> warnings;
  replace_nested(*graph, warnings);
  const std::string* why = nullptr;
  for_each_node(graph->block(), [&](const ir::Node* node) {
    if (node->is("aten::select")) why = ir::why_refused(*node);
  });
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("call to_padded_tensor()"));
}

// The nodes after the test of a mask for left alignment are copied into both paths of a branch.
TEST(BranchAlignment, TheRestOfABlockBecomesABranch) {
  const std::string text = R"(
graph(%x : Float(2, 3, 4), %m : Bool(2, 3))
%q = aten::_nested_tensor_from_mask_left_aligned(%x, %m)
if %n = %q
  %a = aten::_nested_tensor_from_mask(%x, %m, False)
  then %a
  else %x
end
%y = aten::relu(%n)
%s = prim::is_nested(%y)
return %y, %s)";
  const auto graph = test::parse(text);
  std::vector<std::string> warnings;
  replace_nested(*graph, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_TRUE(branch_alignment(*graph));
  verify(*graph, "branch_alignment");
  EXPECT_EQ(test::show(*graph), R"(%1 = aten::sum(%m, [1], False, None)
%2 = aten::size(%x, 1)
%3 = aten::arange(%2, 4, None, None, None)
%4 = aten::unsqueeze(%3, 0)
%5 = aten::unsqueeze(%1, 1)
%6 = aten::lt(%4, %5)
%7 = aten::equal(%m, %6)
if %7
  if True
    %8 = aten::sum(%m, [1], False, None)
    %9 = aten::size(%x, 1)
    %10 = aten::arange(%9, 4, None, None, None)
    %11 = aten::unsqueeze(%10, 0)
    %12 = aten::unsqueeze(%8, 1)
    %13 = aten::lt(%11, %12)
    %14 = aten::unsqueeze(%13, 2)
    %15 = aten::where(%14, %x, 0)
    then %15, True, %13
    %16 = prim::Uninitialized()
    else %x, False, %16
  end -> %17, %18, %19
  %20 = aten::relu(%17)
  if %18
    %21 = aten::clone(%20, None)
    then %21
    else %20
  end -> %22
  then %22, %18
  if False
    %23 = aten::sum(%m, [1], False, None)
    %24 = aten::size(%x, 1)
    %25 = aten::arange(%24, 4, None, None, None)
    %26 = aten::unsqueeze(%25, 0)
    %27 = aten::unsqueeze(%23, 1)
    %28 = aten::lt(%26, %27)
    %29 = aten::unsqueeze(%28, 2)
    %30 = aten::where(%29, %x, 0)
    then %30, True, %28
    %31 = prim::Uninitialized()
    else %x, False, %31
  end -> %32, %33, %34
  %35 = aten::relu(%32)
  if %33
    %36 = aten::clone(%35, None)
    then %36
    else %35
  end -> %37
  else %37, %33
end -> %38, %39
return %38, %39
)");
  EXPECT_FALSE(branch_alignment(*graph));
}

TEST(BranchAlignment, OtherQuestionsStay) {
  const auto graph = test::parse(R"(
graph(%x : Float(2, 3), %c : bool)
if %y = %c
  %a = aten::relu(%x)
  then %a
  else %x
end
return %y)");
  EXPECT_FALSE(branch_alignment(*graph));
}

}  // namespace
}  // namespace tonnx::program
