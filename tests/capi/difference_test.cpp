// tonnx_program_export_difference and tonnx_model_difference: does the model of a program depend on its inputs?
#include <cstdlib>
#include <string>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "host.h"
#include "tonnx.hpp"
#include "tonnx/trace.hpp"

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using tonnx::Args;
using tonnx::Model;
using tonnx::Options;
using tonnx::Program;

namespace {

Args state() {
  Args given;
  const at::Tensor one = at::ones({3, 3}), two = at::ones({3, 3}) * 2, same = two.clone();
  given.key("one").add(tonnx::Tensor::from_torch(&one));
  given.key("two").add(tonnx::Tensor::from_torch(&two));
  given.key("same").add(tonnx::Tensor::from_torch(&same));
  return given;
}

std::string between(const std::string& first, const std::string& second, const Args& args) {
  const Model a = tonnx::export_program(Program::compile(first, state(), "a.py"), args);
  const Model b = tonnx::export_program(Program::compile(second, state(), "b.py"), args);
  const std::string there = a.difference(b), back = b.difference(a);
  EXPECT_EQ(there.empty(), back.empty()) << there << back;
  EXPECT_THAT(a.difference(a), IsEmpty());
  return there;
}

std::string body(const std::string& line) { return "def forward(self, x):\n    " + line + "\n"; }

// A branch on a number that the code reads.
Program traced(const at::Tensor& x) {
  tonnx::TraceOptions once;
  once.single_run(true);
  return Program::trace(
      [](tonnx::Trace& trace) {
        const at::Tensor& given = host::tensor(trace.input(0));
        const at::Tensor result = given.sum().item<float>() > 0 ? given.sin() * 2 : given.cos() * 2;
        trace.output(&result);
      },
      host::args({x}), once);
}

}  // namespace

TEST(Difference, F248_ABranchThatDependsOnSizesIsReported) {
  const Program program = Program::compile(
      "def f(x):\n    y = x + 1\n    if x.size(0) > 2:\n        y = torch.sin(y)\n    return y * 2\n", {}, "net.py");
  const Args two = host::args({at::ones({2, 3})}), one = host::args({at::zeros({1, 5})}),
             four = host::args({at::ones({4, 3})});
  EXPECT_THAT(tonnx::export_difference(program, {two, one, two}), IsEmpty());
  EXPECT_THAT(tonnx::export_difference(program, {two, one, four}),
              AllOf(HasSubstr("group 3"), HasSubstr("first at node 2 of 2: different operators"),
                    HasSubstr("onnx::Mul"), HasSubstr("onnx::Sin"), HasSubstr("net.py:4")));
  Options dynamic;
  dynamic.dynamic_axis("x", 0, "rows").dynamic_axis("x", 1, "columns");
  EXPECT_THAT(tonnx::export_difference(program, {two, one, four}, dynamic), IsEmpty());
}

TEST(Difference, IterationsOfARecordedLoopAreReported) {
  const Program program = Program::compile(
      "def f(x):\n    for i in range(x.size(0)):\n        x = torch.sin(x) + 1\n    return x\n", {}, "net.py");
  const Args two = host::args({at::ones({2, 3})}), three = host::args({at::ones({3, 3})});
  Options recorded;
  recorded.mode(TONNX_MODE_TRACE);
  EXPECT_THAT(tonnx::export_difference(program, {two, two}, recorded), IsEmpty());
  EXPECT_THAT(tonnx::export_difference(program, {two, three}, recorded),
              AllOf(HasSubstr("first at node 5 of 4: the first has no more nodes"), HasSubstr("onnx::Sin")));
  EXPECT_THAT(tonnx::export_difference(program, {three, two}, recorded),
              HasSubstr("first at node 5 of 6: the second has no more nodes"));
}

