#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "functional_form.h"

namespace tonnx::program {
namespace {

using test::functional;
using test::refused;
using ::testing::HasSubstr;

TEST(Functionalise, TensorsInListsAreTheTensors) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3))
%y = aten::clone(%x)
%l = prim::ListConstruct(%y, %x)
%a = aten::add_.Scalar(%y, 1, 1)
%s = aten::stack(%l, 0)
return %s)"),
            R"(%1 = aten::clone(%x, None)
%2 = prim::ListConstruct(%1, %x)
%3 = aten::add(%1, 1, 1)
%4 = prim::ListConstruct(%3, %x)
%5 = aten::stack(%4, 0)
return %5
)");
}

TEST(Functionalise, WritesToItemsOfLists) {
  functional(R"(
graph(%x : Float(3))
%y = aten::clone(%x)
%z = aten::clone(%x)
%l = prim::ListConstruct(%y, %z)
%e = aten::__getitem__.t(%l, 0)
%a = aten::add_.Scalar(%e, 1, 1)
%p, %q = prim::ListUnpack(%l)
%b = aten::neg_(%q)
%s = aten::stack(%l, 0)
return %s, %y, %z)");
}

TEST(Functionalise, StaticListsChangeInPlace) {
  functional(R"(
graph(%x : Float(3))
%y = aten::clone(%x)
%l = prim::ListConstruct(%y)
%m = aten::append.t(%l, %x)
%k = prim::ListConstruct(%x)
%g = prim::ListConstruct(%y, %y)
aten::extend.t(%k, %l)
aten::insert.t(%k, 1, %y)
%f = aten::_set_item.t(%l, -1, %y)
%p = aten::pop.t(%k, -1)
%a = aten::add_.Scalar(%p, 1, 1)
%d = aten::add.t(%l, %k)
%e = aten::slice.t(%d, 1, None, 2)
%h = aten::neg_(%y)
%s = aten::stack(%l, 0)
%t = aten::stack(%k, 0)
%u = aten::stack(%e, 0)
aten::clear.t(%g)
return %s, %t, %u, %d, %g)");
}

TEST(Functionalise, NestedLists) {
  functional(R"(
graph(%x : Float(3))
%y = aten::clone(%x)
%l = prim::ListConstruct(%y)
%o = prim::ListConstruct(%l)
%m = aten::append.t(%l, %x)
%i = aten::__getitem__.t(%o, 0)
%n = aten::append.t(%i, %y)
%a = aten::add_.Scalar(%y, 1, 1)
%s = aten::stack(%l, 0)
%t = prim::TupleConstruct(%y, %l)
%b = aten::add_.Scalar(%y, 1, 1)
return %s, %o, %t)");
}

TEST(Functionalise, ListsInBranchesAndLoopsBecomeValues) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct()
loop %o = (%n, True) (%i, %h) from %x
  %a = aten::add.Scalar(%h, 1, 1)
  %m = aten::append.t(%l, %a)
  next True, %a
end
%s = aten::stack(%l, 0)
return %s)"),
            R"(%1 = prim::ListConstruct()
loop %n, True: %2, %3 = %x, %4 = %1
  %5 = aten::add(%3, 1, 1)
  %6 = prim::ListConstruct(%5)
  %7 = aten::add(%4, %6)
  next True, %5, %7
end -> %8, %9
%10 = aten::stack(%9, 0)
return %10
)");
  functional(R"(
graph(%x : Float(3), %n : int, %c : bool)
%y = aten::clone(%x)
%z = aten::neg(%x)
%l = prim::ListConstruct(%x, %x, %x)
if = %c
  %m = aten::append.t(%l, %y)
  aten::insert.t(%l, -1, %y)
  then
  %p = aten::pop.t(%l, 0)
  %f = aten::_set_item.t(%l, -1, %y)
  else
end
%k = aten::add.int(%n, -2)
%g = aten::_set_item.t(%l, %k, %z)
%q = aten::pop.t(%l, -1)
%e = aten::__getitem__.t(%l, 0)
%s = aten::stack(%l, 0)
return %s, %q, %e)");
}

