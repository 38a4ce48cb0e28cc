#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "functional_form.h"
#include "graph_text.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "machine.h"
#include "program/facts/facts.h"
#include "program/writes/functionalise.h"

namespace tonnx::program {
namespace {

using test::functional;
using test::Machine;
using test::refused;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Functionalise, InPlaceOperatorBecomesItsTwin) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3))
%y = aten::add.Tensor(%x, %x, 1)
%z = aten::relu_(%y)
%w = aten::add.Tensor(%y, %z, 1)
return %w)"),
            R"(%1 = aten::add(%x, %x, 1)
%2 = aten::relu(%1)
%3 = aten::add(%2, %2, 1)
return %3
)");
}

TEST(Functionalise, ViewsOfAWrittenTensorAreMadeAgain) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3))
%y = aten::clone(%x)
%v = aten::select.int(%y, 0, 1)
%u = aten::add_.Scalar(%y, 1, 1)
%w = aten::mul.Scalar(%v, 2)
return %w, %y)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::select(%1, 0, 1)
%3 = aten::add(%1, 1, 1)
%4 = aten::select(%3, 0, 1)
%5 = aten::mul(%4, 2)
return %5, %3
)");
}

TEST(Functionalise, WritesThroughViewsScatter) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(4, 3))
%y = aten::clone(%x)
%v = aten::slice.Tensor(%y, 0, 1, 3, 1)
%w = aten::select.int(%v, 1, 0)
%z = aten::zero_(%w)
return %y, %v)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::slice(%1, 0, 1, 3, 1)
%3 = aten::select(%2, 1, 0)
%4 = aten::zeros_like(%3, None, None, None, None, None)
%5 = aten::select_scatter(%2, %4, 1, 0)
%6 = aten::slice_scatter(%1, %5, 0, 1, 3, 1)
return %6, %5
)");
}

TEST(Functionalise, EveryViewHasItsInverse) {
  const char* views[] = {"aten::slice.Tensor(%y, 1, 0, None, 2)",
                         "aten::select.int(%y, 1, -1)",
                         "aten::transpose.int(%y, 0, 1)",
                         "aten::permute(%y, [1, 0])",
                         "aten::view(%y, [2, 6])",
                         "aten::unsqueeze(%y, 1)",
                         "aten::unsqueeze(%y, -1)",
                         "aten::detach(%y)",
                         "aten::diagonal(%y, 0, 0, 1)",
                         "aten::narrow(%y, 0, 1, 2)",
                         "aten::reshape(%y, [12])",
                         "aten::contiguous(%y)",
                         "aten::dropout(%y, 0.5, False)"};
  for (const std::string view : views)
    functional("graph(%x : Float(3, 4))\n%y = aten::clone(%x)\n%v = " + view +
               "\n%w = aten::neg_(%v)\n%u = aten::add_.Scalar(%v, 3, 1)\nreturn %y, %v, %w");
}

TEST(Functionalise, CopyingReshapeIsNotAView) {
  EXPECT_THAT(functional(R"(
graph(%x : Float(3, 4))
%y = aten::clone(%x)
%t = aten::transpose.int(%y, 0, 1)
%v = aten::reshape(%t, [12])
%c = aten::contiguous(%t)
%w = aten::neg_(%v)
%u = aten::neg_(%c)
return %y, %v, %c)"),
              Not(HasSubstr("scatter")));
}

TEST(Functionalise, PiecesOfSplits) {
  for (const std::string split : {"aten::split.Tensor(%y, 2, 0)", "aten::chunk(%y, 3, 0)", "aten::unbind.int(%z, 1)"})
    functional(R"(
graph(%x : Float(6, 3))
%y = aten::clone(%x)
%z = aten::detach(%y)
%l = )" + split +
               R"(
%a, %b, %c = prim::ListUnpack(%l)
%d = aten::__getitem__.t(%l, -1)
%u = aten::neg_(%a)
%w = aten::add_.Scalar(%d, 5, 1)
return %y, %a, %b, %c, %d, %l)");
}

TEST(Functionalise, PiecesWhosePlacesAreComputed) {
  for (const std::string split : {"aten::split.Tensor(%y, %n, 0)", "aten::chunk(%y, %n, 0)", "aten::unbind.int(%y, 0)"})
    functional(R"(
graph(%x : Float(7, 3), %n : int)
%y = aten::clone(%x)
%l = )" + split +
               R"(
%k = aten::add.int(%n, -5)
%a = aten::__getitem__.t(%l, %k)
%b = aten::__getitem__.t(%l, -1)
%c = aten::__getitem__.t(%l, 0)
%u = aten::neg_(%a)
%v = aten::add_.Scalar(%b, 5, 1)
%w = aten::mul_.Scalar(%c, 3)
return %y, %a, %b, %c)");
}

