#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "ir/emptied_axes.h"
#include "ir/error.h"
#include "ir/printer.h"
#include "machine.h"
#include "program/build_options.h"
#include "program/facts/empty_axes.h"
#include "program/facts/facts.h"

namespace tonnx::program {
namespace {

using test::Machine;
using ::testing::HasSubstr;

std::string text(const ir::Value* value) {
  std::string out = print_type(*value);
  if (value->constant()) out += " = " + to_string(*value->constant());
  return out;
}

// The facts of the program's outputs, one per line.
std::string facts(const std::string& source, const std::vector<InputAxis>& dynamic = {}) {
  const auto graph = test::parse(source);
  Machine machine;
  infer_facts(*graph, machine, dynamic);
  std::string out;
  for (const ir::Value* value : graph->outputs()) out += text(value) + "\n";
  return out;
}

std::string failure(const std::string& source, const std::vector<InputAxis>& dynamic, ir::Code code) {
  try {
    facts(source, dynamic);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

const std::vector<InputAxis> kBatch = {{0, 0, "batch"}};
const std::vector<InputAxis> kBatchAndSeq = {{0, 0, "batch"}, {0, 1, "seq"}};

TEST(Facts, FixedSizes) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(2, 3))
%y = aten::transpose.int(%x, 0, 1)
%n = aten::size.int(%y, 0)
%m = aten::mul.int(%n, 2)
return %y, %n, %m)"),
            "Float(3, 2)\nint = 3\nint = 6\n");
}

TEST(Facts, SymbolsFollowDynamicAxes) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8, 3))
%a = aten::relu(%x)
%b = aten::view(%x, [-1, 3])
%l = prim::ListConstruct(%x, %x)
%c = aten::cat(%l, 0)
%d = aten::slice.Tensor(%x, 1, 1, None, 1)
%e = aten::slice.Tensor(%x, 1, 0, 5, 1)
%f = aten::slice.Tensor(%x, 1, 0, None, 2)
return %a, %b, %c, %d, %e, %f)",
                  kBatchAndSeq),
            "Float(batch, seq, 3)\nFloat(batch*seq, 3)\nFloat(2*batch, seq, 3)\nFloat(batch, seq - 1, 3)\n"
            "Float(batch, *, 3)\nFloat(batch, *, 3)\n");
}

TEST(Facts, DynamicSizesAreNoConstants) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
%m = aten::size.int(%x, 1)
%k = aten::min.int(%n, 2)
%g = aten::gt.int(%n, 0)
%s = aten::size(%x)
%a, %b = prim::ListUnpack(%s)
%c = aten::__getitem__.t(%s, 1)
%d = aten::dim(%x)
%t = prim::NumToTensor.Scalar(%n)
%i = aten::Int.Tensor(%t)
return %n, %m, %k, %g, %s, %a, %b, %c, %d, %i)",
                  kBatch),
            "int\nint = 8\nint\nbool\nint[]\nint\nint = 8\nint = 8\nint = 2\nint\n");
}

TEST(Facts, NumbersAreRunTimeValues) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8), %n : int)
%m = aten::add.int(%n, 1)
%y = aten::slice.Tensor(%x, 1, 0, %m, 1)
return %n, %m, %y)"),
            "int\nint\nFloat(4, *)\n");
}

TEST(Facts, DataDependentSizesAreUnknown) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::nonzero(%x)
%k = aten::size.int(%n, 0)
%r = aten::size.int(%n, 1)
%m = aten::relu(%n)
%i = aten::item(%x)
%j = aten::Int.Scalar(%i)
%l = prim::ListConstruct(%j, %r)
%z = aten::zeros(%l)
%y = aten::slice.Tensor(%x, 0, 0, %j, 1)
return %n, %k, %r, %m, %j, %z, %y)",
                  kBatch),
            "Long(*, 2)\nint\nint = 2\nLong(*, 2)\nint\nFloat(*, 2)\nFloat(*, 8)\n");
}

TEST(Facts, SizesThatStopToFollowASymbolAreUnknown) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%two = aten::slice.Tensor(%x, 0, 0, 2, 1)
%last = aten::slice.Tensor(%x, 0, -3, 9223372036854775807, 1)
%many = aten::slice.Tensor(%x, 0, 0, 5000, 1)
%all = aten::slice.Tensor(%x, 0, 0, 9223372036854775807, 1)
return %two, %last, %many, %all)",
                  kBatch),
            "Float(*, 8)\nFloat(*, 8)\nFloat(*, 8)\nFloat(batch, 8)\n");
}

