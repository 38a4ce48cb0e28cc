#include <gtest/gtest.h>

#include "graph_text.h"
#include "program/containers/passes.h"

namespace tonnx::program {
namespace {

bool run_lookups(ir::Graph& graph) { return branch_lookups(graph, nullptr); }

// For a key of no entry the index is out of range.
TEST(BranchLookups, TheLastTwoEntriesAreAnIndex) {
  EXPECT_EQ(test::after(run_lookups, R"(
graph(%k : float, %x : Float(2), %y : Float(2))
%d = prim::DictConstruct(0.5, %x, 1.5, %y, 2.5, %y, 3.5, %x)
%t = aten::__getitem__.Dict_float(%d, %k)
return %t)"),
            R"(%1 = aten::eq(%k, 0.5)
if %1
  then %x
  %2 = aten::eq(%k, 1.5)
  if %2
    then %y
    %3 = aten::eq(%k, 2.5)
    %4 = aten::eq(%k, 3.5)
    %5 = aten::Int(%4)
    %6 = aten::mul(2, %5)
    %7 = aten::Int(%3)
    %8 = aten::sub(2, %7)
    %9 = aten::sub(%8, %6)
    %10 = aten::__getitem__([0, 1], %9)
    %11 = aten::eq(%10, 1)
    if %11
      then %y
      else %x
    end -> %12
    else %12
  end -> %13
  else %13
end -> %14
return %14
)");
}

}  // namespace
}  // namespace tonnx::program
