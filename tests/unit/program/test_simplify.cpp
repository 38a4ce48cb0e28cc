#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aten/remove_dead.h"
#include "graph_text.h"
#include "machine.h"
#include "program/simplify.h"
#include "program/writes/passes.h"

namespace tonnx::program {
namespace {

std::string simplified(const std::string& text) {
  const auto graph = test::parse(text);
  simplify(*graph);
  verify(*graph, "simplify");
  return test::show(*graph);
}

TEST(Simplify, WarningsAndDeadCodeGo) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3))
weight %w : Float(3)
%y = aten::relu(%x)
aten::warn("careful", 2)
%z = aten::add.Tensor(%x, %w, 1)
return %y)"),
            "%1 = aten::relu(%x)\nreturn %1\n");
  EXPECT_EQ(test::parse("graph(%x : Float(3))\nweight %w : Float(3)\nreturn %x")->weights().size(), 1u);
}

TEST(Simplify, WritesStay) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3))
%y = aten::clone(%x)
%l = prim::ListConstruct(%y, %x)
%a = aten::add_.Scalar(%y, 1, 1)
%s = aten::stack(%l, 0)
return %s)"),
            "%1 = aten::clone(%x, None)\n%2 = prim::ListConstruct(%1, %x)\n%3 = aten::add_(%1, 1, 1)\n"
            "%4 = aten::stack(%2, 0)\nreturn %4\n");
}

TEST(Simplify, ConstantBranchesAreTaken) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3))
if %y = False
  %a = aten::neg(%x)
  then %a
  if %b = True
    %c = aten::relu(%x)
    then %c
    else %x
  end
  else %b
end
return %y)"),
            "%1 = aten::relu(%x)\nreturn %1\n");
}

TEST(Simplify, RaisingBranchesGo) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %c : bool)
if %y = %c
  prim::RaiseException("no")
  then %x
  %b = aten::relu(%x)
  else %b
end
return %y)"),
            "%1 = aten::relu(%x)\nreturn %1\n");
}

TEST(Simplify, ShortLoopsAreUnrolled) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %n : int)
%l : Tensor[] = prim::ListConstruct()
loop %o = (2, True) (%i, %h) from %x
  %a = aten::add.Scalar(%h, %i, 1)
  %m = aten::append.t(%l, %a)
  next True, %a
end
loop %p = (0, True) (%j, %k) from %x
  next True, %o
end
%s = aten::stack(%l, 0)
return %s, %o, %p)"),
            "%1 = aten::add(%x, 0, 1)\n%2 = aten::add(%1, 1, 1)\n%3 = prim::ListConstruct(%1, %2)\n"
            "%4 = aten::stack(%3, 0)\nreturn %4, %2, %x\n");
  EXPECT_THAT(simplified(R"(
graph(%x : Float(3), %n : int)
loop %o = (%n, True) (%i, %h) from %x
  %a = aten::add.Scalar(%h, 1, 1)
  next True, %a
end
return %o)"),
              ::testing::HasSubstr("loop %n"));
}

// `for k in range(1, 5)` with a break at k == `place`, simplified: unrolled adds, or the loop.
std::string counted(const std::string& place) {
  return simplified(R"(
graph(%x : Float(3), %n : int)
loop %y, %e = (9223372036854775807, True) (%i, %h, %k) from %x, 1
  %stops = aten::eq.int(%k, )" +
                    place + R"()
  if %again = %stops
    then False
    else True
  end
  %z = aten::add.Scalar(%h, %k, 1)
  %next = aten::add.int(%k, 1)
  %more = aten::lt.int(%next, 5)
  %goes = aten::__and__.bool(%more, %again)
  next %goes, %z, %next
end
return %y)");
}

TEST(Simplify, LoopsThatCountUpToAKnownNumberAreUnrolled) {
  EXPECT_EQ(counted("2"), "%1 = aten::add(%x, 1, 1)\n%2 = aten::add(1, 1)\n%3 = aten::add(%1, %2, 1)\nreturn %3\n");
  EXPECT_EQ(counted("7"),
            "%1 = aten::add(%x, 1, 1)\n%2 = aten::add(1, 1)\n%3 = aten::add(%1, %2, 1)\n%4 = aten::add(%2, 1)\n"
            "%5 = aten::add(%3, %4, 1)\n%6 = aten::add(%4, 1)\n%7 = aten::add(%5, %6, 1)\nreturn %7\n");
  EXPECT_THAT(counted("%n"), ::testing::HasSubstr("loop 9223372036854775807"));
}

TEST(Simplify, TuplesAreSplitAcrossBranchesAndLoops) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %n : int, %c : bool)
%t = prim::TupleConstruct(%x, %n)
loop %o = (%n, True) (%i, %h) from %t
  %a, %b = prim::TupleUnpack(%h)
  %d = aten::relu(%a)
  %e = prim::TupleConstruct(%d, %b)
  next True, %e
end
if %u = %c
  then %o
  %f = prim::TupleConstruct(%x, %n)
  else %f