TEST(Functionalise, AppendedTensorsMustNotChangeInLaterIterations) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct()
loop = (%n, True) (%i)
  %b = aten::neg_(%y)
  %m = aten::append.t(%l, %y)
  next True
end
%s = aten::stack(%l, 0)
return %s)"),
              HasSubstr("may or may not share memory"));
  // Written to before the append, and fresh in each iteration.
  functional(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct()
loop = (%n, True) (%i)
  %a = aten::clone(%x)
  %b = aten::neg_(%a)
  %m = aten::append.t(%l, %a)
  next True
end
%s = aten::stack(%l, 0)
return %s)");
}

TEST(Functionalise, ItemsThatTheListAloneHoldsAreWritten) {
  functional(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct()
loop = (%n, True) (%i)
  %a = aten::clone(%x)
  %m = aten::append.t(%l, %a)
  %e = aten::__getitem__.t(%l, %i)
  %b = aten::neg_(%e)
  next True
end
%f = aten::__getitem__.t(%l, 0)
%g = aten::add_.Scalar(%f, 1, 1)
%s = aten::stack(%l, 0)
return %s, %f)");
}

TEST(Functionalise, ItemsThatOthersHoldAsWellMustNotChange) {
  const auto with = [](const std::string& put, const std::string& write) {
    return refused(
        "graph(%x : Float(3), %n : int)\n%y = aten::clone(%x)\n%l : Tensor[] = prim::ListConstruct()\n"
        "loop = (%n, True) (%i)\n" +
        put + "  next True\nend\n" + write + "%s = aten::stack(%l, 0)\nreturn %s, %y");
  };
  const std::string first = "%e = aten::__getitem__.t(%l, 0)\n", write = "%b = aten::neg_(%e)\n";
  const std::string fresh = "  %a = aten::clone(%x)\n  %m = aten::append.t(%l, %a)\n";
  // The same tensor in every iteration, one twice in an iteration, and an alias that stays live.
  EXPECT_THAT(with("  %m = aten::append.t(%l, %y)\n", first + write), HasSubstr("may or may not share memory"));
  EXPECT_THAT(with(fresh + "  %k = aten::append.t(%l, %a)\n", first + write), HasSubstr("may or may not share memory"));
  EXPECT_THAT(with(fresh, "%c = aten::slice.t(%l, 1, 2, 1)\n" + first + write + "%t = aten::len.t(%c)\n"),
              HasSubstr("may or may not share memory"));
  // The item has moved before the write.
  EXPECT_THAT(with(fresh, first + "%p = aten::insert.t(%l, 0, %y)\n" + write),
              HasSubstr("may or may not share memory"));
}

TEST(Functionalise, RowsAreSharedByCopiesOfWhatHoldsThem) {
  for (const std::string copy : {"aten::slice.t(%l, 1, 9, 1)", "aten::add.t(%l, %l)"})
    EXPECT_THAT(
        refused(
            "graph(%x : Float(3), %n : int)\n%l : int[][] = prim::ListConstruct()\nloop = (%n, True) (%i)\n"
            "  %a : int[] = prim::ListConstruct(%i)\n  %m = aten::append.t(%l, %a)\n  next True\nend\n%c : int[][] = " +
            copy +
            "\n%e : int[] = aten::__getitem__.t(%l, 0)\n%p = aten::append.t(%e, 7)\n"
            "%f : int[] = aten::__getitem__.t(%c, 0)\n%g = aten::len.t(%f)\nreturn %g"),
        HasSubstr("may or may not share memory"))
        << copy;
}