TEST(Facts, AFailedInferenceChangesNoProgram) {
  const auto graph = test::parse(R"(
graph(%x : Float(4, 8))
%y = aten::relu(%x)
%z = aten::view(%y, [5, 7])
return %z)");
  const std::string before = print(*graph);
  Machine machine;
  EXPECT_THROW(infer_facts(*graph, machine, kBatch), ir::Error);
  EXPECT_EQ(print(*graph), before);
}

// Whether size 0 changes what the program computes, and the sizes of its first node that it changes.
std::pair<bool, std::vector<std::size_t>> at_no_rows(const std::string& source) {
  const auto graph = test::parse(source);
  Machine machine;
  SampleHints hints;
  infer_facts(*graph, machine, kBatch, {}, &hints);
  for (const ir::Node* node : graph->block().nodes())
    if (!node->is("prim::Constant")) return {hints.empty.at({"batch"}).differs, ir::emptied_axes(*node->output())};
  return {};
}

TEST(Facts, WhatSizeZeroChanges) {
  using Axes = std::vector<std::size_t>;
  const std::string slice = "graph(%x : Float(4, 8))\n%y = aten::slice.Tensor(%x, 0, 0, 1, 1)\n";
  EXPECT_EQ(at_no_rows(slice + "return %y"), std::pair(false, Axes{0}));
  EXPECT_EQ(at_no_rows(slice + "%n = aten::size.int(%y, 0)\nreturn %n"), std::pair(true, Axes{0}));
  EXPECT_EQ(at_no_rows(slice + "%n = aten::size.int(%y, 0)\n%m = aten::size.int(%y, 1)\nreturn %m"),
            std::pair(false, Axes{0}));
  EXPECT_EQ(at_no_rows("graph(%x : Float(4, 8))\n%y = aten::mul.Scalar(%x, 2)\nreturn %y"), std::pair(false, Axes{}));
}

TEST(Facts, AxesThatAreEmptyTogether) {
  InferredFacts found;
  const auto graph = test::parse("graph(%x : Float(4, 8), %y : Float(4, 8))\nreturn %x");
  const auto symbol = [](const char* name) { return ir::Polynomial::symbol(name); };
  const std::set<std::string> all{"a", "b", "c"};
  found.values[graph->inputs()[0]] = {
      ir::DType::Float32, std::vector<ir::Dim>{symbol("a") + symbol("b"), symbol("a") * symbol("b")}, nullptr};
  EXPECT_EQ(emptied_together(all, found), (std::set<std::set<std::string>>{{"a", "b"}, all}));
  found.values[graph->inputs()[1]] = {
      ir::DType::Float32, std::vector<ir::Dim>{symbol("a") * symbol("b") + symbol("c"), symbol("b") + symbol("c") + 1},
      nullptr};
  EXPECT_EQ(emptied_together(all, found), (std::set<std::set<std::string>>{{"a", "b"}, {"a", "c"}, {"b", "c"}, all}));
  EXPECT_TRUE(emptied_together({"a"}, found).empty());
}

TEST(Facts, ImportedFactsAreKeptApartFromInferredOnes) {
  const auto graph = test::parse(R"(
graph(%x : Float(4, 8))
%y : Float(4, 8) = custom::op(%x)
return %y)");
  Machine machine;
  SampleHints hints;
  infer_facts(*graph, machine, kBatch, {}, &hints);
  EXPECT_EQ(text(graph->outputs()[0]), "Float(*, *)");
  infer_facts(*graph, machine, {}, {}, &hints);
  EXPECT_EQ(text(graph->outputs()[0]), "Float(4, 8)");
}

// Computes another size for relu() than the rules of aten/result_facts.
class WrongMachine : public Machine {
 public:
  Outcome evaluate(const ir::Node& node, std::span<const ir::DatumPtr> inputs, std::vector<ir::DatumPtr>& outputs,
                   Wanted wanted) override {
    const Outcome outcome = Machine::evaluate(node, inputs, outputs, wanted);
    if (node.is("aten::relu")) outputs[0] = meta(ir::DType::Float32, std::vector<std::int64_t>{4, 9});
    return outcome;
  }
};

TEST(Facts, RulesAndSamplesCheckEachOther) {
  if (!kVerifyPasses) GTEST_SKIP() << "the build option verify_passes is off";
  const auto graph = test::parse(R"(
graph(%x : Float(4, 8))
%y = aten::relu(%x)
return %y)");
  WrongMachine machine;
  try {
    infer_facts(*graph, machine, {});
    FAIL() << "no error";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Internal);
    EXPECT_THAT(error.what(), HasSubstr("result_facts() contradicts LibTorch's aten::relu: size 9 and size 8"));
  }
}