TEST(Functionalise, PiecesInALoop) {
  functional(R"(
graph(%x : Float(7, 3), %n : int)
%y = aten::clone(%x)
%l = aten::split.Tensor(%y, %n, 0)
%m = aten::len.t(%l)
loop = (%m, True) (%i) from
  %p = aten::__getitem__.t(%l, %i)
  %u = aten::add_.Scalar(%p, %i, 1)
  next True
end
return %y)");
}

TEST(Functionalise, CopyFillAndZero) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3), %y : Float(3))
%z = aten::clone(%x)
%a = aten::copy_(%z, %y, False)
%r = aten::select.int(%z, 0, 0)
%b = aten::fill_.Scalar(%r, 7)
return %z)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::expand_as(%y, %1)
%3 = aten::select(%2, 0, 0)
%4 = aten::full_like(%3, 7, None, None, None, None, None)
%5 = aten::select_scatter(%2, %4, 0, 0)
return %5
)");
}

TEST(Functionalise, ResultKeepsTheDtypeOfWhatIsWritten) {
  const auto graph = test::parse(R"(
graph(%h : Half(3), %x : Float(3))
%y = aten::clone(%h)
%z = aten::add_.Tensor(%y, %x, 1)
%w = aten::copy_(%z, %x, False)
return %w)");
  Machine machine;
  infer_facts(*graph, machine, {});
  test::functionalise_or_throw(*graph);
  EXPECT_EQ(test::show(*graph), R"(%1 = aten::clone(%h, None)
%2 = aten::add(%1, %x, 1)
%3 = aten::to(%2, 5, False, False, None)
%4 = aten::to(%x, 5, False, False, None)
return %4
)");
}

TEST(Functionalise, IndexPutOnAView) {
  EXPECT_THAT(functional(R"(
graph(%x : Float(4, 3), %v : Float(3))
%y = aten::clone(%x)
%s = aten::slice.Tensor(%y, 0, 1, None, 1)
%i = aten::arange(2)
%l = prim::ListConstruct(%i)
%u = aten::index_put_(%s, %l, %v, False)
return %y)"),
              HasSubstr("%5 = aten::index_put(%2, "));
}

TEST(Functionalise, InputsAndWeightsKeepTheirValue) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3))
weight %w : Float(3)
%a = aten::add_.Tensor(%x, %w, 1)
%b = aten::mul_.Scalar(%w, 2)
%c = aten::add.Tensor(%x, %w, 1)
return %c, %x)"),
            R"(%1 = aten::add(%x, %w, 1)
%2 = aten::mul(%w, 2)
%3 = aten::add(%1, %2, 1)
return %3, %1
)");
}

TEST(Functionalise, OutVariant) {
  functional(R"(
graph(%x : Float(2, 3))
%y = aten::clone(%x)
%v = aten::slice.Tensor(%y, 0, 0, 2, 1)
%z = aten::mul.out(%x, %x, %v)
return %y, %z)");
}

TEST(Functionalise, SeveralOuts) {
  const auto apart = test::parse(R"(
graph(%x : Float(2, 3), %v : Float(2, 3), %i : Long(2, 3))
%a, %b = aten::sort.values(%x, 1, False, %v, %i)
%y = aten::add_.Scalar(%a, 1, 1)
return %v, %b)");
  test::functionalise_or_throw(*apart);
  EXPECT_EQ(test::show(*apart), R"(%1, %2 = aten::sort(%x, 1, False)
%3 = aten::add(%1, 1, 1)
return %3, %2
)");
  const auto one = test::parse(R"(
graph(%x : Float(2, 3), %v : Float(2, 3))
%a, %b = aten::aminmax.out(%x, 1, False, %v, %v)
return %a)");
  EXPECT_THROW(test::functionalise_or_throw(*one), ir::Error);
  const auto resized = test::parse(R"(
graph(%x : Float(2, 3), %v : Float(9), %i : Long(2, 3))
%w = aten::slice.Tensor(%v, 0, 0, 2, 1)
%a, %b = aten::sort.values(%x, 1, False, %v, %i)
return %v, %w)");
  EXPECT_THROW(test::functionalise_or_throw(*resized), ir::Error);
}