// The list of the next iteration contains the tensor that is written to before the read.
TEST(Functionalise, WhatGoesIntoAListOfTurnsMustNotChange) {
  EXPECT_THAT(
      refused("graph(%x : Float(3), %n : int)\n%y = aten::clone(%x)\n%l : Tensor[] = prim::ListConstruct(%x, %x)\n"
              "loop %r = (%n, True) (%i, %k) from %l\n  %b = aten::neg_(%y)\n"
              "  %e = aten::__getitem__.t(%k, 0)\n  %m : Tensor[] = prim::ListConstruct(%e, %e)\n"
              "  %s : Tensor[] = aten::_set_item.t(%m, %i, %y)\n  next True, %m\nend\n"
              "%f = aten::__getitem__.t(%r, 0)\nreturn %f, %y"),
      HasSubstr("may or may not share memory"));
}

TEST(Functionalise, WriteToAnItemAtADynamicIndexChangesOneOfTheItems) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%l = prim::ListConstruct(%y, %x)
%k = aten::add.int(%n, -2)
%e = aten::__getitem__.t(%l, %k)
%a = aten::neg_(%e)
%s = aten::stack(%l, 0)
return %s)"),
            R"(%1 = aten::clone(%x, None)
%2 = prim::ListConstruct(%1, %x)
%3 = aten::add(%n, -2)
%4 = aten::__getitem__([0, 1], %3)
%5 = aten::eq(%4, 0)
if %5
  %6 = aten::neg(%1)
  then %6, %6, %x
  %7 = aten::neg(%x)
  else %7, %1, %7
end -> %8, %9, %10
%11 = prim::ListConstruct(%9, %10)
%12 = aten::stack(%11, 0)
return %12
)");
}

TEST(Functionalise, ItemSetAtADynamicIndexIsOneOfTwoAtEachIndex) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%v = aten::neg(%x)
%l = prim::ListConstruct(%y, %x)
%k = aten::add.int(%n, -2)
%m : Tensor[] = aten::_set_item.t(%l, %k, %v)
%e = aten::__getitem__.t(%l, 0)
%a = aten::neg_(%e)
%s = aten::stack(%l, 0)
return %s, %y, %v)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::neg(%x)
%3 = prim::ListConstruct(%1, %x)
%4 = aten::add(%n, -2)
%5 = aten::__getitem__([0, 1], %4)
%6 = aten::eq(%5, 0)
if %6
  %7 = aten::neg(%2)
  then %7, %7, %1
  %8 = aten::neg(%1)
  else %8, %2, %8
end -> %9, %10, %11
%12 = aten::__getitem__([0, 1], %4)
%13 = aten::eq(%12, 0)
if %13
  %14 = prim::ListConstruct(%10, %x)
  then %14
  %15 = prim::ListConstruct(%11, %10)
  else %15
end -> %16
%17 = aten::stack(%16, 0)
return %17, %11, %10
)");
}

// Item 2 differs from the others: one If, not one for each index.
TEST(Functionalise, IndicesWithTheSameItemShareABranch) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %n : int)
%a = aten::clone(%x)
%b = aten::neg(%x)
%v = aten::relu(%x)
%l = prim::ListConstruct(%x, %b, %a, %b)
%m : Tensor[] = aten::_set_item.t(%l, %n, %v)
%e = aten::__getitem__.t(%l, 2)
%w = aten::neg_(%e)
return %a, %v)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::neg(%x)
%3 = aten::relu(%x)
%4 = prim::ListConstruct(%x, %2, %1, %2)
%5 = aten::__getitem__([0, 1, 2, 3], %n)
%6 = aten::eq(%5, 2)
if %6
  %7 = aten::neg(%3)
  then %7, %1, %7
  %8 = aten::neg(%1)
  else %8, %8, %3
end -> %9, %10, %11
return %10, %11
)");
}

