#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "ir/error.h"
#include "ir/printer.h"
#include "machine.h"
#include "program/contract.h"
#include "program/prepare.h"
#include "program/traces/find_fixed_sizes.h"

namespace tonnx::program {
namespace {

using test::Machine;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Prepared {
  std::unique_ptr<ir::Graph> graph;
  std::vector<std::string> names;
  std::vector<std::string> warnings;
  ir::StateWrites state;
};

Prepared prepared(const std::string& text, const std::vector<InputAxis>& dynamic = {}, bool state_outputs = false,
                  bool allow_fixed = false) {
  Prepared out{test::parse(text), {}, {}, {.as_outputs = state_outputs}};
  Machine machine;
  ir::Refusals refusals;
  const std::vector<InputAxis> open =
      prepare(*out.graph, machine, dynamic, {}, out.names, out.warnings, refusals, out.state, {}, allow_fixed);
  refusals.raise();
  for (std::string& line : find_fixed_sizes(*out.graph, open)) out.warnings.push_back(std::move(line));
  return out;
}

TEST(Prepare, BranchesThatSizesDecideGo) {
  EXPECT_EQ(test::show(*prepared(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 1)
%y = aten::clone(%x)
loop  = (%n, True) (%i)
  %c = aten::lt.int(%i, 1)
  if = %c
    %v = aten::select.int(%y, 1, %i)
    %a = aten::neg_(%v)
    then
    else
  end
  next True
end
return %y)",
                                 {{0, 0, "batch"}})
                            .graph),
            R"(%1 = aten::clone(%x, None)
%2 = aten::select(%1, 1, 0)
%3 = aten::neg(%2)
%4 = aten::select_scatter(%1, %3, 1, 0)
return %4
)");
}

TEST(Prepare, AnAxisThatTheProgramFixesStaysFixedWhereThatIsAllowed) {
  const std::string program = R"(
graph(%x : Float(4, 8), %y : Float(4, 1))
%z = aten::add.Tensor(%x, %y, 1)
return %z)";
  const Prepared fixed = prepared(program, {{0, 0, "a"}, {0, 1, "b"}}, false, true);
  EXPECT_EQ(print_type(*fixed.graph->outputs()[0]), "Float(4, b)");
  EXPECT_THAT(fixed.warnings,
              ElementsAre(AllOf(HasSubstr("dynamic axis a (axis 0 of 'x') keeps the example's size 4: aten::add"),
                                HasSubstr("none of 8, 81"))));
  EXPECT_THROW(prepared(program, {{0, 0, "a"}, {0, 1, "b"}}), ir::Error);
  // An axis that must equal a fixed one is fixed, too.
  const Prepared both = prepared(R"(
graph(%x : Float(4, 8), %y : Float(4, 8), %z : Float(4, 1))
%w = aten::add.Tensor(%x, %y, 1)
%v = aten::add.Tensor(%w, %z, 1)
return %v)",
                                 {{0, 0, "a"}, {1, 0, "b"}, {0, 1, "c"}, {1, 1, "c"}}, false, true);
  EXPECT_EQ(print_type(*both.graph->outputs()[0]), "Float(4, c)");
  EXPECT_EQ(both.warnings.size(), 2u);
}

TEST(Prepare, SizesAtWhichTheProgramRaisesAreReported) {
  const Prepared checked = prepared(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
%c = aten::gt.int(%n, 6)
if = %c
  prim::RaiseException("too long")
  then
  else
end
%y = aten::relu(%x)
return %y)",
                                    {{0, 0, "n"}});
  EXPECT_THAT(checked.warnings,
              ElementsAre(AllOf(HasSubstr("prim::RaiseException"), HasSubstr("the program fails where n is 8"),
                                HasSubstr("the model does not check"))));
}

