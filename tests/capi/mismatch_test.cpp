#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>

#include "host.h"

// Which operators differ: a symbolic of the user's that is wrong is found wherever it is.
using host::args;
using host::failure;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tonnx::Args;
using tonnx::Graph;
using tonnx::Mismatch;
using tonnx::Node;
using tonnx::Options;
using tonnx::Program;
using tonnx::Registry;
using tonnx::Value;
using tonnx::VerifyOptions;
namespace fs = std::filesystem;

namespace {

Registry with(const std::string& op, const std::string& onnx_op) {
  Registry registry;
  registry.add(op, 9, [onnx_op](Graph& graph, const Node& node, const std::vector<Value>& inputs) {
    Value made = graph.op(onnx_op, {inputs[0]});
    made.copy_type(node.output());
    return std::optional<std::vector<Value>>({made});
  });
  return registry;
}

Program five_layers() {
  Args state;
  const std::int64_t widths[] = {3, 4, 5, 6};
  for (int i = 0; i < 3; ++i) {
    const at::Tensor weight = at::randn({widths[i + 1], widths[i]}), bias = at::randn({widths[i + 1]});
    state.key("layers." + std::to_string(2 * i) + ".weight").add(tonnx::Tensor::from_torch(&weight));
    state.key("layers." + std::to_string(2 * i) + ".bias").add(tonnx::Tensor::from_torch(&bias));
  }
  return Program::compile(R"(
def forward(self, x):
    x = torch.relu(torch.linear(x, getattr(self.layers, "0").weight, getattr(self.layers, "0").bias))
    x = torch.relu(torch.linear(x, getattr(self.layers, "2").weight, getattr(self.layers, "2").bias))
    return torch.linear(x, getattr(self.layers, "4").weight, getattr(self.layers, "4").bias)
)",
                          state, "net.py");
}

VerifyOptions every_operator() {
  VerifyOptions options;
  options.every_operator(true);
  return options;
}

}  // namespace

TEST(Mismatch, F242_F243_F247_AWrongSymbolicIsFoundInAllItsPlaces) {
  at::manual_seed(1);
  const Registry registry = with("aten::relu", "Neg");
  const Mismatch found = tonnx::find_mismatch(five_layers(), args({at::randn({2, 3})}), {}, &registry);
  EXPECT_TRUE(found.found());
  EXPECT_THAT(found.leaves(), ElementsAre("01", "110"));
  EXPECT_THAT(found.text(), AllOf(HasSubstr("X 5 operators"), HasSubstr("by kind: aten::relu 2\n"),
                                  HasSubstr("01: aten::relu (net.py:3)"), HasSubstr("110: aten::relu (net.py:4)"),
                                  HasSubstr("\u2713 10: aten::linear"), HasSubstr("elements differ")));
  EXPECT_THAT(found.json(), AllOf(HasSubstr("\"differs\": true"), HasSubstr("\"aten::relu\": 2")));
}

TEST(Mismatch, NoneIsFoundInAModelThatAgrees) {
  for (const bool every : {false, true}) {
    const Mismatch found = tonnx::find_mismatch(five_layers(), args({at::randn({2, 3})}), {}, nullptr,
                                                VerifyOptions().every_operator(every));
    EXPECT_FALSE(found.found());
    EXPECT_THAT(found.leaves(), IsEmpty());
    EXPECT_THAT(found.text(), HasSubstr("the model agrees with LibTorch"));
  }
}

TEST(Mismatch, WhatCancelsIsFoundOperatorByOperator) {
  const Program program = Program::compile("def f(x):\n    return torch.neg(torch.neg(x)) * 2\n");
  const Registry registry = with("aten::neg", "Identity");
  const Args inputs = args({at::randn({2, 3})});
  EXPECT_FALSE(tonnx::find_mismatch(program, inputs, {}, &registry).found());
  const Mismatch found = tonnx::find_mismatch(program, inputs, {}, &registry, every_operator());
  EXPECT_TRUE(found.found());
  EXPECT_THAT(found.leaves(), ElementsAre("0", "10"));
  EXPECT_THAT(found.text(), HasSubstr("by kind: aten::neg 2\n"));
}