end
%g, %k = prim::TupleUnpack(%u)
%v = prim::TupleConstruct(%g, %g)
%w = prim::TupleConstruct(%v, %k)
return %w)"),
            R"(loop %n, True: %1, %2 = %x
  %3 = aten::relu(%2)
  next True, %3
end -> %4
if %c
  then %4
  else %x
end -> %5
return %5, %5, %n
)");
}

TEST(Simplify, CopiesArePropagatedThroughBranchesAndLoops) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %n : int, %c : bool)
loop %o, %p, %q = (%n, True) (%i, %h, %d, %k) from %x, %x, %x
  if %r, %s = %c
    then %d, %h
    else %h, %h
  end
  %m = aten::add.Tensor(%k, %r, 1)
  next True, %r, %s, %m
end
%u = aten::add.Tensor(%o, %p, 1)
%v = aten::add.Tensor(%u, %q, 1)
return %v)"),
            R"(loop %n, True: %1, %2 = %x
  %3 = aten::add(%2, %x, 1)
  next True, %3
end -> %4
%5 = aten::add(%x, %x, 1)
%6 = aten::add(%5, %4, 1)
return %6
)");
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %n : int)
%y = aten::neg(%x)
loop %o, %p = (%n, True) (%i, %h, %d) from %x, %y
  next True, %d, %h
end
return %o)"),
            R"(%1 = aten::neg(%x)
loop %n, True: %2, %3 = %x, %4 = %1
  next True, %4, %3
end -> %5, %6
return %5
)");
}

TEST(Simplify, DeadCarriedValuesGo) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %n : int, %c : bool)
loop %o, %p, %q = (%n, True) (%i, %h, %d, %k) from %x, %x, %n
  if %r, %s = %c
    %a = aten::relu(%h)
    %b = aten::neg(%d)
    then %a, %b
    else %h, %d
  end
  %m = aten::add.int(%k, 1)
  next True, %r, %s, %m
end
return %o)"),
            R"(loop %n, True: %1, %2 = %x
  if %c
    %3 = aten::relu(%2)
    then %3
    else %2
  end -> %4
  next True, %4
end -> %5
return %5
)");
}

TEST(Simplify, ListsBuiltAndTakenApart) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3), %y : Float(3))
%l = prim::ListConstruct(%x, %y)
%a, %b = prim::ListUnpack(%l)
%m = prim::ListConstruct(%a)
%n = aten::add.t(%l, %m)
%o = aten::slice.t(%n, 1, None, 1)
%c = aten::__getitem__.t(%o, -1)
%k = aten::len.t(%o)
%s = aten::stack(%o, 0)
return %b, %c, %k, %s)"),
            "%1 = prim::ListConstruct(%y, %x)\n%2 = aten::stack(%1, 0)\nreturn %y, %x, 2, %2\n");
}

TEST(Simplify, NumbersThroughTensors) {
  EXPECT_EQ(simplified(R"(
graph(%x : Float(3))
%n = aten::size.int(%x, 0)
%t = prim::NumToTensor.Scalar(%n)
%i = aten::Int.Tensor(%t)
%l = prim::ListConstruct(%i)
%z = aten::zeros(%l)
return %z)"),
            "%1 = aten::size(%x, 0)\n%2 = prim::ListConstruct(%1)\n%3 = aten::zeros(%2, None)\n"
            "return %3\n");
}

TEST(Simplify, LengthOfWhatATensorIsTakenApartInto) {
  EXPECT_EQ(simplified(R"(
graph(%x : Tensor)
%l : Tensor[] = aten::unbind.int(%x, 0)
%n = aten::len.t(%l)
return %n)"),
            "%1 = aten::size(%x, 0)\nreturn %1\n");
}

std::string views_of(const std::string& equation) {
  const auto graph = test::parse("graph(%x : Float(2, 3, 3))\n%l = prim::ListConstruct(%x)\n%y = aten::einsum(\"" +
                                 equation + "\", %l, None)\nreturn %y");
  spell_views(*graph);
  aten::remove_dead(*graph);
  verify(*graph, "spell_views");
  return test::show(*graph);
}

TEST(SpellViews, EinsumOfOneTensor) {
  EXPECT_EQ(views_of("bij -> jbi"), "%1 = aten::movedim(%x, [0, 1, 2], [1, 2, 0])\nreturn %1\n");
  EXPECT_EQ(views_of("cba"), "%1 = aten::movedim(%x, [0, 1, 2], [2, 1, 0])\nreturn %1\n");
  EXPECT_EQ(views_of("...ij->j...i"), "%1 = aten::movedim(%x, [-2, -1], [-1, 0])\nreturn %1\n");
  EXPECT_EQ(views_of("...->..."), "%1 = aten::alias(%x)\nreturn %1\n");
  EXPECT_EQ(views_of("bii->ib"),
            "%1 = aten::diagonal(%x, 0, 1, 2)\n%2 = aten::movedim(%1, [0, 1], [1, 0])\nreturn %2\n");
}

TEST(SpellViews, SumsStay) {
  for (const char* equation : {"bij->bi", "bii", "...ij->ij"})
    EXPECT_THAT(views_of(equation), ::testing::HasSubstr("aten::einsum"));
}

}  // namespace
}  // namespace tonnx::program