TEST(Functionalise, ShapeChangeInPlace) {
  functional(R"(
graph(%x : Float(2, 3))
%y = aten::clone(%x)
%z = aten::unsqueeze_(%y, 0)
%w = aten::add_.Scalar(%y, 1, 1)
return %y, %z)");
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3))
%y = aten::clone(%x)
%v = aten::select.int(%y, 0, 0)
%z = aten::unsqueeze_(%y, 0)
return %y, %v)"),
              HasSubstr("has a view which is read later"));
}

// Branches.

TEST(Functionalise, BranchReturnsWhatItWrites) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(2, 3), %c : bool)
%y = aten::clone(%x)
%v = aten::select.int(%y, 0, 0)
if %z = %c
  %a = aten::neg_(%v)
  %p = aten::sum(%y)
  then %p
  %q = aten::sum(%v)
  else %q
end
return %y, %v, %z)"),
            R"(%1 = aten::clone(%x, None)
%2 = aten::select(%1, 0, 0)
if %c
  %3 = aten::neg(%2)
  %4 = aten::select_scatter(%1, %3, 0, 0)
  %5 = aten::sum(%4, None)
  then %5, %4
  %6 = aten::sum(%2, None)
  else %6, %1
end -> %7, %8
%9 = aten::select(%8, 0, 0)
return %8, %9, %7
)");
}

TEST(Functionalise, BranchesNest) {
  functional(R"(
graph(%x : Float(2, 3), %c : bool, %d : bool)
%y = aten::clone(%x)
%v = aten::transpose.int(%y, 0, 1)
if %z = %c
  if %r = %d
    %a = aten::neg_(%v)
    then %a
    %b = aten::add_.Scalar(%y, 4, 1)
    else %v
  end
  %e = aten::mul_.Scalar(%r, 3)
  then %r
  else %v
end
%f = aten::add_.Scalar(%z, 1, 1)
return %y, %v, %z)");
}

TEST(Functionalise, ABranchThatReturnsTheOuterTensorIsAnAlias) {
  functional(R"(
graph(%x : Float(2, 3), %c : bool)
%y = aten::clone(%x)
if %z = %c
  %a = aten::neg_(%y)
  then %a
  else %y
end
%b = aten::add_.Scalar(%z, 1, 1)
return %y, %z)");
}

TEST(Functionalise, MayAliasIsDiagnosed) {
  const std::string text = refused(R"(
graph(%x : Float(2, 3), %n : int)
%a = aten::clone(%x)
loop %o = (%n, True) (%i, %h) from %a
  %b = aten::slice.Tensor(%h, 0, 0, 2, 1)
  next True, %b
end
%z = aten::add_.Scalar(%o, 1, 1)
return %a)");
  EXPECT_THAT(text, HasSubstr("aten::add_.Scalar (line:8)"));
  EXPECT_THAT(text, HasSubstr("may or may not share memory"));
  // The reverse: the tensor is written to while the result of the loop is live.
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3), %n : int)
%a = aten::clone(%x)
loop %o = (%n, True) (%i, %h) from %a
  %b = aten::slice.Tensor(%h, 0, 0, 2, 1)
  next True, %b
end
%z = aten::add_.Scalar(%a, 1, 1)
return %o)"),
              HasSubstr("may or may not share memory"));
}

// A tensor that is one of several with different strides: reshape returns a view in some runs and a copy in others.

TEST(Functionalise, ReshapeOfABranchWithAnotherLayoutIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3, 4), %c : bool)
%a = aten::clone(%x)
%t = aten::transpose.int(%a, 0, 1)
%b = aten::add.Scalar(%t, 1, 1)
if %y = %c
  then %b
  else %t
end
%r = aten::reshape(%y, [12])
%z = aten::add_.Scalar(%b, 1, 1)
return %r)"),
              HasSubstr("may or may not share memory"));
}

TEST(Functionalise, ReshapeOfALoopWithAnotherLayoutIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3, 4), %n : int)
%a = aten::clone(%x)
%t = aten::transpose.int(%a, 0, 1)
%b = aten::add.Scalar(%t, 1, 1)
loop %y = (%n, True) (%i, %h) from %t
  next True, %b
end
%r = aten::reshape(%y, [12])
%z = aten::add_.Scalar(%b, 1, 1)
return %r)"),
              HasSubstr("may or may not share memory"));
}

