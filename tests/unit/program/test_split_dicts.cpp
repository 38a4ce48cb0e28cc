#include <gtest/gtest.h>

#include "graph_text.h"
#include "program/containers/passes.h"

namespace tonnx::program {
namespace {

using test::after;

TEST(SplitDicts, ABranchReturnsOneValuePerKey) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x, "b", %y)
if  = %c
  %m = aten::neg(%x)
  aten::_set_item.str(%d, "a", %m)
  then
  else
end
%r = aten::__getitem__.Dict_str(%d, "a")
%s = aten::__getitem__.Dict_str(%d, "b")
return %r, %s)"),
            R"(if %c
  %1 = aten::neg(%x)
  then %1
  else %x
end -> %2
return %2, %y
)");
}

TEST(SplitDicts, LoopCarriesOneValueAKey) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %n : int)
%d = prim::DictConstruct("a", %x)
loop  = (%n, True) (%i)
  %v = aten::__getitem__.Dict_str(%d, "a")
  %w = aten::neg(%v)
  aten::_set_item.str(%d, "a", %w)
  next True
end
%r = aten::__getitem__.Dict_str(%d, "a")
return %r)"),
            R"(loop %n, True: %1, %2 = %x
  %3 = aten::neg(%2)
  next True, %3
end -> %4
return %4
)");
}

TEST(SplitDicts, KeyOfOneBranchHasAPresence) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
if  = %c
  aten::_set_item.str(%d, "b", %x)
  then
  else
end
%r = aten::__getitem__.Dict_str(%d, "a")
%h = aten::__contains__.str(%d, "b")
return %r, %h)"),
            R"(if %c
  then True
  else False
end -> %1
return %x, %1
)");
}

TEST(SplitDicts, KeysOfBothBranchesAreReadInTheirOrder) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
if  = %c
  aten::_set_item.str(%d, "b", %x)
  then
  aten::_set_item.str(%d, "b", %y)
  else
end
%l = aten::values.str(%d)
return %l)"),
            R"(if %c
  then %x
  else %y
end -> %1
%2 = prim::ListConstruct(%x, %1)
return %2
)");
}

TEST(SplitDicts, DictReadWithUnknownKeysStays) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
if  = %c
  aten::_set_item.str(%d, "b", %x)
  then
  else
end
%l = aten::values.str(%d)
return %l)"),
            "");
}

TEST(SplitDicts, KeysThatARunDecidesStay) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %c : bool)
if %k = %c
  then "a"
  else "b"
end
%d = prim::DictConstruct("a", %x, "b", %x)
if  = %c
  aten::_set_item.str(%d, %k, %x)
  then
  else
end
%r = aten::__getitem__.Dict_str(%d, "a")
return %r)"),
            "");
}

TEST(SplitDicts, BranchSelectsValues) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x, "b", %y)
%e = prim::DictConstruct("a", %y, "b", %x)
if %f = %c
  then %d
  else %e
end
%r = aten::__getitem__.Dict_str(%f, "b")
return %r)"),
            R"(if %c
  then %x, %y
  else %y, %x
end -> %1, %2
%3 = prim::DictConstruct("a", %1, "b", %2)
%4 = aten::__getitem__(%3, "b")
return %4
)");
}

TEST(SplitDicts, BranchSelectsDictsOfDifferentKeys) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
%e = prim::DictConstruct("b", %x)
if %f = %c
  then %d
  else %e
end
%h = aten::__contains__.str(%f, "a")
%r = aten::__getitem__.Dict_str(%f, "a")
return %h, %r)"),
            R"(%1 = prim::Uninitialized()
if %c
  then True, %x
  else False, %1
end -> %2, %3
return %2, %3
)");
}

TEST(SplitDicts, WritesToASelectedDict) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
if %f = %c
  then %d
  %e = prim::DictConstruct("a", %y)
  else %e
end
aten::_set_item.str(%f, "b", %x)
%r = aten::values.str(%f)
return %r)"),
            R"(if %c
  then %x
  else %y
end -> %1
%2 = prim::ListConstruct(%1, %x)
return %2
)");
}

TEST(SplitDicts, WhatTwoNamesMayShareIsNotWrittenTo) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
%e = prim::DictConstruct("a", %x)
if %f = %c
  then %d
  else %e
end
aten::_set_item.str(%d, "a", %x)
%r = aten::__getitem__.Dict_str(%f, "a")
return %r)"),
            "");
}

TEST(SplitDicts, WriteUnderANewNameHidesTheOldOne) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct("a", %x)
%e = prim::DictConstruct("a", %x)
if %f = %c
  then %d
  else %e
end
aten::_set_item.str(%f, "a", %y)
%r = aten::__getitem__.Dict_str(%d, "a")
return %r)"),
            "");
}

TEST(SplitDicts, IterationsExchangeDicts) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %n : int)
%d = prim::DictConstruct("a", %x)
%e = prim::DictConstruct("a", %y)
loop %p, %q = (%n, True) (%i, %f, %g) from %d, %e
  aten::_set_item.str(%f, "a", %x)
  next True, %g, %f
end
%r = aten::__getitem__.Dict_str(%p, "a")
return %r)"),
            R"(loop %n, True: %1, %2 = %x, %3 = %y
  next True, %3, %x
end -> %4, %5
return %4
)");
}