TEST(Facts, SizeOneDoesNotProveThatAnAxisIsFree) {
  EXPECT_THAT(failure(R"(
graph(%x : Float(4, 8), %c : Float(4, 8))
%y = aten::add.Tensor(%x, %c, 1)
return %y)",
                      kBatch, ir::Code::Argument),
              HasSubstr("dynamic axis batch is fixed by the program"));
}

TEST(Facts, ConditionsOnDynamicSizesTakeBothBranches) {
  const char* source = R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
%c = aten::eq.int(%n, 1)
if %y, %k = %c
  %a = aten::slice.Tensor(%x, 1, 0, 3, 1)
  then %a, 3
  %b = aten::relu(%x)
  else %b, 4
end
%z = aten::relu(%y)
return %y, %z, %k)";
  EXPECT_EQ(facts(source, kBatch), "Float(batch, *)\nFloat(batch, *)\nint\n");
  EXPECT_EQ(facts(source), "Float(4, 8)\nFloat(4, 8)\nint = 4\n");
}

TEST(Facts, BranchThatRaisesIsLeftOut) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
%c = aten::lt.int(%n, 1)
if %y = %c
  prim::RaiseException("too small")
  then %x
  %b = aten::slice.Tensor(%x, 1, 0, 3, 1)
  else %b
end
return %y)",
                  kBatch),
            "Float(batch, 3)\n");
}

TEST(Facts, LoopsOfKnownLengthRun) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
loop %y, %s = (3, True) (%i, %p, %q) from %x, 0
  %l = prim::ListConstruct(%p, %x)
  %a = aten::cat(%l, 0)
  %t = aten::add.int(%q, %i)
  next True, %a, %t
end
return %y, %s)",
                  kBatch),
            "Float(4*batch, 8)\nint = 3\n");
}

TEST(Facts, LoopsOfUnknownLengthJoin) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
loop %y, %z, %s = (%n, True) (%i, %p, %r, %q) from %x, %x, 0
  %l = prim::ListConstruct(%p, %x)
  %a = aten::cat(%l, 1)
  %b = aten::relu(%r)
  %t = aten::add.int(%q, %i)
  next True, %a, %b, %t
end
%w = aten::relu(%y)
return %y, %z, %s, %w)",
                  kBatch),
            "Float(batch, *)\nFloat(batch, 8)\nint\nFloat(batch, *)\n");
}

// A loop-carried integer has no constant value in the body, even if a comparison with it is only true in a late
// iteration.
TEST(Facts, AValueThatALoopChangesIsNotConstantInside) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
loop %k, %f = (%n, True) (%i, %q, %g) from 0, False
  %t = aten::add.int(%q, 1)
  %e = aten::eq.int(%q, 7)
  next True, %t, %e
end
return %k, %f)",
                  kBatch),
            "int\nbool\n");
}

TEST(Facts, WhatALoopHandsOnIsFollowedThroughManyTurns) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
loop %a, %b, %c, %d, %e, %f = (%n, True) (%i, %p, %q, %r, %s, %t, %u) from 0, 0, 0, 0, 0, False
  %v = aten::eq.int(%t, 3)
  next True, %i, %p, %q, %r, %s, %v
end
return %e, %f)",
                  kBatch),
            "int\nbool\n");
}

TEST(Facts, ASizeThatALoopChangesIsNotConstantInside) {
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 8))
%n = aten::size.int(%x, 0)
loop %y, %f = (%n, True) (%i, %p, %g) from %x, False
  %s = aten::size.int(%p, 1)
  %e = aten::eq.int(%s, 80)
  %l = prim::ListConstruct(%p, %x)
  %a = aten::cat(%l, 1)
  next True, %a, %e
end
return %y, %f)",
                  kBatch),
            "Float(batch, *)\nbool\n");
}

TEST(Facts, AFixedAxisIsReported) {
  EXPECT_THAT(failure(R"(
graph(%x : Float(4, 8))
%y = aten::view(%x, [4, 8])
return %y)",
                      kBatch, ir::Code::Argument),
              AllOf(HasSubstr("aten::view (line:3)"), HasSubstr("dynamic axis batch is fixed by the program"),
                    HasSubstr("shape is invalid")));
}