TEST(Functionalise, ReshapeOfAnItemWithAnotherLayoutIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3, 4), %n : int)
%a = aten::clone(%x)
%t = aten::transpose.int(%a, 0, 1)
%b = aten::add.Scalar(%t, 1, 1)
%l = prim::ListConstruct(%t, %b)
%y = aten::__getitem__.t(%l, %n)
%r = aten::reshape(%y, [12])
%z = aten::add_.Scalar(%b, 1, 1)
return %r)"),
              HasSubstr("may or may not share memory"));
}

// A tensor that may be an expanded one: a write to a part of it changes other parts.

TEST(Functionalise, WriteToAPartOfABranchThatMayBeExpandedIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3, 4), %c : bool)
%r = aten::select.int(%x, 0, 0)
%s = aten::clone(%r)
%e = aten::expand(%s, [3, 4])
%b = aten::neg(%x)
if %y = %c
  then %e
  else %b
end
%v = aten::select.int(%y, 0, 1)
%z = aten::add_.Scalar(%v, 5, 1)
return %y)"),
              HasSubstr("a view whose elements share memory"));
}

TEST(Functionalise, WriteToAPartOfALoopCarriedTensorThatMayBeExpandedIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3, 4), %n : int)
%r = aten::select.int(%x, 0, 0)
%s = aten::clone(%r)
%e = aten::expand(%s, [3, 4])
loop %y = (%n, True) (%i, %h) from %e
  %v = aten::select.int(%h, 0, 1)
  %z = aten::add_.Scalar(%v, 5, 1)
  %f = aten::neg(%h)
  next True, %f
end
return %y)"),
              HasSubstr("a view whose elements share memory"));
}

TEST(Functionalise, MaskedWriteToABranchThatMayBeExpandedIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(3, 4), %m : Bool(3, 4), %c : bool)
%r = aten::select.int(%x, 0, 0)
%s = aten::clone(%r)
%e = aten::expand(%s, [3, 4])
%b = aten::neg(%x)
if %y = %c
  then %e
  else %b
end
%z = aten::masked_fill_.Scalar(%y, %m, 5)
return %y)"),
              HasSubstr("a view whose elements share memory"));
}

TEST(Functionalise, WriteToAResultOfAnExpandedTensor) {
  functional(R"(
graph(%x : Float(3, 4), %c : bool)
%r = aten::select.int(%x, 0, 0)
%s = aten::clone(%r)
%e = aten::expand(%s, [3, 4])
%b = aten::neg(%x)
if %y = %c
  then %e
  else %b
end
%w = aten::neg(%y)
%v = aten::select.int(%w, 0, 1)
%z = aten::add_.Scalar(%v, 5, 1)
return %w)");
}

TEST(Functionalise, ReshapeOfABranchWithTheSameLayoutIsAView) {
  functional(R"(
graph(%x : Float(3, 4), %c : bool)
%a = aten::clone(%x)
%b = aten::add.Scalar(%x, 1, 1)
if %y = %c
  then %b
  else %a
end
%r = aten::reshape(%y, [12])
%z = aten::add_.Scalar(%b, 1, 1)
return %r)");
}

TEST(Functionalise, ShapeChangeBesideADetachedTensorIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3))
%y = aten::clone(%x)
%v = aten::detach(%y)
%t = aten::unsqueeze_(%y, 0)
return %y, %v)"),
              HasSubstr("changes the shape of a tensor in place that has a view which is read later"));
  // The detached alias changes its shape.
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3))
%y = aten::clone(%x)
%v = aten::detach(%y)
%t = aten::unsqueeze_(%v, 0)
return %y)"),
              HasSubstr("changes the shape of a tensor in place"));
}

TEST(Functionalise, EveryRefusalIsReported) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3), %n : int)
%a = aten::clone(%x)
loop %o = (%n, True) (%i, %h) from %a
  %b = aten::slice.Tensor(%h, 0, 0, 2, 1)
  next True, %b
end
%z = aten::add_.Scalar(%o, 1, 1)
%w = aten::relu_(%o)
return %a)"),
              AllOf(HasSubstr("aten::add_.Scalar (line:8)"), HasSubstr("aten::relu_ (line:9)")));
}

TEST(Functionalise, MayAliasOfWhatIsReadNoMoreIsFine) {
  functional(R"(
graph(%x : Float(2, 3), %c : bool)
%a = aten::clone(%x)
if %y = %c
  then %a
  %f = aten::neg(%a)
  else %f
end
%z = aten::relu_(%y)
return %z)");
}