TEST(Mismatch, ListsWritesAndNumbersCrossCuts) {
  const Program program = Program::compile(R"(
def f(x, n: int):
    a, b, c = torch.chunk(x, 3, 1)
    a.mul_(2)
    h = x.size(0)
    xs = torch.unbind(c)
    y = torch.sin(a + b)
    z = torch.cos(y).reshape(-1, h) * n
    return torch.relu(z) + xs[0].sum(), torch.cat([y, c]), x
)");
  Args inputs = args({at::randn({2, 6})});
  inputs.add_int(3);
  const Mismatch agrees = tonnx::find_mismatch(program, inputs, {}, nullptr, every_operator());
  EXPECT_FALSE(agrees.found()) << agrees.text();
  EXPECT_THAT(agrees.text(), Not(HasSubstr("not compared")));
  const Registry registry = with("aten::cos", "Neg");
  const Mismatch found = tonnx::find_mismatch(program, inputs, {}, &registry);
  ASSERT_EQ(found.leaves().size(), 1u) << found.text();
  EXPECT_THAT(found.text(), HasSubstr("by kind: aten::cos 1\n"));
}

TEST(Mismatch, WhatReadsMemoryStaysWithWhatMadeIt) {
  const Program program = Program::compile(R"(
def f(x):
    v = torch.neg(x)[1:]
    return torch.relu(torch.as_strided(v, [2, 2], [4, 1], 6))
)");
  const Args inputs = args({at::randn({3, 4})});
  const Mismatch found = tonnx::find_mismatch(program, inputs, {}, nullptr, every_operator());
  EXPECT_FALSE(found.found()) << found.text();
}

TEST(Mismatch, ComplexTensorsAndEmptyOnesCrossCuts) {
  const Program program = Program::compile(R"(
def f(x):
    z = torch.complex(torch.sin(x), torch.cos(x)) * 2
    e = torch.neg(x[:0])
    return torch.relu(torch.view_as_real(z)), z, torch.cat([e, x]), x
)");
  const Registry registry = with("aten::cos", "Sin");
  const Args inputs = args({at::randn({2, 3})});
  EXPECT_FALSE(tonnx::find_mismatch(program, inputs, {}, nullptr, every_operator()).found());
  EXPECT_THAT(tonnx::find_mismatch(program, inputs, {}, &registry).text(), HasSubstr("by kind: aten::cos 1\n"));
}

TEST(Mismatch, ABranchAndALoopAreOneOperator) {
  const Program program = Program::compile(R"(
def f(x, n: int):
    if bool(x.sum() > 0):
        x = torch.neg(x)
    for i in range(n):
        x = torch.tanh(torch.sin(x)) + i
    return x * 2
)");
  Args inputs = args({at::ones({2, 3})});
  inputs.add_int(2);
  const Registry wrong_branch = with("aten::neg", "Abs"), wrong_loop = with("aten::tanh", "Neg");
  EXPECT_THAT(tonnx::find_mismatch(program, inputs, {}, &wrong_branch).text(), HasSubstr("by kind: prim::If 1\n"));
  EXPECT_THAT(tonnx::find_mismatch(program, inputs, {}, &wrong_loop).text(), HasSubstr("by kind: prim::Loop 1\n"));
}

TEST(Mismatch, ADifferenceAtAnotherSizeIsSearchedThere) {
  const Program program = Program::compile("def f(x):\n    return torch.relu(torch.sin(x) * 2)\n");
  Registry registry;
  registry.add("aten::sin", 9, [](Graph& graph, const Node& node, const std::vector<Value>& inputs) {
    const auto number = [&](std::int64_t v) {
      return graph.constant(tonnx::Tensor(TONNX_DTYPE_INT64, {1}, &v, sizeof v));
    };
    Value zero = number(0), rows = number(2);  // the example's
    Value rest = graph.op("Slice", {inputs[0], rows, number(1000), zero});
    Value made = graph.op("Concat", {graph.op("Sin", {graph.op("Slice", {inputs[0], zero, rows, zero})}), rest},
                          tonnx::Attributes().set_int("axis", 0));
    made.copy_type(node.output());
    return std::optional<std::vector<Value>>({made});
  });
  const Args inputs = args({at::ones({2, 3})});
  EXPECT_FALSE(tonnx::find_mismatch(program, inputs, {}, &registry).found());
  Options options;
  options.dynamic_axis("x", 0, "rows");
  const Mismatch found = tonnx::find_mismatch(program, inputs, options, &registry);
  EXPECT_THAT(found.leaves(), ElementsAre("0")) << found.text();
  EXPECT_THAT(found.text(), AllOf(HasSubstr("at rows = 7, which"), HasSubstr("by kind: aten::sin 1\n")));
}