TEST(Facts, AxesOfOneSizeGetOneSymbol) {
  const std::vector<InputAxis> open = {{0, 0, "a"}, {1, 0, "b"}, {2, 0, "c"}, {3, 0, "d"}};
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 2), %y : Float(4, 2), %z : Float(4, 2), %w : Float(4, 2))
%s = aten::add.Tensor(%x, %w, 1)
%t = aten::add.Tensor(%y, %z, 1)
return %s, %t, %w, %z)",
                  open),
            "Float(max(a, d), 2)\nFloat(max(b, c), 2)\nFloat(d, 2)\nFloat(c, 2)\n");
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 2), %y : Float(4, 2), %z : Float(4, 2), %w : Float(4, 2))
%s = aten::add.Tensor(%x, %z, 1)
%t = aten::add.Tensor(%s, %w, 1)
return %t, %y)",
                  open),
            "Float(max(a, c, d), 2)\nFloat(b, 2)\n");
  EXPECT_EQ(facts(R"(
graph(%x : Float(4, 2), %y : Float(4, 2), %z : Float(4, 2))
%l = prim::ListConstruct(%x, %y)
%s = aten::cat(%l, 1)
%n = aten::size.int(%z, 0)
%k = prim::ListConstruct(%n, 4)
%e = aten::expand(%s, %k, False)
%m = prim::ListConstruct(%s, %e)
%t = aten::cat(%m, 0)
return %s, %e, %t)",
                  {{0, 0, "a"}, {1, 0, "b"}, {2, 0, "c"}}),
            "Float(a, 4)\nFloat(c, 4)\nFloat(a + c, 4)\n");
  EXPECT_THAT(failure(R"(
graph(%x : Float(4, 2), %y : Float(4, 2))
%s = aten::view(%x, [4, 2])
return %s, %y)",
                      {{0, 0, "a"}, {1, 0, "b"}}, ir::Code::Argument),
              HasSubstr("dynamic axis a is fixed by the program"));
}

struct Related {
  const char* program;
  std::vector<InputAxis> axes;
  const char* facts;
};

class RelatedAxes : public ::testing::TestWithParam<Related> {};

TEST_P(RelatedAxes, AreFoundWhereTheProgramRunsAtNoOtherSizeOfOneAlone) {
  EXPECT_EQ(facts(GetParam().program, GetParam().axes), GetParam().facts);
}

INSTANTIATE_TEST_SUITE_P(, RelatedAxes,
                         ::testing::Values(
                             // x.reshape(y.shape)
                             Related{R"(
graph(%x : Float(12), %y : Float(3, 4))
%n = aten::size.int(%y, 0)
%m = aten::size.int(%y, 1)
%l = prim::ListConstruct(%n, %m)
%z = aten::view(%x, %l)
return %z, %x)",
                                     {{0, 0, "a"}, {1, 0, "b"}, {1, 1, "c"}},
                                     "Float(b, c)\nFloat(b*c)\n"},
                             Related{R"(
graph(%x : Float(24, 5), %y : Float(2, 4, 3))
%b = aten::size.int(%y, 0)
%c = aten::size.int(%y, 1)
%d = aten::size.int(%y, 2)
%l = prim::ListConstruct(%b, %c, %d, 5)
%z = aten::view(%x, %l)
%r = aten::relu(%x)
return %z, %r)",
                                     {{0, 0, "a"}, {1, 0, "b"}, {1, 1, "c"}, {1, 2, "d"}},
                                     "Float(b, c, d, 5)\nFloat(b*c*d, 5)\n"},
                             // twice as many rows
                             Related{R"(
graph(%x : Float(8, 2), %y : Float(4, 2))
%l = prim::ListConstruct(%y, %y)
%c = aten::cat(%l, 0)
%s = aten::add.Tensor(%x, %c, 1)
return %s, %y)",
                                     {{0, 0, "a"}, {1, 0, "b"}},
                                     "Float(2*b, 2)\nFloat(b, 2)\n"},
                             // one more row
                             Related{R"(
graph(%x : Float(5, 2), %y : Float(4, 2))
%t = aten::slice.Tensor(%x, 0, 1, None, 1)
%s = aten::add.Tensor(%t, %y, 1)
return %s, %x)",
                                     {{0, 0, "a"}, {1, 0, "b"}},
                                     "Float(max(a - 1, b), 2)\nFloat(a, 2)\n"},
                             // the sum of the rows of two inputs
                             Related{R"(
graph(%x : Float(9, 2), %y : Float(4, 2), %z : Float(5, 2))
%l = prim::ListConstruct(%y, %z)
%c = aten::cat(%l, 0)
%s = aten::add.Tensor(%x, %c, 1)
return %s, %y, %z)",
                                     {{0, 0, "a"}, {1, 0, "b"}, {2, 0, "c"}},
                                     "Float(b + c, 2)\nFloat(b, 2)\nFloat(c, 2)\n"},
                             // unrelated axes stay dynamic
                             Related{R"(
graph(%x : Float(12), %y : Float(3, 4), %z : Float(12, 2))
%n = aten::size.int(%y, 0)
%m = aten::size.int(%y, 1)
%l = prim::ListConstruct(%n, %m)
%r = aten::view(%x, %l)
return %r, %z)",
                                     {{0, 0, "a"}, {1, 0, "b"}, {1, 1, "c"}, {2, 0, "e"}},
                                     "Float(b, c)\nFloat(e, 2)\n"},
                             // two relations; the second must not use a size that is replaced by the first
                             Related{R"(
graph(%x : Float(12), %y : Float(3, 4), %z : Float(3), %w : Float(3))
%n = aten::size.int(%y, 0)
%m = aten::size.int(%y, 1)
%l = prim::ListConstruct(%n, %m)
%r = aten::view(%x, %l)
%s = aten::add.Tensor(%z, %w, 1)
return %r, %s)",
                                     {{0, 0, "a"}, {1, 0, "b"}, {1, 1, "c"}, {2, 0, "d"}, {3, 0, "e"}},
                                     "Float(b, c)\nFloat(max(d, e))\n"}));