TEST(Prepare, SizesAtWhichABranchFailsAreReported) {
  const auto warnings = [](const std::string& body) {
    return prepared("graph(%x : Float(4, 8), %f : bool)\n" + body, {{0, 0, "n"}}).warnings;
  };
  EXPECT_THAT(warnings(R"(
if %y = %f
  %a = aten::expand(%x, [4, 8], False)
  then %a
  else %x
end
return %y)"),
              Contains(AllOf(HasSubstr("aten::expand"), HasSubstr("fails where it runs this and n is"),
                             HasSubstr("the model does not check"))));
  EXPECT_THAT(warnings(R"(
if = %f
  %n = aten::size.int(%x, 0)
  %c = aten::gt.int(%n, 6)
  if = %c
    prim::RaiseException("too long")
    then
    else
  end
  then
  else
end
%y = aten::relu(%x)
return %y)"),
              ElementsAre(AllOf(HasSubstr("prim::RaiseException"), HasSubstr("it runs this and n is 8"))));
  // The size at which the branch would fail does not take it.
  EXPECT_THAT(warnings(R"(
%n = aten::size.int(%x, 0)
%c = aten::eq.int(%n, 4)
if %y = %c
  %a = aten::expand(%x, [4, 8], False)
  then %a
  else %x
end
return %y)"),
              Not(Contains(HasSubstr("the program fails"))));
}

// An early return: `if c: return x + 1`, then the rest.
TEST(Prepare, WhatNoRunReadsGetsAFiller) {
  const auto graph = prepared(R"(
graph(%x : Float(4, 8), %c : bool)
if %done, %r = %c
  %a = aten::add.Scalar(%x, 1, 1)
  then True, %a
  %u : Tensor = prim::Uninitialized()
  else False, %u
end
if %y = %done
  then %r
  %b = aten::relu(%x)
  else %b
end
return %y)",
                              {{0, 0, "batch"}})
                         .graph;
  EXPECT_EQ(test::show(*graph), R"(if %c
  %1 = aten::add(%x, 1, 1)
  then True, %1
  %2 = aten::size(%x, 0)
  %3 = prim::ListConstruct(%2, 8)
  %4 = aten::expand(<Tensor 1x8>, %3, False)
  else False, %4
end -> %5, %6
if %5
  then %6
  %7 = aten::relu(%x)
  else %7
end -> %8
return %8
)");
  const auto& dims = graph->outputs()[0]->facts().dims.value();
  EXPECT_EQ(dims[0].text(), "batch");
  EXPECT_EQ(dims[1].size(), 8);
}

TEST(Prepare, OutputNamesStay) {
  auto graph = test::parse("graph(%x : Float(4))\n%y = aten::clone(%x)\n%z = aten::relu_(%y)\nreturn %z");
  graph->outputs()[0]->set_name("result");
  Machine machine;
  std::vector<std::string> warnings;
  std::vector<std::string> names;
  ir::Refusals refusals;
  ir::StateWrites state;
  prepare(*graph, machine, {}, {}, names, warnings, refusals, state);
  EXPECT_EQ(graph->outputs()[0]->name(), "result");
}

TEST(Prepare, BakedSizesAreReported) {
  EXPECT_THAT(prepared(R"(
graph(%x : Float(4, 8))
%y = aten::view(%x, [4, -1])
%z = aten::slice.Tensor(%x, 0, 0, 4, 1)
%w = aten::view(%x, [-1, 8])
%h = aten::view(%x, [-1, 2, 4])
return %y, %z, %w, %h)",
                       {{0, 0, "batch"}})
                  .warnings,
              ElementsAre("aten::view (line:3): the constant 4 equals the example size of dynamic axis batch; it stays "
                          "4 at every other size",
                          "aten::slice.Tensor (line:4): the constant 4 equals the example size of dynamic axis batch; "
                          "it stays 4 at every other size"));
}

// The constant is not at the index of the axis, or the list contains the dynamic size as well.
TEST(Prepare, OtherConstantsOfTheExamplesSizeAreNotReported) {
  const std::string text = R"(
graph(%x : Float(2, 4))
%n = aten::size.int(%x, 0)
%m = aten::mul.int(%n, 2)
%s : int[] = prim::ListConstruct(%m, 2)
%y = aten::reshape(%x, %s)
%z = aten::reshape(%x, [-1, 2])
%w = aten::reshape(%x, [2, -1])
return %y, %z, %w)";
  EXPECT_THAT(
      prepared(text, {{0, 0, "batch"}}).warnings,
      ElementsAre(HasSubstr("aten::reshape (line:8): the constant 2 equals the example size of dynamic axis batch")));
}