// Loops.

TEST(Functionalise, LoopCarriesWhatItWrites) {
  EXPECT_EQ(functional(R"(
graph(%x : Float(4, 3), %n : int)
%y = aten::clone(%x)
loop  = (%n, True) (%i)
  %v = aten::select.int(%y, 0, %i)
  %a = aten::add_.Scalar(%v, 1, 1)
  next True
end
return %y)"),
            R"(%1 = aten::clone(%x, None)
loop %n, True: %2, %3 = %1
  %4 = aten::select(%3, 0, %2)
  %5 = aten::add(%4, 1, 1)
  %6 = aten::select_scatter(%3, %5, 0, %2)
  next True, %6
end -> %7
return %7
)");
}

TEST(Functionalise, LoopCarriedAliasAndView) {
  functional(R"(
graph(%x : Float(4, 3), %n : int)
%y = aten::clone(%x)
%v = aten::select.int(%y, 0, 1)
loop %o = (%n, True) (%i, %p) from %y
  %a = aten::neg_(%v)
  %b = aten::add_.Tensor(%p, %v, 1)
  next True, %b
end
%e = aten::mul_.Scalar(%o, 2)
return %y, %v, %o)");
}

TEST(Functionalise, LoopWithAFreshCarriedTensor) {
  functional(R"(
graph(%x : Float(2, 3), %n : int)
%y = aten::clone(%x)
loop %o = (%n, True) (%i, %h) from %y
  %a = aten::add_.Scalar(%h, 1, 1)
  %b = aten::mul.Tensor(%a, %x)
  %c = aten::relu_(%b)
  next True, %c
end
%e = aten::neg_(%o)
return %e)");
}

TEST(Functionalise, LoopThatMayWriteItsInitialValueIsDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(2, 3), %n : int)
%y = aten::clone(%x)
loop %o = (%n, True) (%i, %h) from %y
  %a = aten::add_.Scalar(%h, 1, 1)
  %b = aten::slice.Tensor(%a, 0, 0, 2, 1)
  next True, %b
end
return %o, %y)"),
              HasSubstr("may or may not share memory"));
}

TEST(Functionalise, BranchInLoop) {
  functional(R"(
graph(%x : Float(4, 3), %n : int, %c : bool)
%y = aten::clone(%x)
loop  = (%n, True) (%i)
  %k = aten::eq.int(%i, 1)
  if = %k
    %v = aten::select.int(%y, 0, %i)
    %a = aten::zero_(%v)
    then
    %b = aten::add_.Scalar(%y, 2, 1)
    else
  end
  next True
end
return %y)");
}

// Lists.

TEST(Functionalise, OperatorsOfAUserReturnWhatTheyWrite) {
  const auto shown = [](const std::string& text) {
    const auto graph = test::parse(text);
    Machine machine;
    infer_facts(*graph, machine, {});
    test::functionalise_or_throw(*graph);
    verify(*graph, "functionalise");
    for_each_node(graph->block(), [](const ir::Node* node) { EXPECT_FALSE(writes(*node)) << node->full_name(); });
    return test::show(*graph);
  };
  EXPECT_THAT(shown(R"(
graph(%x : Float(3), %y : Float(3))
%z = aten::clone(%y)
custom::scale_into(%x, %z)
%r = aten::neg(%z)
return %r)"),
              AllOf(HasSubstr("= custom::scale_into(%x, "), HasSubstr("aten::neg(")));
  EXPECT_THAT(shown(R"(
graph(%x : Float(3), %y : Float(3, 3))
%z = aten::clone(%y)
%v = aten::select.int(%z, 0, 1)
custom::scale_into(%x, %v)
return %z)"),
              HasSubstr("aten::select_scatter("));
}

// Refusals.

TEST(Functionalise, WritesWithoutInverseAreDiagnosed) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(1, 3))
%y = aten::clone(%x)
%v = aten::expand(%y, [2, 3])
%a = aten::neg_(%v)
return %y)"),
              HasSubstr("whose elements share memory"));
  EXPECT_THAT(refused(R"(
graph(%x : Float(3), %y : Float(3))
%z = aten::clone(%x)
%a = aten::set_.source_Tensor(%z, %y)
return %z)"),
              HasSubstr("changes the storage of a tensor"));
}

}  // namespace
}  // namespace tonnx::program
