#include <gtest/gtest.h>

#include "graph_text.h"
#include "program/containers/passes.h"
#include "program/containers/record_lists.h"

namespace tonnx::program {
namespace {

using test::after;

TEST(SplitRecordLists, LoopAppendsTuples) {
  EXPECT_EQ(after(split_record_lists, R"(
graph(%x : Float(3), %n : int)
%t = prim::TupleConstruct(%x, %n)
%l = prim::ListConstruct(%t)
loop  = (%n, True) (%i)
  %y = aten::neg(%x)
  %u = prim::TupleConstruct(%y, %i)
  aten::append.t(%l, %u)
  next True
end
%r = aten::__getitem__.t(%l, %n)
%a, %b = prim::TupleUnpack(%r)
%k = aten::len.t(%l)
return %a, %b, %k)"),
            R"(%1 = prim::TupleConstruct(%x, %n)
%2, %3 = prim::TupleUnpack(%1)
%4 = prim::ListConstruct(%2)
%5 = prim::ListConstruct(%3)
loop %n, True: %6
  %7 = aten::neg(%x)
  %8 = prim::TupleConstruct(%7, %6)
  %9, %10 = prim::TupleUnpack(%8)
  %11 = aten::append(%4, %9)
  %12 = aten::append(%5, %10)
  next True
end -> 
%13 = aten::__getitem__(%4, %n)
%14 = aten::__getitem__(%5, %n)
%15 = prim::TupleConstruct(%13, %14)
%16, %17 = prim::TupleUnpack(%15)
%18 = aten::len(%4)
return %16, %17, %18
)");
}

TEST(SplitRecordLists, BranchSelectsListsOfDicts) {
  EXPECT_EQ(after(split_record_lists, R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
if %l = %c
  %d = prim::DictConstruct("a", %x, "b", %y)
  %m = prim::ListConstruct(%d)
  then %m
  %e = prim::DictConstruct("a", %y, "b", %y)
  %o = prim::ListConstruct(%e, %e)
  else %o
end
%f = aten::__getitem__.t(%l, 0)
aten::append.t(%l, %f)
%r = aten::__getitem__.Dict_str(%f, "b")
return %r)"),
            R"(if %c
  %1 = prim::ListConstruct(%x)
  %2 = prim::ListConstruct(%y)
  then %1, %2
  %3 = prim::ListConstruct(%y, %y)
  %4 = prim::ListConstruct(%y, %y)
  else %3, %4
end -> %5, %6
%7 = aten::__getitem__(%5, 0)
%8 = aten::__getitem__(%6, 0)
%9 = prim::DictConstruct("a", %7, "b", %8)
%10 = aten::append(%5, %7)
%11 = aten::append(%6, %8)
%12 = aten::__getitem__(%9, "b")
return %12
)");
}

TEST(SplitRecordLists, DictsOfOtherKeysStay) {
  const auto program = [](const char* entries) {
    return std::string(R"(
graph(%x : Float(3), %y : Float(3), %c : bool)
if %l = %c
  %d = prim::DictConstruct("a", %x, "b", %y)
  %m = prim::ListConstruct(%d)
  then %m
  %e = prim::DictConstruct()") +
           entries + R"()
  %o = prim::ListConstruct(%e)
  else %o
end
%f = aten::__getitem__.t(%l, 0)
%r = aten::__getitem__.Dict_str(%f, "b")
return %r)";
  };
  EXPECT_NE(after(split_record_lists, program(R"("a", %y, "b", %x)")), "");
  EXPECT_EQ(after(split_record_lists, program(R"("b", %y, "a", %x)")), "");
  EXPECT_EQ(after(split_record_lists, program(R"("a", %y)")), "");
}

TEST(SplitRecordLists, DictsThatAreWrittenToStay) {
  EXPECT_EQ(after(split_record_lists, R"(
graph(%x : Float(3), %n : int)
%d = prim::DictConstruct("a", %x)
%l = prim::ListConstruct(%d)
%f = aten::__getitem__.t(%l, %n)
aten::_set_item.str(%f, "a", %x)
%r = aten::__getitem__.Dict_str(%d, "a")
return %r)"),
            "");
}

// An operator that takes the list as a whole keeps that list, and all that may become it.
TEST(SplitRecordLists, OnlyListsOfKnownUseAreSplit) {
  EXPECT_EQ(after(split_record_lists, R"(
graph(%x : Float(3), %n : int)
%t = prim::TupleConstruct(%x, %n)
%l = prim::ListConstruct(%t)
%a = aten::__getitem__.t(%l, %n)
%m = prim::ListConstruct(%t)
%o = aten::add.t(%m, %m)
%w = prim::TupleConstruct(%o)
%b = aten::__getitem__.t(%m, %n)
return %a, %b, %w)"),
            R"(%1 = prim::TupleConstruct(%x, %n)
%2, %3 = prim::TupleUnpack(%1)
%4 = prim::ListConstruct(%2)
%5 = prim::ListConstruct(%3)
%6 = aten::__getitem__(%4, %n)
%7 = aten::__getitem__(%5, %n)
%8 = prim::TupleConstruct(%6, %7)
%9 = prim::ListConstruct(%1)
%10 = aten::add(%9, %9)
%11 = prim::TupleConstruct(%10)
%12 = aten::__getitem__(%9, %n)
return %8, %12, %11
)");
}

TEST(SplitRecordLists, OneOfAnotherTypeKeepsTheList) {
  EXPECT_EQ(after(split_record_lists, R"(
graph(%x : Float(3), %n : int, %c : bool)
%t = prim::TupleConstruct(%x, %n)
%l = prim::ListConstruct(%t)
if %o = %c
  then %l
  else None
end
%q = aten::__isnot__(%o, None)
%a = aten::__getitem__.t(%l, %n)
return %a, %q)"),
            "");
}

TEST(SplitRecordLists, OutputIsAListForEachField) {
  const auto graph = test::parse(R"(
graph(%x : Float(3), %n : int)
%d = prim::DictConstruct("a", %x, "b", %x)
%l = prim::ListConstruct(%d)
loop  = (%n, True) (%i)
  %e = prim::DictConstruct("a", %x, "b", %x)
  aten::append.t(%l, %e)
  next True
end
return %n, %l)");
  EXPECT_FALSE(split_record_lists(*graph));
  const std::vector<FieldLists> fields = split_output_records(*graph);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_TRUE(fields[0].lists.empty());
  EXPECT_EQ(fields[1].lists.size(), 2u);
  EXPECT_EQ(fields[1].keys, (std::vector<std::string>{"a", "b"}));
}

TEST(SplitOptionalLists, LoopAppendsOptionals) {
  EXPECT_EQ(after(split_optional_lists, R"(
graph(%x : Float(3), %n : int, %c : bool)
if %o = %c
  then %x
  else None
end
%l = prim::ListConstruct(%o, None, %x)
loop  = (%n, True) (%i)
  aten::append.t(%l, %o)
  next True
end
%r = aten::__getitem__.t(%l, %n)
%q = aten::__isnot__(%r, None)
return %q)"),
            R"(if %c
  then %x
  else None
end -> %1
%2 = aten::__isnot__(%1, None)
%3 = prim::unchecked_cast(%1)
%4 = prim::Uninitialized()
%5 = prim::ListConstruct(%2, False, True)
%6 = prim::ListConstruct(%3, %4, %x)
loop %n, True: %7
  %8 = aten::__isnot__(%1, None)
  %9 = prim::unchecked_cast(%1)
  %10 = aten::append(%5, %8)
  %11 = aten::append(%6, %9)
  next True
end -> 
%12 = aten::__getitem__(%5, %n)
%13 = aten::__getitem__(%6, %n)
if %12
  then %13
  else None
end -> %14
%15 = aten::__isnot__(%14, None)
return %15
)");
}

TEST(SplitTuples, BranchGivesOneValueAnItem) {
  EXPECT_EQ(after(split_tuples, R"(
graph(%x : Float(3), %n : int, %c : bool)
%t = prim::TupleConstruct(%x, %n)
%l = prim::ListConstruct(%t)
if %u = %c
  %v = aten::__getitem__.t(%l, %n)
  then %v
  %w = prim::TupleConstruct(%x, 2)
  else %w
end
%a, %b = prim::TupleUnpack(%u)
return %a, %b)"),
            R"(%1 = prim::TupleConstruct(%x, %n)
%2 = prim::ListConstruct(%1)
if %c
  %3 = aten::__getitem__(%2, %n)
  %4, %5 = prim::TupleUnpack(%3)
  then %4, %5
  else %x, 2
end -> %6, %7
%8 = prim::TupleConstruct(%6, %7)
%9, %10 = prim::TupleUnpack(%8)
return %9, %10
)");
}

TEST(SplitTuples, ItemsThatBothBranchesGiveAreNoResults) {
  EXPECT_EQ(after(split_tuples, R"(
graph(%x : Float(3), %n : int, %c : bool)
if %u = %c
  %v = prim::TupleConstruct(%x, 1)
  then %v
  %w = prim::TupleConstruct(%x, %n)
  else %w
end
%a, %b = prim::TupleUnpack(%u)
return %a, %b)"),
            R"(if %c
  then 1
  else %n
end -> %1
%2 = prim::TupleConstruct(%x, %1)
%3, %4 = prim::TupleUnpack(%2)
return %3, %4
)");
}

TEST(SplitTuples, LoopCarriesOneValueAnItem) {
  EXPECT_EQ(after(split_tuples, R"(
graph(%x : Float(3), %n : int)
%t = prim::TupleConstruct(%x, %n, %x)
loop %u = (%n, True) (%i, %v) from %t
  %a, %b, %k = prim::TupleUnpack(%v)
  %d = aten::neg(%a)
  %w = prim::TupleConstruct(%d, %i, %k)
  next True, %w
end
return %u)"),
            R"(loop %n, True: %1, %2 = %x, %3 = %n, %4 = %x
  %5 = prim::TupleConstruct(%2, %3, %4)
  %6, %7, %8 = prim::TupleUnpack(%5)
  %9 = aten::neg(%6)
  next True, %9, %1, %8
end -> %10, %11, %12
%13 = prim::TupleConstruct(%10, %11, %12)
%14, %15, %16 = prim::TupleUnpack(%13)
return %14, %15, %16
)");
}

// Nested loops do not multiply the number of walks.
TEST(SplitTuples, DeeplyNestedLoops) {
  constexpr int kDepth = 40;
  std::string text = "graph(%x : Float(3), %n : int)\n%t0 = prim::TupleConstruct(%x, %n)\n";
  for (int d = 1; d <= kDepth; ++d) {
    const std::string own = std::to_string(d), outer = std::to_string(d - 1);
    text += "loop %u" + own + " = (%n, True) (%i" + own + ", %t" + own + ") from %t" + outer + "\n";
  }
  text += "%a, %b = prim::TupleUnpack(%t" + std::to_string(kDepth) + ")\n%d = aten::neg(%a)\n";
  text += "%u" + std::to_string(kDepth + 1) + " = prim::TupleConstruct(%d, %b)\n";
  for (int d = kDepth; d > 0; --d) text += "next True, %u" + std::to_string(d + 1) + "\nend\n";
  const std::string split = after(split_tuples, text + "return %u1");
  EXPECT_TRUE(split.starts_with("loop %n, True: %1, %2 = %x, %3 = %n\n")) << split;
}

}  // namespace
}  // namespace tonnx::program