// Indices are split in halves: 40 Ifs in one another are more than a parser of models reads.
TEST(Functionalise, IndicesAreSplitInHalves) {
  const std::string text = functional(R"(
graph(%x : Float(3), %n : int)
%a = aten::clone(%x)
%b = aten::neg(%x)
%c = aten::relu(%x)
%d = aten::mul.Scalar(%x, 2)
%l = prim::ListConstruct(%a, %b, %c, %d)
%e = aten::__getitem__.t(%l, %n)
%w = aten::neg_(%e)
return %a, %b, %c, %d)");
  EXPECT_THAT(text, HasSubstr("aten::lt("));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\n    if")));
}

TEST(Functionalise, ListHasTheItemsOfTheBranchThatChangedIt) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %c : bool)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%y)
if = %c
  %v = aten::neg(%x)
  %m : Tensor[] = aten::append.t(%l, %v)
  then
  else
end
%e = aten::__getitem__.t(%l, -1)
%a = aten::neg_(%e)
%s = aten::stack(%l, 0)
return %s, %y)"),
            R"(%1 = aten::clone(%x, None)
%2 = prim::ListConstruct(%1)
if %c
  %3 = aten::neg(%x)
  then %3
  %4 = prim::Uninitialized()
  else %4
end -> %5
if %c
  %6 = aten::neg(%5)
  then %6, %6, %1
  %7 = aten::neg(%1)
  else %7, %5, %7
end -> %8, %9, %10
if %c
  %11 = prim::ListConstruct(%10, %9)
  then %11
  %12 = prim::ListConstruct(%10)
  else %12
end -> %13
%14 = aten::stack(%13, 0)
return %14, %10
)");
}

TEST(Functionalise, WriteToAChosenListChangesTheListOfEachBranch) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %c : bool)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%y)
%m : Tensor[] = prim::ListConstruct(%x, %y)
if %k = %c
  then %l
  else %m
end
%t : Tensor[] = aten::append.t(%k, %x)
%e = aten::__getitem__.t(%m, 0)
%s = aten::stack(%l, 0)
return %s, %e)"),
            R"(%1 = aten::clone(%x, None)
%2 = prim::ListConstruct(%1)
%3 = prim::ListConstruct(%x, %1)
if %c
  then %2
  else %3
end -> %4
if %c
  %5 = prim::ListConstruct(%1, %x)
  then %5
  else %2
end -> %6
%7 = aten::stack(%6, 0)
return %7, %x
)");
}

TEST(Functionalise, WhatAnExtensionPutsIntoAListMustNotChange) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%x)
loop = (%n, True) (%i)
  %b = aten::neg_(%y)
  %k : Tensor[] = prim::ListConstruct(%y)
  aten::extend.t(%l, %k)
  next True
end
%s = aten::stack(%l, 0)
return %s)"),
              HasSubstr("may or may not share memory"));
}

// A branch changes a list of lists: the write after it changes a tensor in one of the lists.
TEST(Functionalise, WriteIsVisibleInAListOfAListThatABranchStores) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %c : bool)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%x)
%m : Tensor[][] = prim::ListConstruct(%l, %l)
%k : Tensor[] = prim::ListConstruct(%x)
%t : Tensor[] = aten::append.t(%k, %y)
if = %c
  %s : Tensor[][] = aten::_set_item.t(%m, 0, %k)
  then
  else
end
%b = aten::neg_(%y)
%r : Tensor[] = aten::__getitem__.t(%m, 0)
%e = aten::__getitem__.t(%r, -1)
return %y, %e)"),
            R"(%1 = aten::clone(%x, None)
%2 = prim::ListConstruct(%x)
%3 = prim::ListConstruct(%2, %2)
%4 = prim::ListConstruct(%x)
if %c
  then 
  else 
end -> 
%5 = aten::neg(%1)
if %c
  then %5
  else %x
end -> %6
return %5, %6
)");
}

TEST(FunctionaliseLists, WriteAfterAnAppendIsVisibleInTheList) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct()
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  %v = aten::select.int(%t, 0, 1)
  aten::zero_(%v)
  next True
