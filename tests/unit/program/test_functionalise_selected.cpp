// References that are one of two tensors, in functionalise().
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "functional_form.h"

namespace tonnx::program {
namespace {

using test::functional;
using test::refused;
using ::testing::HasSubstr;

TEST(FunctionaliseSelected, WriteChangesTheCandidateOfEachBranch) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3), %c : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
if %y = %c
  then %a
  else %b
end
%z = aten::add_.Scalar(%y, 1, 1)
return %a, %b, %y)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::neg(%x)
if %c
  then %1
  else %2
end -> %3
if %c
  %4 = aten::add(%1, 1, 1)
  then %4, %4, %2
  %5 = aten::add(%2, 1, 1)
  else %5, %1, %5
end -> %6, %7, %8
return %7, %8, %6
)");
}

TEST(FunctionaliseSelected, ReadSelectsAmongCurrentValues) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3), %c : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
if %y = %c
  then %a
  else %b
end
%z = aten::add_.Scalar(%b, 1, 1)
%w = aten::relu(%y)
return %w)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::neg(%x)
if %c
  then %1
  else %2
end -> %3
%4 = aten::add(%2, 1, 1)
if %c
  then %1
  else %4
end -> %5
%6 = aten::relu(%5)
return %6
)");
}

TEST(FunctionaliseSelected, TensorOfABranchBecomesItsResult) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3), %c : bool)
%a = aten::clone(%x)
if %y = %c
  then %a
  %f = aten::neg(%a)
  else %f
end
%z = aten::add_.Scalar(%y, 1, 1)
return %a, %y)"),
            R"(%1 = aten::clone(%x, None)
if %c
  %2 = prim::Uninitialized()
  then %1, %2
  %3 = aten::neg(%1)
  else %3, %3
end -> %4, %5
if %c
  %6 = aten::add(%1, 1, 1)
  then %6, %6, %5
  %7 = aten::add(%5, 1, 1)
  else %7, %1, %7
end -> %8, %9, %10
return %9, %8
)");
}

TEST(FunctionaliseSelected, ViewsAreCreatedAgainWithTheirOperands) {
  functional(R"(
graph(%x : Float(4, 3), %c : bool, %n : int)
%a = aten::clone(%x)
%b = aten::neg(%x)
%m = aten::add.int(%n, -2)
if %y = %c
  %i = aten::add.int(%m, -1)
  %p = aten::select.int(%a, 0, %i)
  then %p
  %k = aten::add.int(%m, 1)
  %q = aten::slice.Tensor(%b, 0, %m, %k, 1)
  %r = aten::view(%q, [3])
  else %r
end
%v = aten::slice.Tensor(%y, 0, 1, 3, 1)
%z = aten::add_.Scalar(%v, 1, 1)
%w = aten::neg_(%b)
%u = aten::mul_.Scalar(%y, 2)
return %a, %b, %y, %v)");
}

TEST(FunctionaliseSelected, NestedBranchesReturnTheirConditions) {
  functional(R"(
graph(%x : Float(2, 3), %c : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
if %y = %c
  %s = aten::sum(%a)
  %t = aten::gt.Scalar(%s, 0)
  %d = aten::Bool.Tensor(%t)
  if %r = %d
    then %a
    %f = aten::mul.Scalar(%a, 3)
    else %f
  end
  %o = aten::add_.Scalar(%r, 2, 1)
  then %r
  else %b
end
%z = aten::add_.Scalar(%y, 1, 1)
%w = aten::mul_.Scalar(%a, 2)
%v = aten::neg_(%y)
return %a, %b, %y)");
}

TEST(FunctionaliseSelected, SelectionOfASelection) {
  functional(R"(
graph(%x : Float(2, 3), %c : bool, %d : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
if %u = %c
  then %a
  else %b
end
%o = aten::add_.Scalar(%u, 1, 1)
if %v = %d
  then %u
  else %a
end
%p = aten::mul_.Scalar(%v, 3)
%q = aten::add_.Tensor(%u, %v, 1)
%r = aten::add_.Tensor(%v, %v, 1)
return %a, %b, %u, %v)");
}

TEST(FunctionaliseSelected, InALoop) {
  functional(R"(
graph(%x : Float(4, 3), %n : int)
%a = aten::clone(%x)
%b = aten::neg(%x)
loop %o = (%n, True) (%i, %p) from 0
  %k = aten::eq.int(%i, 1)
  if %y = %k
    then %a
    else %b
  end
  %v = aten::select.int(%y, 0, %i)
  %z = aten::add_.Scalar(%v, 1, 1)
  if = %k
    %e = aten::mul_.Scalar(%y, 2)
    then
    %g = aten::neg_(%b)
    else
  end
  %q = aten::add.int(%p, %i)
  next True, %q
end
return %a, %b, %o)");
}

TEST(FunctionaliseSelected, WrittenInALoopAfterTheBranch) {
  functional(R"(
graph(%x : Float(4, 3), %n : int, %c : bool)
%a = aten::clone(%x)
if %y = %c
  then %a
  %f = aten::neg(%a)
  else %f
end
loop = (%n, True) (%i)
  %v = aten::select.int(%y, 0, %i)
  %z = aten::add_.Scalar(%v, 1, 1)
  next True
end
return %a, %y)");
}

TEST(FunctionaliseSelected, CandidatesOfDifferentShapes) {
  functional(R"(
graph(%x : Float(2, 3), %w : Float(4), %c : bool)
%a = aten::clone(%x)
%b = aten::neg(%w)
if %y = %c
  then %a
  else %b
end
%z = aten::add_.Scalar(%y, 1, 1)
%v = aten::select.int(%y, 0, 1)
%u = aten::mul_.Scalar(%v, 2)
return %a, %b, %y)");
}

TEST(FunctionaliseSelected, SeveralOuts) {
  functional(R"(
graph(%x : Float(2, 3), %c : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
if %y = %c
  then %a
  else %b
end
%o = aten::mul.out(%x, %x, %y)
return %a, %b, %y)");
}

TEST(FunctionaliseSelected, ExchangesInARow) {
  std::string text = "graph(%x : Float(2, 3), %c : bool)\n%a0 = aten::clone(%x)\n%b0 = aten::neg(%x)\n";
  for (int i = 0; i < 6; ++i) {
    const std::string from = std::to_string(i), to = std::to_string(i + 1);
    text += "if %a" + to + ", %b" + to + " = %c\n  then %b" + from + ", %a" + from + "\n  else %a" + from + ", %b" +
            from + "\nend\n%z" + to + " = aten::add_.Scalar(%a" + to + ", " + to + ", 1)\n";
  }
  functional(text + "return %a0, %b0, %a6, %b6");
}

TEST(FunctionaliseSelected, LongChainIsReadOnce) {
  std::string text = "graph(%x : Float(2, 3), %c : bool)\n%a0 = aten::clone(%x)\n%b0 = aten::neg(%x)\n";
  for (int i = 0; i < 40; ++i) {
    const std::string from = std::to_string(i), to = std::to_string(i + 1);
    text += "if %a" + to + ", %b" + to + " = %c\n  then %b" + from + ", %a" + from + "\n  else %a" + from + ", %b" +
            from + "\nend\n";
  }
  functional(text + "%z = aten::add_.Scalar(%b0, 1, 1)\nreturn %a40, %b40");
}

TEST(FunctionaliseSelected, CandidateThatMayBeTheOtherOneIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3), %n : int, %c : bool)
%a = aten::clone(%x)
loop %o = (%n, True) (%i, %h) from %a
  %b = aten::slice.Tensor(%h, 0, 0, 2, 1)
  next True, %b
end
if %y = %c
  then %a
  else %o
end
%z = aten::add_.Scalar(%y, 1, 1)
return %a, %o)"),
              HasSubstr("may or may not share memory"));
}