TEST(Mismatch, ATraceIsSearchedAndItsWeightsStay) {
  const at::Tensor mean = at::zeros({3}), variance = at::ones({3}), x = at::randn({4, 3}) + 5;
  tonnx::TraceOptions sharing;
  sharing.share_weights(true);
  const auto code = [&](tonnx::Trace& trace) {
    trace.weight("mean", &mean);
    trace.weight("variance", &variance);
    const at::Tensor y = at::batch_norm(host::tensor(trace.input(0)), {}, {}, mean, variance, true, 0.1, 1e-5, false);
    const at::Tensor z = at::sigmoid(y);
    trace.output(&z);
  };
  const Program program = Program::trace(code, args({x}), sharing);
  const at::Tensor before = mean.clone();
  const Registry registry = with("aten::sigmoid", "Neg");
  Options training;
  training.training(TONNX_TRAINING_TRAIN);
  const Mismatch found = tonnx::find_mismatch(program, Args(), training, &registry);
  EXPECT_THAT(found.text(), HasSubstr("by kind: aten::sigmoid 1\n"));
  EXPECT_TRUE(at::equal(mean, before));
}

TEST(Mismatch, ATraceWithADynamicAxisIsSearchedAtASizeItRanAt) {
  tonnx::TraceOptions dynamic;
  dynamic.dynamic_axis(0, 0, "rows");
  const auto code = [](tonnx::Trace& trace) {
    const at::Tensor x = host::tensor(trace.input(0));
    const at::Tensor y = at::cos(x).reshape({x.size(0) * 3}) * x.size(0);
    const at::Tensor z = at::sigmoid(y);
    trace.output(&z);
  };
  const Registry registry = with("aten::cos", "Sin");
  EXPECT_THAT(
      tonnx::find_mismatch(Program::trace(code, args({at::randn({4, 3})}), dynamic), Args(), {}, &registry).text(),
      HasSubstr("by kind: aten::cos 1\n"));
}