std::string refused(const std::string& text, ir::Code code) {
  try {
    prepared(text);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

TEST(Contract, NamesWhatNoModelCanHold) {
  EXPECT_THAT(refused(R"(
graph(%x : Float(4))
%o : Tensor = prim::CreateObject()
prim::SetAttr(%o, %x)
%y = aten::relu(%x)
return %y)",
                      ir::Code::Unsupported),
              AllOf(HasSubstr("prim::CreateObject (line:3): creates an object"),
                    HasSubstr("prim::SetAttr (line:4): changes an attribute of an object")));
}

TEST(Contract, BlamesThePass) {
  const auto graph = test::parse("graph(%x : Float(4))\n%y = aten::relu_(%x)\nreturn %y");
  ir::Refusals refusals;
  try {
    check_contract(*graph, "functionalise", refusals);
    FAIL();
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Internal);
    EXPECT_STREQ(error.what(), "contract broken after functionalise: aten::relu_ (line:2) writes to an argument");
  }
}

TEST(Prepare, AxesOfOneSizeAreReported) {
  const Prepared out = prepared(R"(
graph(%x : Float(4, 8), %y : Float(4, 8))
%s = aten::add.Tensor(%x, %y, 1)
return %s)",
                                {{0, 0, "a"}, {1, 0, "b"}});
  EXPECT_THAT(out.warnings, ElementsAre(HasSubstr("dynamic axes a and b have one size")));
  // functionalise() walks the program twice.
  const Prepared writing = prepared(R"(
graph(%x : Float(4, 8), %y : Float(4, 8))
%c = aten::clone(%x)
%n = aten::neg_(%c)
%s = aten::add.Tensor(%n, %y, 1)
return %s)",
                                    {{0, 0, "a"}, {0, 1, "t"}, {1, 0, "b"}, {1, 1, "u"}});
  EXPECT_EQ(writing.warnings.size(), 2U);
}

TEST(Prepare, AxesOfOneSizeThatAreBroadcastAreReported) {
  const std::string broadcast = "dynamic axes a and b have one size wherever the program runs, or one of them is 1";
  const auto of = [](const std::string& text) { return prepared(text, {{0, 0, "a"}, {1, 0, "b"}}); };
  EXPECT_THAT(of(R"(
graph(%x : Float(4, 8), %y : Float(4, 8))
%s = aten::add.Tensor(%x, %y, 1)
return %s)")
                  .warnings,
              ElementsAre(HasSubstr(broadcast)));
  EXPECT_THAT(of(R"(
graph(%x : Float(4, 8), %y : Float(4, 8))
%l = prim::ListConstruct(%x, %y)
%s = aten::cat(%l, 1)
return %s)")
                  .warnings,
              ElementsAre(HasSubstr("a and b have one size wherever the program runs")));
  const Prepared copied = of(R"(
graph(%x : Float(4, 8), %y : Float(4, 8))
%c = aten::clone(%y)
%s = aten::copy_(%c, %x, False)
return %s)");
  EXPECT_THAT(copied.warnings, ElementsAre(HasSubstr(broadcast)));
  EXPECT_THAT(test::show(*copied.graph), HasSubstr("aten::expand_as(%x, "));
}

TEST(Prepare, AnAxisThatFollowsFromOthersIsReported) {
  const Prepared out = prepared(R"(
graph(%x : Float(9, 2), %y : Float(8, 2))
%t = aten::slice.Tensor(%x, 0, 1, None, 1)
%s = aten::add.Tensor(%t, %y, 1)
return %s)",
                                {{0, 0, "a"}, {1, 0, "b"}});
  EXPECT_THAT(out.warnings, ElementsAre("dynamic axis a is b + 1 wherever the program runs, or one of them is 1"));
}

std::string guarded(const std::string& test) {
  return "graph(%x : Float(4, 8), %n : int)\n" + test +
         "\nif = %c\n  prim::RaiseException(\"two axes\")\n  then\n  else\nend\n%y = aten::relu(%x)\nreturn %y";
}

TEST(Prepare, WhatTheExampleRaisesIsRefused) {
  const std::string rank = "%d = aten::dim(%x)\n%c = aten::eq.int(%d, ";
  EXPECT_THAT(refused(guarded(rank + "2)"), ir::Code::Program),
              AllOf(HasSubstr("on the example inputs: two axes"), HasSubstr("line:5")));
  EXPECT_EQ(test::show(*prepared(guarded(rank + "3)")).graph), "%1 = aten::relu(%x)\nreturn %1\n");
  const std::string size = "%d = aten::size.int(%x, 0)\n%c = aten::eq.int(%d, ";
  const std::vector<InputAxis> batch = {{0, 0, "batch"}};
  EXPECT_THROW(prepared(guarded(size + "4)"), batch), ir::Error);
  EXPECT_EQ(test::show(*prepared(guarded(size + "6)"), batch).graph), "%1 = aten::relu(%x)\nreturn %1\n");
}

