#include <gtest/gtest.h>

#include "graph_text.h"
#include "program/containers/fold_copies.h"
#include "program/containers/passes.h"
#include "program/control/passes.h"
#include "program/references/passes.h"
#include "program/strings/passes.h"

namespace tonnx::program {
namespace {

using test::after;

TEST(SplitOptionals, QuestionAfterBranchReadsFlag) {
  EXPECT_EQ(after(split_optionals, R"(
graph(%x : Float(3), %c : bool)
if %y = %c
  then %x
  else None
end
%q = aten::__isnot__(%y, None)
%r = aten::__is__(%y, None)
%t : Tensor = prim::unchecked_cast(%y)
return %q, %r, %t)"),
            R"(if %c
  then True, %x
  %1 = prim::Uninitialized()
  else False, %1
end -> %2, %3
%4 = aten::__not__(%2)
return %2, %4, %3
)");
}

TEST(SplitOptionals, LoopCarriesFlagAndContent) {
  EXPECT_EQ(after(split_optionals, R"(
graph(%x : Float(3), %n : int)
loop %o = (%n, True) (%i, %h) from None
  %q = aten::__is__(%h, None)
  if %v = %q
    then %x
    %t : Tensor = prim::unchecked_cast(%h)
    %a = aten::neg(%t)
    else %a
  end
  next True, %v
end
%u : Tensor = prim::unchecked_cast(%o)
return %u)"),
            R"(%1 = prim::Uninitialized()
loop %n, True: %2, %3 = False, %4 = %1
  %5 = aten::__not__(%3)
  if %5
    then %x
    %6 = aten::neg(%4)
    else %6
  end -> %7
  next True, True, %7
end -> %8, %9
return %9
)");
}

TEST(SplitOptionals, WhatAnotherReaderTakesStays) {
  EXPECT_EQ(after(split_optionals, R"(
graph(%x : Float(3), %c : bool)
if %y = %c
  then %x
  else None
end
%l = prim::ListConstruct(%y)
return %l)"),
            "");
}

TEST(SplitLists, BranchChangesItems) {
  EXPECT_EQ(after(split_lists, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%l : Tensor[] = prim::ListConstruct(%x, %y)
if  = %c
  %t : Tensor = aten::pop.t(%l, 0)
  aten::append.t(%l, %t)
  then
  else
end
%r = aten::stack(%l, 0)
return %r)"),
            R"(if %c
  then %y, %x
  else %x, %y
end -> %1, %2
%3 = prim::ListConstruct(%1, %2)
%4 = aten::stack(%3, 0)
return %4
)");
}

TEST(SplitLists, BranchThatChangesTheLengthStays) {
  EXPECT_EQ(after(split_lists, R"(
graph(%x : Float(3), %c : bool)
%l : Tensor[] = prim::ListConstruct(%x)
if  = %c
  aten::append.t(%l, %x)
  then
  else
end
%r = aten::stack(%l, 0)
return %r)"),
            "");
}

TEST(SplitLists, LoopCarriesItemsOfNewLists) {
  EXPECT_EQ(after(split_lists, R"(
graph(%x : Float(3), %y : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct(%x, %y)
loop %p = (%n, True) (%i, %m) from %l
  %a : Tensor = aten::__getitem__.t(%m, 0)
  %b : Tensor = aten::__getitem__.t(%m, 1)
  %c = aten::neg(%a)
  %k : Tensor[] = prim::ListConstruct(%b, %c)
  aten::zero_(%c)
  next True, %k
end
%r = aten::stack(%p, 0)
return %r)"),
            R"(loop %n, True: %1, %2 = %x, %3 = %y
  %4 = prim::ListConstruct(%2, %3)
  %5 = aten::__getitem__(%4, 0)
  %6 = aten::__getitem__(%4, 1)
  %7 = aten::neg(%5)
  %8 = aten::zero_(%7)
  next True, %6, %7
end -> %9, %10
%11 = prim::ListConstruct(%9, %10)
%12 = aten::stack(%11, 0)
return %12
)");
}

TEST(BranchStrings, LoopCarriesAString) {
  EXPECT_EQ(after(branch_strings, R"(
graph(%n : int)
loop %s = (%n, True) (%i, %t) from "a"
  %u = aten::upper(%t)
  %q = aten::eq.str(%u, "A")
  if %v = %q
    then "b"
    else "a"
  end
  next True, %v
end
%r = aten::upper(%s)
return %r)"),
            R"(loop %n, True: %1, %2 = "a"
  %3 = aten::eq(%2, "a")
  if %3
    then "a"
    else "b"
  end -> %4
  %5 = aten::upper(%4)
  %6 = aten::eq(%5, "A")
  if %6
    then "b"
    else "a"
  end -> %7
  next True, %7
end -> %8
%9 = aten::eq(%8, "a")
if %9
  then "a"
  else "b"
end -> %10
%11 = aten::upper(%10)
return %11
)");
}

// Readers of a result of an If move into its branches. Those that compare are left to number_strings().
TEST(BranchStrings, OthersStay) {
  EXPECT_EQ(after(branch_strings, R"(
graph(%n : int, %c : bool)
if %v = %c
  then "b"
  else "a"
end
%r = aten::upper(%v)
loop %s = (%n, True) (%i, %t) from "a"
  next True, %v
end
%q = aten::eq.str(%s, "a")
return %r, %q)"),
            "");
}

TEST(ChooseFlags, AFlagOfARunIsABranch) {
  const auto pass = [](ir::Graph& graph) { return choose_flags(graph, {}); };
  EXPECT_EQ(after(pass, R"(
graph(%x : Float(3), %k : bool)
%s = aten::dropout(%x, 0.5, %k)
return %s)"),
            R"(if %k
  %1 = aten::dropout(%x, 0.5, True)
  then %1
  %2 = aten::dropout(%x, 0.5, False)
  else %2
end -> %3
return %3
)");
}

TEST(ChooseFlags, OneOfThreeDtypes) {
  const auto pass = [](ir::Graph& graph) { return choose_flags(graph, {}); };
  EXPECT_EQ(after(pass, R"(
graph(%x : Float(3), %c : bool, %d : bool)
if %t = %c
  then 7
  if %u = %d
    then 6
    else 4
  end
  else %u
end
%s = aten::sum(%x, %t)
return %s)"),
            R"(if %c
  then 0
  if %d
    then 1
    else 2
  end -> %1
  else %1
end -> %2
%3 = aten::eq(%2, 0)
if %3
  %4 = aten::sum(%x, 7)
  then %4
  %5 = aten::eq(%2, 1)
  if %5
    %6 = aten::sum(%x, 6)
    then %6
    %7 = aten::sum(%x, 4)
    else %7
  end -> %8
  else %8
end -> %9
return %9
)");
}

TEST(SplitWhereRead, PiecesThatABranchReads) {
  EXPECT_EQ(after(sink_splits, R"(
graph(%x : Tensor, %c : bool)
%l : Tensor[] = aten::unbind.int(%x, 0)
%a = aten::__getitem__.t(%l, 0)
if %y = %c
  %b = aten::__getitem__.t(%l, 2)
  %d = aten::__getitem__.t(%l, 1)
  %s = aten::add.Tensor(%b, %d, 1)
  then %s
  else %a
end
return %y)"),
            R"(%1 = aten::unbind(%x, 0)
%2 = aten::__getitem__(%1, 0)
if %c
  %3 = aten::unbind(%x, 0)
  %4 = aten::__getitem__(%3, 2)
  %5 = aten::__getitem__(%3, 1)
  %6 = aten::add(%4, %5, 1)
  then %6
  else %2
end -> %7
return %7
)");
}

TEST(SplitWhereRead, PiecesByPlacesOfARunStay) {
  EXPECT_EQ(after(sink_splits, R"(
graph(%x : Tensor, %c : bool, %i : int)
%l : Tensor[] = aten::unbind.int(%x, 0)
%a = aten::__getitem__.t(%l, 0)
if %y = %c
  %b = aten::__getitem__.t(%l, %i)
  then %b
  else %a
end
return %y)"),
            "");
}

TEST(FoldCopies, RowsThatALoopGathers) {
  EXPECT_EQ(after(fold_copies, R"(
graph(%x : Float(3, 4), %k : int)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct()
%n = aten::size.int(%y, 0)
loop = (%n, True) (%i)
  %row = aten::select.int(%y, 0, %i)
  %m = aten::append.t(%l, %row)
  next True
end
%e = aten::__getitem__.t(%l, %k)
%w = aten::neg_(%e)
return %y)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::unbind(%1, 0)
%3 = aten::__getitem__(%2, %k)
%4 = aten::neg_(%3)
return %1
)");
}

TEST(FoldCopies, ListsThatChangeStay) {
  // The append happens after the items were counted.
  EXPECT_EQ(after(fold_copies, R"(
graph(%x : Float(3, 4), %k : int)
%p : Tensor[] = aten::unbind.int(%x, 0)
%l : Tensor[] = prim::ListConstruct()
%n = aten::len.t(%p)
%a = aten::append.t(%p, %x)
loop = (%n, True) (%i)
  %row = aten::__getitem__.t(%p, %i)
  %m = aten::append.t(%l, %row)
  next True
end
%e = aten::__getitem__.t(%l, %k)
%w = aten::neg_(%e)
return %x)"),
            "");
  // A branch returns the list.
  EXPECT_EQ(after(fold_copies, R"(
graph(%x : Float(3, 4), %k : int, %c : bool)
%p : Tensor[] = aten::unbind.int(%x, 0)
%l : Tensor[] = prim::ListConstruct()
%n = aten::len.t(%p)
loop = (%n, True) (%i)
  %row = aten::__getitem__.t(%p, %i)
  %m = aten::append.t(%l, %row)
  next True
end
%e = aten::__getitem__.t(%l, %k)
%w = aten::neg_(%e)
if %o = %c
  then %l
  else %p
end
%s = aten::stack(%o, 0)
return %s)"),
            "");
}

TEST(CarryIdentities, ABranchCarriesTheIdentityOfItsObject) {
  EXPECT_EQ(after(carry_identities, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
if %z = %c
  then %x
  else %y
end
%q = aten::__isnot__(%z, %x)
return %q)"),
            R"(if %c
  then True
  %1 = aten::__is__(%y, %x)
  else %1
end -> %2
%3 = aten::__not__(%2)
return %3
)");
}

TEST(CarryIdentities, LeavesAQuestionThatItCannotAnswer) {
  EXPECT_EQ(after(carry_identities, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
if %z = %c
  then %x
  else %y
end
%v = aten::detach(%z)
%q = aten::__is__(%z, %v)
return %q)"),
            "");
}

}  // namespace
}  // namespace tonnx::program
