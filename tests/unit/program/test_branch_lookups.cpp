#include <gtest/gtest.h>

#include "graph_text.h"
#include "program/containers/passes.h"

namespace tonnx::program {
namespace {

bool run_lookups(ir::Graph& graph) { return branch_lookups(graph, nullptr); }

TEST(BranchLookups, AnIndexIsSplitInHalves) {
  EXPECT_EQ(test::after(run_lookups, R"(
graph(%i : int, %x : Float(2), %y : Float(2))
%a : Tensor[] = prim::ListConstruct(%x)
%b : Tensor[] = prim::ListConstruct(%x, %y)
%c : Tensor[] = prim::ListConstruct(%y)
%d : Tensor[] = prim::ListConstruct(%y, %x)
%l : Tensor[][] = prim::ListConstruct(%a, %b, %c, %d)
%t = aten::__getitem__.t(%l, %i)
%n = aten::len.t(%t)
return %n)"),
            R"(%1 = prim::ListConstruct(%x)
%2 = prim::ListConstruct(%x, %y)
%3 = prim::ListConstruct(%y)
%4 = prim::ListConstruct(%y, %x)
%5 = aten::__getitem__([0, 1, 2, 3], %i)
%6 = aten::lt(%5, 2)
if %6
  %7 = aten::eq(%5, 0)
  if %7
    %8 = aten::len(%1)
    then %8
    %9 = aten::len(%2)
    else %9
  end -> %10
  then %10
  %11 = aten::eq(%5, 2)
  if %11
    %12 = aten::len(%3)
    then %12
    %13 = aten::len(%4)
    else %13
  end -> %14
  else %14
end -> %15
return %15
)");
}

TEST(BranchLookups, TheOnlyListIsTaken) {
  EXPECT_EQ(test::after(run_lookups, R"(
graph(%i : int, %x : Float(2))
%a : Tensor[] = prim::ListConstruct(%x)
%l : Tensor[][] = prim::ListConstruct(%a)
%t = aten::__getitem__.t(%l, %i)
%n = aten::len.t(%t)
return %n)"),
            R"(%1 = prim::ListConstruct(%x)
%2 = aten::len(%1)
return %2
)");
}

TEST(BranchLookups, AListThatLeavesTheProgramStays) {
  EXPECT_EQ(test::after(run_lookups, R"(
graph(%i : int, %x : Float(2))
%a : Tensor[] = prim::ListConstruct(%x)
%b : Tensor[] = prim::ListConstruct(%x, %x)
%l : Tensor[][] = prim::ListConstruct(%a, %b)
%t = aten::__getitem__.t(%l, %i)
return %t)"),
            "");
}

}  // namespace
}  // namespace tonnx::program