end
%s = aten::stack(%l, 0)
return %s)"),
            R"(%1 = prim::ListConstruct()
loop %n, True: %2, %3 = %1
  %4 = aten::neg(%x)
  %5 = aten::select(%4, 0, 1)
  %6 = aten::zeros_like(%5, None, None, None, None, None)
  %7 = aten::select_scatter(%4, %6, 0, 1)
  %8 = prim::ListConstruct(%7)
  %9 = aten::add(%3, %8)
  next True, %9
end -> %10
%11 = aten::stack(%10, 0)
return %11
)");
}

TEST(FunctionaliseLists, ChangesAreDelayedBeyondReads) {
  functional(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct(%x)
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::insert.t(%l, 0, %t)
  %k = aten::len.t(%l)
  aten::add_.Scalar(%t, %k, 1)
  %u = aten::neg(%x)
  aten::_set_item.t(%l, %i, %u)
  aten::add_.Scalar(%u, %i, 1)
  %w = aten::neg(%x)
  %m : Tensor[] = prim::ListConstruct(%w)
  aten::extend.t(%l, %m)
  aten::append.t(%m, %x)
  %e = aten::__getitem__.t(%l, -1)
  aten::add_.Scalar(%e, %k, 1)
  next True
end
%s = aten::stack(%l, 0)
return %s)");
}

TEST(FunctionaliseLists, BranchesDelayChanges) {
  functional(R"(
graph(%x : Float(3), %n : int, %c : bool)
%l : Tensor[] = prim::ListConstruct(%x)
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  if  = %c
    %u = aten::relu(%x)
    aten::append.t(%l, %u)
    aten::append.t(%l, %t)
    then
    aten::insert.t(%l, 0, %t)
    else
  end
  aten::add_.Scalar(%t, %i, 1)
  %e = aten::__getitem__.t(%l, 0)
  %f = aten::clone(%e)
  aten::append.t(%l, %f)
  next True
end
%s = aten::stack(%l, 0)
return %s)");
}

TEST(FunctionaliseLists, ChangesOfASelectedListAreDelayed) {
  functional(R"(
graph(%x : Float(3), %n : int, %c : bool)
%y = aten::clone(%x)
%k : Tensor[] = prim::ListConstruct(%y)
%l : Tensor[] = prim::ListConstruct(%x)
if %m = %c
  then %k
  else %l
end
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::append.t(%m, %t)
  aten::add_.Scalar(%t, %i, 1)
  next True
end
%s = aten::stack(%k, 0)
%r = aten::stack(%l, 0)
return %s, %r)");
}

// The other list reads the item after the list that owns it has moved its items.
TEST(FunctionaliseLists, ItemThatAnotherListStoresStaysInPlace) {
  const auto with = [](const std::string& moves) {
    return "graph(%x : Float(3), %n : int)\n%y = aten::clone(%x)\n%l : Tensor[] = prim::ListConstruct(%y)\n"
           "loop = (%n, True) (%i)\n"
           "  %t = aten::neg(%x)\n  aten::append.t(%l, %t)\n  next True\nend\n%e = aten::__getitem__.t(%l, 0)\n"
           "aten::add_.Scalar(%e, 1, 1)\n%m : Tensor[] = prim::ListConstruct(%e)\n" +
           moves + "%s = aten::stack(%m, 0)\n%r = aten::stack(%l, 0)\nreturn %s, %r";
  };
  EXPECT_THAT(refused(with("%p = aten::pop.t(%l, 0)\n")), HasSubstr("may or may not share memory"));
  functional(with("%t = aten::neg(%x)\naten::append.t(%l, %t)\n"));
}

// The list never loses its first item, so item 0 is not the one that is appended.
TEST(FunctionaliseLists, ItemThatNoChangeStoresIsWrittenInTheBaseList) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%y)
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  %e = aten::__getitem__.t(%l, 0)
  aten::add_.Tensor(%e, %t, 1)
  aten::add_.Scalar(%t, 1, 1)
  next True