// Loop-carried tensors.

TEST(FunctionaliseSelected, ExchangedTensorsAreSelectedByNumbers) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3), %n : int)
%a = aten::clone(%x)
%b = aten::neg(%x)
loop %p, %q = (%n, True) (%i, %c, %d) from %a, %b
  %z = aten::add_.Scalar(%c, 1, 1)
  next True, %d, %c
end
return %a, %b, %p)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::neg(%x)
%3 = prim::Uninitialized()
%4 = prim::Uninitialized()
loop %n, True: %5, %6 = %3, %7 = %4, %8 = 0, %9 = 1, %10 = %1, %11 = %2
  %12 = aten::eq(%8, 0)
  if %12
    %13 = aten::add(%10, 1, 1)
    then %13, %13, %11
    %14 = aten::add(%11, 1, 1)
    else %14, %10, %14
  end -> %15, %16, %17
  next True, %6, %7, %9, %8, %16, %17
end -> %18, %19, %20, %21, %22, %23
%24 = aten::eq(%20, 0)
if %24
  then %22
  else %23
end -> %25
return %22, %23, %25
)");
}

TEST(FunctionaliseSelected, TensorOfAnIterationIsStorageOfTheLoop) {
  functional(R"(
graph(%x : Float(2, 3), %n : int)
%a = aten::clone(%x)
loop %p, %q = (%n, True) (%i, %c, %d) from %a, %a
  %f = aten::neg(%c)
  %z = aten::add_.Scalar(%d, 1, 1)
  next True, %f, %c
end
%y = aten::add_.Scalar(%p, 1, 1)
return %a, %p, %q)");
}

TEST(FunctionaliseSelected, TwoLoopCarriedTensorsAreOneTensorOfAnIteration) {
  functional(R"(
graph(%x : Float(2, 3), %n : int, %k : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
loop %p, %q, %r = (%n, True) (%i, %c, %d, %e) from %a, %b, %a
  %f = aten::neg(%c)
  %g = aten::relu(%d)
  if %s, %t = %k
    then %f, %g
    else %g, %f
  end
  %z = aten::add_.Scalar(%c, 1, 1)
  next True, %s, %t, %f
end
%y = aten::add_.Scalar(%p, 1, 1)
return %a, %b, %p, %q, %r)");
}

TEST(FunctionaliseSelected, ExchangedInALoopInABranch) {
  functional(R"(
graph(%x : Float(2, 3), %n : int, %k : bool)
%a = aten::clone(%x)
%b = aten::neg(%x)
if %u, %v = %k
  loop %p, %q = (%n, True) (%i, %c, %d) from %a, %b
    %f = aten::neg(%c)
    %z = aten::add_.Scalar(%d, 1, 1)
    next True, %d, %f
  end
  then %p, %q
  else %b, %a
end
%y = aten::mul_.Scalar(%u, 2)
%w = aten::add_.Scalar(%v, 1, 1)
return %a, %b, %u, %v)");
}

TEST(FunctionaliseSelected, ExchangedInNestedLoops) {
  functional(R"(
graph(%x : Float(2, 3), %n : int)
%a = aten::clone(%x)
%b = aten::neg(%x)
loop %p, %q = (%n, True) (%i, %c, %d) from %a, %b
  loop %s, %t = (%n, True) (%j, %e, %f) from %d, %c
    %g = aten::neg(%e)
    %z = aten::add_.Scalar(%f, 1, 1)
    next True, %f, %g
  end
  %y = aten::mul_.Scalar(%c, 2)
  next True, %t, %s
end
%w = aten::add_.Scalar(%p, 1, 1)
return %a, %b, %p, %q)");
}

}  // namespace
}  // namespace tonnx::program