TEST(Mismatch, AnExportedProgramIsSearchedOnItsOwnInputs) {
  const Program program =
      Program::load(std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2");
  const Registry registry = with("aten::relu", "Neg");
  const Mismatch found = tonnx::find_mismatch(program, Args(), {}, &registry);
  EXPECT_EQ(found.leaves().size(), 1u) << found.text();
  EXPECT_THAT(found.text(), HasSubstr("by kind: aten::relu 1\n"));
  EXPECT_FALSE(tonnx::find_mismatch(program, Args(), {}, nullptr, every_operator()).found());
}

TEST(Mismatch, ARecordedScriptIsSearchedAsItWasRecorded) {
  const Program program = Program::compile(R"(
def f(x):
    for i in range(2):
        x = torch.sin(torch.neg(x)) + x
    return x
)");
  const Registry registry = with("aten::neg", "Identity");
  Options recorded;
  recorded.mode(TONNX_MODE_TRACE);
  const Mismatch found = tonnx::find_mismatch(program, args({at::randn({2, 3})}), recorded, &registry);
  EXPECT_THAT(found.text(), HasSubstr("by kind: aten::neg 2\n"));
}

TEST(Mismatch, WhatIsRandomIsNotBlamed) {
  const Program program = Program::compile("def f(x):\n    return torch.neg(x) + torch.rand_like(x)\n");
  const Registry registry = with("aten::neg", "Identity");
  const Mismatch found = tonnx::find_mismatch(program, args({at::ones({2, 3})}), {}, &registry);
  EXPECT_THAT(found.text(), AllOf(HasSubstr("by kind: aten::neg 1\n"), HasSubstr("random or undefined")));
}

TEST(Mismatch, F246_PartsAreSavedAsTestCases) {
  const host::Folder folder;
  const Registry registry = with("aten::relu", "Neg");
  const Mismatch found = tonnx::find_mismatch(five_layers(), args({at::randn({2, 3})}), {}, &registry);
  for (const std::string id : {"", "01", "110", "11"}) {
    const fs::path part = folder.path() / ("test_" + id);
    found.save_part(id, part.string());
    tonnx::check_file((part / "model.onnx").string());
    EXPECT_TRUE(fs::exists(part / "test_data_set_0/input_0.pb"));
    EXPECT_TRUE(fs::exists(part / "test_data_set_0/output_0.pb"));
  }
  EXPECT_THAT(tonnx::file_text((folder.path() / "test_01/model.onnx").string()),
              AllOf(HasSubstr("Neg"), Not(HasSubstr("Gemm"))));
  for (const std::string id : {"0000", "2", "x"})
    EXPECT_EQ(failure([&] { found.save_part(id, folder.path().string()); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { found.save_part("01", "/proc/none"); }).status(), TONNX_STATUS_FILE);
}

TEST(Mismatch, F244_PartsCanBeWalked) {
  const Registry registry = with("aten::relu", "Neg");
  std::vector<tonnx::Contents> kept;
  {
    const Mismatch found = tonnx::find_mismatch(five_layers(), args({at::randn({2, 3})}), {}, &registry);
    for (const std::string id : {"0000", "2", "x"}) {
      EXPECT_EQ(failure([&] { found.program_contents(id); }).status(), TONNX_STATUS_ARGUMENT);
      EXPECT_EQ(failure([&] { found.model_contents(id); }).status(), TONNX_STATUS_ARGUMENT);
    }
    for (const std::string id : {"01", "0", ""}) {
      kept.push_back(found.program_contents(id));
      kept.push_back(found.model_contents(id));
    }
  }
  const auto operators = [](const tonnx::Contents& contents) {
    std::vector<std::string> names;
    for (const Node& node : contents.graph().nodes())
      if (node.op() != "prim::Constant") names.push_back(node.op());
    return names;
  };
  EXPECT_THAT(operators(kept[0]), ElementsAre("aten::relu"));
  EXPECT_THAT(operators(kept[1]), ElementsAre("Neg"));
  EXPECT_THAT(operators(kept[2]), ElementsAre("aten::linear", "aten::relu"));
  EXPECT_THAT(operators(kept[3]), ElementsAre("Gemm", "Neg"));
  EXPECT_EQ(operators(kept[4]).size(), 5u);
  EXPECT_EQ(kept[4].inputs().size(), 1u);
  EXPECT_EQ(kept[2].weights().size(), 2u);
  EXPECT_EQ(kept[3].outputs()[0].producer()->op(), "Neg");
  EXPECT_EQ(kept[1].graph().opset(), 17);
  EXPECT_EQ(kept[0].inputs()[0].dim(1), 4);
}

TEST(Mismatch, F241_AnOperatorMayHaveItsOwnTolerances) {
  const Registry registry = with("aten::relu", "Neg");
  const Program program = Program::compile("def f(x):\n    return torch.relu(torch.neg(x))\n");
  const auto differs = [&](const std::string& name, double atol) {
    return tonnx::find_mismatch(program, args({at::ones({2})}), {}, &registry,
                                VerifyOptions().operator_tolerance(name, -1, atol))
        .found();
  };
  EXPECT_TRUE(differs("aten::relu", 0.5));
  EXPECT_FALSE(differs("aten::relu", 9));
  EXPECT_TRUE(differs("aten::neg", 9));
  EXPECT_EQ(failure([&] { differs("relu", 9); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { differs("aten::relu", NAN); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST(Mismatch, AToleranceThatNoOutputUsesIsReported) {
  const Program program = Program::compile("def f(x):\n    return torch.relu(torch.neg(x))\n");
  const Args inputs = args({at::ones({2})});
  const tonnx::Model model = tonnx::export_program(program, inputs);
  EXPECT_THAT(model.verify(program, inputs, VerifyOptions().operator_tolerance("aten::relu", -1, 1)), IsEmpty());
  EXPECT_THAT(model.verify(program, inputs, VerifyOptions().operator_tolerance("aten::gelu", -1, 1)),
              ElementsAre(HasSubstr("aten::gelu")));
}

TEST(Mismatch, AToleranceOfAnInnerOperatorIsUsedByASearch) {
  const Program program = Program::compile("def f(x):\n    return torch.relu(torch.neg(x))\n");
  const Mismatch mismatch =
      tonnx::find_mismatch(program, args({at::ones({2})}), {}, nullptr,
                           VerifyOptions(every_operator()).operator_tolerance("aten::neg", -1, 1));
  EXPECT_FALSE(mismatch.found());
  EXPECT_THAT(mismatch.text(), Not(HasSubstr("tolerance")));
}

TEST(Mismatch, AModelAloneHasNoOperatorsToCheck) {
  const Program program = five_layers();
  const Args inputs = args({at::randn({2, 3})});
  const tonnx::Model model = tonnx::export_program(program, inputs);
  EXPECT_EQ(failure([&] { model.verify(program, inputs, every_operator()); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST(Mismatch, AListThatIsOneInputIsRefused) {
  const Program program = Program::compile("def f(xs: List[Tensor]):\n    return torch.cat(xs)\n");
  const at::Tensor x = at::ones({2, 3});
  Args inputs;
  inputs.begin_list().add(tonnx::Tensor::from_torch(&x)).add(tonnx::Tensor::from_torch(&x)).end();
  Options options;
  options.sequence_inputs(true);
  const tonnx::Error error = failure([&] { tonnx::find_mismatch(program, inputs, options); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("without sequence inputs"));
}