TEST(Difference, DecisionsOfARecordedCallbackAreReported) {
  const Model positive = tonnx::export_program(traced(at::ones({2, 3})), Args());
  const Model more = tonnx::export_program(traced(at::ones({5, 7})), Args());
  const Model negative = tonnx::export_program(traced(-at::ones({2, 3})), Args());
  EXPECT_THAT(positive.difference(more), IsEmpty());
  EXPECT_THAT(positive.difference(negative),
              AllOf(HasSubstr("first at node 1 of 2"), HasSubstr("onnx::Sin"), HasSubstr("onnx::Cos")));
  const Program program = traced(at::ones({2, 3}));
  const Args none;
  EXPECT_EQ(host::failure([&] { tonnx::export_difference(program, {none, none}); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST(Difference, OperatorsAttributesConstantsWeightsAndWhatIsReadAreCompared) {
  const Args x = host::args({at::ones({3, 3})});
  const auto difference = [&](const std::string& a, const std::string& b) { return between(body(a), body(b), x); };
  EXPECT_THAT(difference("return x @ self.one", "return x @ self.one"), IsEmpty());
  EXPECT_THAT(difference("return torch.sin(x) + 1", "return torch.cos(x) + 1"), HasSubstr("different operators"));
  EXPECT_THAT(difference("return torch.softmax(x, 0)", "return torch.softmax(x, 1)"), HasSubstr("attribute axis"));
  EXPECT_THAT(difference("return x + 1.5", "return x + 2.5"), AllOf(HasSubstr("{1.5}"), HasSubstr("{2.5}")));
  EXPECT_THAT(difference("return x @ self.one", "return x @ self.two"),
              AllOf(HasSubstr("one float32[3,3]"), HasSubstr("two float32[3,3]")));
  EXPECT_THAT(difference("return x @ self.two", "return x @ self.same"), HasSubstr("same float32[3,3]"));
  EXPECT_THAT(difference("return torch.sin(x) - x", "y = torch.sin(x)\n    return y - y"),
              AllOf(HasSubstr("node 2 of 2: input 1"), HasSubstr("x in the first")));
  EXPECT_THAT(difference("y = torch.sin(x)\n    return y, torch.cos(y)",
                         "y = torch.sin(x)\n    z = torch.cos(y)\n    return z, y"),
              HasSubstr("output 0"));
  EXPECT_THAT(difference("return torch.sin(x)", "return torch.cos(torch.sin(x))"),
              HasSubstr("the first has no more nodes"));
  EXPECT_THAT(difference("return x * float('nan')", "return x * float('nan')"), IsEmpty());
}

TEST(Difference, BranchesAndBodiesAreCompared) {
  const Args x = host::args({at::ones({3, 3})});
  const auto branch = [](const std::string& op) {
    return "def forward(self, x):\n    if bool(x.sum() > 0):\n        x = torch.neg(x)\n    else:\n        x = torch." +
           op + "(x)\n    return x * 2\n";
  };
  EXPECT_THAT(between(branch("sin"), branch("sin"), x), IsEmpty());
  EXPECT_THAT(between(branch("sin"), branch("cos"), x),
              AllOf(HasSubstr("different operators"), HasSubstr("onnx::Cos"), HasSubstr("b.py:5")));
}

TEST(Difference, InputsAndOpsetsAreCompared) {
  const Program program = Program::compile("def f(x):\n    return torch.neg(x)\n");
  const Args x = host::args({at::ones({2})}), wide = host::args({at::ones({2}, at::kDouble)}),
             deep = host::args({at::ones({2, 2})});
  EXPECT_THAT(tonnx::export_difference(program, {x, wide}),
              AllOf(HasSubstr("float32 of rank 1"), HasSubstr("float64")));
  EXPECT_THAT(tonnx::export_difference(program, {x, deep}), HasSubstr("rank 2"));
  Options newer;
  newer.opset(20);
  EXPECT_THAT(tonnx::export_program(program, x).difference(tonnx::export_program(program, x, newer)),
              HasSubstr("opset: 17 in the first, 20"));
  EXPECT_EQ(host::failure([&] { tonnx::export_difference(program, {x}); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST(Difference, AnExportedProgramIsOneModelForAllInputs) {
  const Program program =
      Program::load(std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2");
  const Args none;
  EXPECT_THAT(tonnx::export_difference(program, {none, none}), IsEmpty());
}