TEST(Facts, AnAxisWithoutARelationIsFixed) {
  // 4*a = 3*b: neither is an integer multiple of the other.
  EXPECT_THAT(failure(R"(
graph(%x : Float(6, 4), %y : Float(8, 3))
%n = aten::size.int(%y, 0)
%l = prim::ListConstruct(%n, 3)
%z = aten::view(%x, %l)
return %z)",
                      {{0, 0, "a"}, {1, 0, "b"}}, ir::Code::Argument),
              HasSubstr("dynamic axis a is fixed by the program"));
}

TEST(Facts, ASizeThatIsAtMostAnotherOneDoesNotFollowIt) {
  // %y may have fewer rows, so equal example sizes prove nothing.
  EXPECT_THAT(failure(R"(
graph(%x : Float(2, 4), %y : Float(2, 3))
%n = aten::size.int(%y, 0)
%z = aten::narrow(%x, 0, 0, %n)
return %z)",
                      {{0, 0, "a"}, {1, 0, "b"}}, ir::Code::Argument),
              HasSubstr("dynamic axis b is fixed by the program"));
}

TEST(Facts, SizesThatFailAreReplaced) {
  // A table with 8 rows: the program fails at larger sizes.
  EXPECT_EQ(facts(R"(
graph(%x : Float(6, 2), %t : Float(8, 2))
%n = aten::size.int(%x, 0)
%k = aten::add.int(%n, -1)
%u = aten::select.int(%t, 0, %k)
%y = aten::add.Tensor(%x, %u, 1)
return %y)",
                  {{0, 0, "n"}}),
            "Float(n, 2)\n");
}

TEST(Facts, TheProgramsOwnErrorIsReported) {
  EXPECT_THAT(failure(R"(
graph(%x : Float(4, 8))
%y = aten::view(%x, [5, 8])
return %y)",
                      {}, ir::Code::Program),
              HasSubstr("aten::view (line:3): shape is invalid"));
}

TEST(Facts, DynamicAxesAreChecked) {
  const char* source = "graph(%x : Float(4, 8))\nreturn %x";
  EXPECT_THAT(failure(source, {{0, 2, "n"}}, ir::Code::Argument), HasSubstr("has no axis 2"));
  EXPECT_THAT(failure(source, {{0, 0, "n"}, {0, 1, "n"}}, ir::Code::Argument), HasSubstr("two sizes"));
}

TEST(Facts, OperatorWithoutRuleKeepsWhatTheImporterKnew) {
  const char* source = R"(
graph(%x : Float(4, 8))
%y : Float(4, 5) = custom::op(%x)
%z = aten::relu(%y)
return %y, %z)";
  EXPECT_EQ(facts(source), "Float(4, 5)\nFloat(4, 5)\n");
  EXPECT_EQ(facts(source, kBatch), "Float(*, *)\nFloat(*, *)\n");
}

TEST(Facts, AgainAfterTheFirstTime) {
  const auto graph = test::parse("graph(%x : Float(4, 8))\n%y = aten::relu(%x)\nreturn %y");
  Machine machine;
  std::vector<InputAxis> axes = kBatch;
  resolve_sizes(*graph, axes);
  infer_facts(*graph, machine, axes);
  infer_facts(*graph, machine, axes);
  EXPECT_EQ(text(graph->outputs()[0]), "Float(batch, 8)");
}

}  // namespace
}  // namespace tonnx::program