std::string divided(const std::string& division) {
  return "graph(%x : Float(4, 8), %n : int, %f : bool)\nif %t = %f\n" + division +
         "\nthen %q\nelse %n\nend\n%y = aten::mul.Scalar(%x, %t)\nreturn %y";
}

TEST(Prepare, AnIntegerDividedByZeroRaises) {
  for (const char* op : {"aten::floordiv.int", "aten::remainder.int"}) {
    const Prepared out = prepared(divided("%q = " + std::string(op) + "(%n, 0)"));
    EXPECT_EQ(test::show(*out.graph), "%1 = aten::mul(%x, %n)\nreturn %1\n");
    EXPECT_THAT(out.warnings, ElementsAre(HasSubstr("divides an integer by 0")));
  }
  EXPECT_THAT(test::show(*prepared(divided("%q = aten::floordiv.int(%n, 2)")).graph), HasSubstr("aten::floordiv"));
  EXPECT_THAT(refused("graph(%x : Float(4, 8), %n : int)\n%q = aten::remainder.int(%n, 0)\n%y = aten::mul.Scalar(%x, "
                      "%q)\nreturn %y",
                      ir::Code::Unsupported),
              HasSubstr("divides an integer by 0"));
}

TEST(Prepare, WhatOnlyDataMakeRaiseIsDropped) {
  for (const char* constant : {"2", "3"})
    EXPECT_EQ(test::show(*prepared(guarded("%c = aten::eq.int(%n, " + std::string(constant) + ")")).graph),
              "%1 = aten::relu(%x)\nreturn %1\n");
}

TEST(Prepare, AProgramThatAlwaysRaises) {
  EXPECT_THAT(refused("graph(%x : Float(4))\nprim::RaiseException(\"no\")\nreturn %x", ir::Code::Program),
              HasSubstr("raises an exception"));
}

std::vector<std::string> written(const std::string& text, bool as_outputs = false) {
  const Prepared out = prepared(text, {}, as_outputs);
  std::vector<std::string> names;
  for (const ir::StateWrite& write : as_outputs ? out.state.outputs : out.state.left_out)
    names.push_back(write.name + " " + write.op + " " + write.source + (write.is_certain ? "" : "?"));
  return names;
}

TEST(StateWrites, AreThoseToInputsAndWeights) {
  const std::string text = R"(
weight %w : Float(4)
graph(%x : Float(4))
%v = aten::view(%w, [2, 2])
%a = aten::mul_.Tensor(%v, %v)
%c = aten::clone(%x)
%b = aten::neg_(%c)
%n = aten::neg_(%x)
return %b)";
  EXPECT_THAT(written(text), ElementsAre("w aten::mul_ line:5", "x aten::neg_ line:8"));
  const Prepared out = prepared(text, {}, true);
  EXPECT_THAT(out.names, ElementsAre("", "w_written", "x_written"));
  EXPECT_TRUE(out.state.left_out.empty());
}

TEST(StateWrites, OfBranches) {
  const std::string text = R"(
weight %w : Float(4)
graph(%x : Float(4), %c : Bool())
%p = aten::Bool.Tensor(%c)
if %t = %p
  then %w
  else %x
end
%n = aten::neg_(%t)
return %n)";
  EXPECT_THAT(written(text), ElementsAre("w aten::neg_ line:9?", "x aten::neg_ line:9?"));
  EXPECT_EQ(written(text, true).size(), 2U);
}

TEST(StateWrites, WhatALoopMakesIsNone) {
  EXPECT_TRUE(written(R"(
graph(%x : Float(4), %k : Long())
%i = aten::Int.Tensor(%k)
loop %r = (%i, True) (%j, %h) from %x
  %a = aten::add.Tensor(%h, %h, 1)
  %b = aten::relu_(%a)
  next True, %b
end
return %r)")
                  .empty());
}

}  // namespace
}  // namespace tonnx::program