TEST(SplitDicts, OneDictUnderTwoNamesOfALoopIsNotReadAfterAWrite) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %n : int)
%d = prim::DictConstruct("a", %x)
%e = prim::DictConstruct("a", %y)
loop %p, %q = (%n, True) (%i, %f, %g) from %d, %e
  aten::_set_item.str(%f, "a", %x)
  next True, %f, %f
end
aten::_set_item.str(%p, "a", %y)
%r = aten::__getitem__.Dict_str(%q, "a")
return %r)"),
            "");
}

// LibTorch compares keys as numbers.
TEST(SplitDicts, ZerosAreOneKey) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct(0.0, %x, -0.0, %y)
if  = %c
  aten::_set_item.float(%d, -0.0, %x)
  then
  else
end
%r = aten::__getitem__.Dict_float(%d, 0.0)
return %r)"),
            R"(if %c
  then %x
  else %y
end -> %1
return %1
)");
}

// LibTorch never finds such a key again, so each write adds an entry.
TEST(SplitDicts, NanIsNoKey) {
  EXPECT_EQ(after(split_dicts, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
%d = prim::DictConstruct(1.0, %x)
if  = %c
  aten::_set_item.float(%d, nan., %y)
  then
  else
end
%r = aten::__getitem__.Dict_float(%d, nan.)
return %r)"),
            "");
}

TEST(FoldDicts, LoopThatRebuildsADictKeepsItsKeys) {
  EXPECT_EQ(after(fold_dicts, R"(
graph(%x : Float(3), %y : Float(3), %n : int)
%d = prim::DictConstruct("a", %x, "b", %y)
loop %p = (%n, True) (%i, %f) from %d
  %g = prim::DictConstruct()
  %l = aten::keys.str(%f)
  %m = aten::len.t(%l)
  loop  = (%m, True) (%j)
    %k = aten::__getitem__.t(%l, %j)
    %v = aten::__getitem__.Dict_str(%f, %k)
    %w = aten::neg(%v)
    aten::_set_item.str(%g, %k, %w)
    next True
  end
  next True, %g
end
%r = aten::values.str(%p)
return %r)"),
            R"(%1 = prim::DictConstruct("a", %x, "b", %y)
loop %n, True: %2, %3 = %1
  %4 = prim::DictConstruct()
  %5 = prim::ListConstruct("a", "b")
  %6 = aten::len(%5)
  loop %6, True: %7
    %8 = aten::__getitem__(%5, %7)
    %9 = aten::__getitem__(%3, %8)
    %10 = aten::neg(%9)
    aten::_set_item(%4, %8, %10)
    next True
  end -> 
  next True, %4
end -> %11
%12 = aten::__getitem__(%11, "a")
%13 = aten::__getitem__(%11, "b")
%14 = prim::ListConstruct(%12, %13)
return %14
)");
}

TEST(FoldDicts, LoopThatAddsAKeyDoesNot) {
  EXPECT_EQ(after(fold_dicts, R"(
graph(%x : Float(3), %n : int)
%d = prim::DictConstruct("a", %x)
loop %p = (%n, True) (%i, %f) from %d
  %l = aten::values.str(%f)
  aten::_set_item.str(%f, "b", %x)
  next True, %f
end
return %p)"),
            "");
}

TEST(FoldDicts, LoopThatSetsSomeKeysDoesNot) {
  EXPECT_EQ(after(fold_dicts, R"(
graph(%x : Float(3), %y : Float(3), %n : int)
%d = prim::DictConstruct("a", %x, "b", %y)
loop %p = (%n, True) (%i, %f) from %d
  %g = prim::DictConstruct()
  %l = aten::keys.str(%f)
  loop  = (1, True) (%j)
    %k = aten::__getitem__.t(%l, %j)
    aten::_set_item.str(%g, %k, %x)
    next True
  end
  next True, %g
end
%r = aten::values.str(%p)
return %r)"),
            "");
}

TEST(ListDicts, BranchFillsOneDict) {
  const auto pass = [](ir::Graph& graph) {
    ir::StateWrites none;
    return list_dicts(graph, none);
  };
  EXPECT_EQ(after(pass, R"(
graph(%x : Float(3), %c : bool)
if %d = %c
  %e = prim::DictConstruct("a", %x)
  then %e
  %f = prim::DictConstruct("b", %x)
  else %f
end
aten::_set_item.str(%d, "c", %x)
%r = aten::__contains__.str(%d, "b")
return %r)"),
            R"(%1 = prim::ListConstruct()
%2 = prim::ListConstruct()
if %c
  %3 = aten::__contains__(%1, "a")
  if %3
    %4 = aten::index(%1, "a")
    %5 = aten::_set_item(%2, %4, %x)
    then 
    %6 = aten::append(%1, "a")
    %7 = aten::append(%2, %x)
    else 
  end -> 
  then 
  %8 = aten::__contains__(%1, "b")
  if %8
    %9 = aten::index(%1, "b")
    %10 = aten::_set_item(%2, %9, %x)
    then 
    %11 = aten::append(%1, "b")
    %12 = aten::append(%2, %x)
    else 
  end -> 
  else 
end -> 
%13 = aten::__contains__(%1, "c")
if %13
  %14 = aten::index(%1, "c")
  %15 = aten::_set_item(%2, %14, %x)
  then 
  %16 = aten::append(%1, "c")
  %17 = aten::append(%2, %x)
  else 
end -> 
%18 = aten::__contains__(%1, "b")
return %18
)");
}

}  // namespace
}  // namespace tonnx::program