end
%s = aten::stack(%l, 0)
return %s)"),
            R"(%1 = aten::clone(%x, None)
%2 = prim::ListConstruct(%1)
loop %n, True: %3, %4 = %2
  %5 = aten::neg(%x)
  %6 = aten::__getitem__(%4, 0)
  %7 = aten::add(%6, %5, 1)
  %8 = aten::to(%7, %6, False, False, None)
  %9 = aten::add(0, 1)
  %10 = aten::slice(%4, %9, None, 1)
  %11 = prim::ListConstruct(%8)
  %12 = aten::slice(%4, None, 0, 1)
  %13 = aten::add(%12, %11)
  %14 = aten::add(%13, %10)
  %15 = aten::add(%5, 1, 1)
  %16 = prim::ListConstruct(%15)
  %17 = aten::add(%14, %16)
  next True, %17
end -> %18
%19 = aten::stack(%18, 0)
return %19
)");
}

TEST(FunctionaliseLists, IndexOfAnItemCountsFromTheFrontIfTheListGrows) {
  functional(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%y)
loop  = (%n, True) (%i)
  %p = aten::__getitem__.t(%l, -1)
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  aten::add_.Scalar(%p, 1, 1)
  %e = aten::__getitem__.t(%l, %i)
  aten::add_.Tensor(%e, %p, 1)
  next True
end
%s = aten::stack(%l, 0)
return %s)");
}

TEST(FunctionaliseLists, ItemsTakenFromAListAreFresh) {
  functional(R"(
graph(%x : Float(3), %n : int)
%y = aten::clone(%x)
%l : Tensor[] = prim::ListConstruct(%y)
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  %p = aten::pop.t(%l, 0)
  aten::add_.Scalar(%p, %i, 1)
  aten::append.t(%l, %p)
  next True
end
%s = aten::stack(%l, 0)
return %s)");
  // The list may have been empty: then the first item is %t.
  EXPECT_THAT(refused(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct()
loop %o = (%n, True) (%i, %h) from %x
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  %e = aten::__getitem__.t(%l, -1)
  %p = aten::pop.t(%l, 0)
  aten::add_.Scalar(%p, 1, 1)
  %q = aten::relu(%e)
  next True, %q
end
return %o)"),
              HasSubstr("may or may not share memory"));
}

// The branch writes to an item of the list before, and the change is still delayed after it.
TEST(FunctionaliseLists, BranchesWriteToTheListBeforeDelayedChanges) {
  functional(R"(
graph(%x : Float(3), %n : int, %c : bool)
%y = aten::clone(%x)
%z = aten::neg(%x)
%l : Tensor[] = prim::ListConstruct(%y)
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  if  = %c
    %e = aten::__getitem__.t(%l, -2)
    aten::add_.Tensor(%e, %t, 1)
    aten::add_.Scalar(%z, 1, 1)
    then
    %u = aten::relu(%x)
    aten::insert.t(%l, 0, %u)
    else
  end
  aten::add_.Scalar(%t, 1, 1)
  next True
end
%s = aten::stack(%l, 0)
return %s, %z)");
}

TEST(FunctionaliseLists, WriteToOneOfSeveralListsOfWhichOneIsDynamic) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3), %n : int, %c : bool)
%a = aten::neg(%x)
%k : Tensor[] = prim::ListConstruct(%a)
%l : Tensor[] = prim::ListConstruct(%x)
loop  = (%n, True) (%i)
  %t = aten::neg(%x)
  aten::append.t(%l, %t)
  next True
end
if %m = %c
  then %k
  else %l
end
%e = aten::__getitem__.t(%m, -1)
aten::add_.Scalar(%e, 1, 1)
return %a)"),
              HasSubstr("may or may not share memory"));
}

}  // namespace
}  // namespace tonnx::program
