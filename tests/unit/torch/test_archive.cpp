#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "asked.h"
#include "ir/error.h"
#include "ir/printer.h"
#include "modules.h"
#include "torch/archive.h"
#include "torch/args_file.h"
#include "torch/op_library.h"

namespace tonnx {
namespace {

using test::failure;
using test::kinds;
using test::ramp;
using test::Script;
using torch::Archive;

ir::Arguments arguments(std::vector<ir::Constant> positional) { return {std::move(positional), {}}; }
ir::Arguments tensor(std::vector<std::int64_t> dims) { return arguments({ir::Constant{ramp(std::move(dims))}}); }

std::vector<std::string> weight_names(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::Value* w : graph.weights()) names.push_back(w->name());
  return names;
}

Script linear(const std::string& name, std::int64_t out, std::int64_t in) {
  Script m(name);
  m.parameter("weight", ramp({out, in})).parameter("bias", ramp({out}));
  m.define("def forward(self, x):\n  return torch.linear(x, self.weight, self.bias)\n");
  return m;
}

TEST(Archive, WeightsAreNamedAfterTheStateDictAndStayInTheFile) {
  Script net("Net");
  net.child("fc", linear("Linear", 200, 100));
  net.define("def forward(self, input):\n  return torch.relu(self.fc.forward(input))\n");
  const std::string path = net.save("named.pt");
  const auto archive = torch::load_archive(path);
  EXPECT_EQ(archive->name(), "Net");
  EXPECT_EQ(archive->methods(), std::vector<std::string>{"forward"});
  auto program = archive->import(tensor({3, 100}));
  ir::verify(*program.graph, "import");
  EXPECT_EQ(weight_names(*program.graph), (std::vector<std::string>{"fc.weight", "fc.bias"}));
  EXPECT_EQ(kinds(*program.graph), (std::vector<std::string>{"aten::linear", "aten::relu"}));
  ASSERT_EQ(program.graph->inputs().size(), 1u);
  EXPECT_EQ(program.graph->inputs()[0]->name(), "input");
  const ir::Tensor& weight = *program.graph->weights()[0]->weight();
  EXPECT_EQ(weight.storage->path(), path);
  EXPECT_TRUE(weight.equals(ramp({200, 100})));
  const ir::Node* node = program.graph->outputs()[0]->node()->input(0)->node();
  EXPECT_EQ(node->location().scope->text(), "Net/Linear[fc]");
  EXPECT_EQ(node->location().module_path(), "fc");
  // Running reads the skipped bytes.
  const auto outputs = archive->run(tensor({3, 100}));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].dims, (std::vector<std::int64_t>{3, 200}));
  EXPECT_NEAR(outputs[0].as_double(0), 3283.5, 0.1);  // sum of (i/10)^2 for i < 100
}

TEST(Archive, InMemoryItBorrowsTheBytes) {
  const auto archive = torch::load_archive(linear("Linear", 200, 100).bytes());
  auto program = archive->import(tensor({1, 100}));
  EXPECT_TRUE(program.graph->weights()[0]->weight()->storage->path().empty());
  EXPECT_TRUE(program.graph->weights()[0]->weight()->equals(ramp({200, 100})));
  EXPECT_NEAR(archive->run(tensor({1, 100}))[0].as_double(0), 3283.5, 0.5);
}

TEST(Archive, TiedWeightsAreOneUnderTheFirstName) {
  const Script a = linear("A", 4, 4);
  Script b("B");
  b.tied("weight", a, "weight");
  b.define("def forward(self, x):\n  return torch.matmul(x, self.weight)\n");
  Script net("Net");
  net.child("a", a).child("b", b);
  net.define("def forward(self, x):\n  return self.a.forward(self.b.forward(x))\n");
  auto program = torch::load_archive(net.bytes())->import(tensor({2, 4}));
  EXPECT_EQ(weight_names(*program.graph), (std::vector<std::string>{"a.weight", "a.bias"}));
}

TEST(Archive, AListOfTensorsIsBuiltFromNamedWeights) {
  Script net("Net");
  net.parameter("p", ramp({2})).parameter("q", ramp({2})).tensor_list("flat", {"q", "p"});
  net.define("def forward(self, x):\n  return torch.cat(self.flat) + x\n");
  auto program = torch::load_archive(net.bytes())->import(tensor({4}));
  EXPECT_EQ(kinds(*program.graph), (std::vector<std::string>{"prim::ListConstruct", "aten::cat", "aten::add.Tensor"}));
  const ir::Node* list = program.graph->block().first();
  while (!list->is("prim::ListConstruct")) list = list->next();
  EXPECT_EQ(list->input(0)->name(), "q");
  EXPECT_EQ(list->input(1)->name(), "p");
}

TEST(Archive, TrainingFlagDecidesBranches) {
  Script net("Net");
  net.flag("training", true);
  net.define("def forward(self, x):\n  if self.training:\n    return x + 1\n  else:\n    return x * 2\n");
  const auto archive = torch::load_archive(net.bytes());
  EXPECT_EQ(kinds(*archive->import(tensor({2})).graph).front(), "aten::mul.Scalar");
  EXPECT_EQ(kinds(*archive->import(tensor({2}), "forward", ir::Training::Preserve).graph).front(), "aten::add.Scalar");
  EXPECT_DOUBLE_EQ(archive->run(tensor({2}))[0].as_double(0), 0);
  EXPECT_DOUBLE_EQ(archive->run(tensor({2}), "forward", ir::Training::Train)[0].as_double(0), 1);
  EXPECT_DOUBLE_EQ(archive->run(tensor({2}))[0].as_double(0), 0);
}

// Both in an import and in a run. A warning names the operator if the program depends on its result.
TEST(Archive, GradientsAreOffButInTraining) {
  Script net("Net");
  net.parameter("weight", ramp({2}));
  net.define(
      "def forward(self, x):\n  if torch.is_grad_enabled() and self.weight.requires_grad:\n    return x + 1\n  return "
      "x * self.weight\n");
  const auto archive = torch::load_archive(net.bytes());
  const ir::RawProgram program = archive->import(tensor({2}));
  EXPECT_EQ(kinds(*program.graph).front(), "aten::mul.Tensor");
  ASSERT_EQ(program.warnings.size(), 1U);
  EXPECT_NE(program.warnings[0].find("aten::is_grad_enabled"), std::string::npos) << program.warnings[0];
  EXPECT_NE(program.warnings[0].find("torch.no_grad()"), std::string::npos) << program.warnings[0];
  EXPECT_DOUBLE_EQ(archive->run(tensor({2}))[0].as_double(0), 0);
  const ir::RawProgram training = archive->import(tensor({2}), "forward", ir::Training::Train);
  EXPECT_EQ(kinds(*training.graph).front(), "aten::add.Scalar");
  EXPECT_TRUE(training.warnings.empty());
  EXPECT_DOUBLE_EQ(archive->run(tensor({2}), "forward", ir::Training::Train)[0].as_double(0), 1);
}

TEST(Archive, AnAnswerAboutGradientsThatDecidesNothingIsNotWarnedOf) {
  Script net("Net");
  net.parameter("weight", ramp({2}));
  net.define(
      "def forward(self, x):\n  y = x * self.weight\n  if torch.is_grad_enabled():\n    y = y.detach()\n  on = "
      "torch.is_grad_enabled()\n"
      "  torch.set_grad_enabled(False)\n  z = y + 1\n  torch.set_grad_enabled(on)\n  return z\n");
  const ir::RawProgram program = torch::load_archive(net.bytes())->import(tensor({2}));
  EXPECT_TRUE(program.warnings.empty()) << program.warnings[0];
}

TEST(Archive, AChainDeeperThanTheStackRuns) {
  Script m("M");
  std::string source = "def forward(self, x):\n";
  for (int i = 0; i < 14000; ++i) source += "  x = torch.neg(x)\n";
  m.define(source + "  return x\n");
  const auto archive = torch::load_archive(m.bytes());
  EXPECT_FLOAT_EQ(archive->run(tensor({2}))[0].as_double(1), 0.1F);
}

TEST(Archive, OfBranchesThatOnlyRaiseTheExceptionStays) {
  Script net("Net");
  net.define(
      "def forward(self, x, mode: str):\n"
      "  assert x.dim() == 2, 'two dims'\n"
      "  if mode in ['a', 'b']:\n    return x + 1\n"
      "  assert False, 'unknown mode'\n"
      "  return x\n");
  const auto archive = torch::load_archive(net.bytes());
  auto program = archive->import(arguments({ir::Constant{ramp({2, 2})}, ir::Constant{std::string("a")}}));
  EXPECT_EQ(kinds(*program.graph), (std::vector<std::string>{"aten::dim", "aten::eq.int", "prim::If",
                                                             "prim::RaiseException", "aten::add.Scalar"}))
      << ir::print(*program.graph);
  EXPECT_NE(ir::print(*program.graph).find("two dims"), std::string::npos);
  const std::string text =
      failure([&] { archive->import(arguments({ir::Constant{ramp({2, 2})}, ir::Constant{std::string("z")}})); },
              ir::Code::Program);
  EXPECT_NE(text.find("unknown mode"), std::string::npos) << text;
}

TEST(Archive, WritesAndControlFlowStay) {
  Script net("Net");
  net.buffer("count", ramp({2}));
  net.define(
      "def forward(self, x, n: int):\n"
      "  self.count.add_(1)\n"
      "  for i in range(n):\n"
      "    if bool(x.sum() > 0):\n      x = x - i\n"
      "    else:\n      x = x + self.count\n"
      "  return x\n");
  auto program =
      torch::load_archive(net.bytes())->import(arguments({ir::Constant{ramp({2})}, ir::Constant{std::int64_t{3}}}));
  ir::verify(*program.graph, "import");
  const auto all = kinds(*program.graph);
  for (const char* kind : {"aten::add_.Scalar", "prim::Loop", "prim::If"})
    EXPECT_TRUE(std::find(all.begin(), all.end(), kind) != all.end()) << kind;
  ASSERT_EQ(program.graph->inputs().size(), 2u);
  EXPECT_EQ(program.graph->inputs()[1]->name(), "n");
  EXPECT_TRUE(program.graph->inputs()[1]->type().is(ir::Type::Kind::Int));
  EXPECT_EQ(program.graph->inputs()[1]->facts().dtype, ir::DType::Int64);
  EXPECT_EQ(program.graph->inputs()[1]->facts().rank(), 0);
}

TEST(Archive, ArgumentsAreOpenedAndOutputsFlattened) {
  Script net("Net");
  net.define(
      "def forward(self, x: Tuple[Tensor, List[Tensor]], y: Optional[Tensor], scale: float = 2.0):\n"
      "  if y is not None:\n    z = y\n  else:\n    z = x[0]\n"
      "  return {'sum': x[0] + x[1][1] * scale, 'pair': (z, x[1][0])}\n");
  const auto archive = torch::load_archive(net.bytes());
  ir::Constant::List list{{ir::Constant{ramp({2})}, ir::Constant{ramp({2})}}};
  const ir::Constant x{ir::Constant::Tuple{{ir::Constant{ramp({2})}, ir::Constant{list}}, {}}};
  auto program = archive->import(arguments({x, ir::Constant{ir::Constant::None{}}}));
  ir::verify(*program.graph, "import");
  ASSERT_EQ(program.graph->inputs().size(), 3u);
  EXPECT_EQ(program.graph->inputs()[0]->name(), "x.0");
  EXPECT_EQ(program.graph->inputs()[2]->name(), "x.1.1");
  EXPECT_EQ(program.output_names, (std::vector<std::string>{"sum", "pair.0", "pair.1"})) << ir::print(*program.graph);
  EXPECT_EQ(program.inputs.size(), 3u);
  EXPECT_EQ(archive->run(arguments({x, ir::Constant{ir::Constant::None{}}})).size(), 3u);
  ir::Arguments keywords = arguments({x});
  keywords.keywords = {{"scale", ir::Constant{3.0}}, {"y", ir::Constant{ramp({2})}}};
  program = archive->import(keywords);
  EXPECT_EQ(program.graph->inputs().size(), 5u);
}

TEST(Archive, AListOfIntsIsOneOutput) {
  Script net("Net");
  net.define(
      "def forward(self, x):\n"
      "  return x + 1, x.size(), [1, 2, 3], [[1, 2], [3]], (4, 5), [x, x], [0.5]\n");
  const auto archive = torch::load_archive(net.bytes());
  const auto program = archive->import(tensor({2, 3}));
  const auto outputs = archive->run(tensor({2, 3}));
  EXPECT_EQ(program.graph->outputs().size(), outputs.size()) << ir::print(*program.graph);
  ASSERT_EQ(outputs.size(), 10u);
  EXPECT_TRUE(outputs[1].equals(ir::Tensor::of_int64(std::vector<std::int64_t>{2, 3})));
  EXPECT_TRUE(outputs[2].equals(ir::Tensor::of_int64(std::vector<std::int64_t>{1, 2, 3})));
  EXPECT_TRUE(outputs[4].equals(ir::Tensor::of_int64(std::vector<std::int64_t>{3})));
  EXPECT_TRUE(outputs[5].dims.empty());
}

TEST(Archive, NoneAndStringOutputsAreLeftOutWithAWarning) {
  Script net("Net");
  net.define("def forward(self, x) -> Tuple[Tensor, Optional[Tensor], str]:\n  return (x + 1, None, 'done')\n");
  auto program = torch::load_archive(net.bytes())->import(tensor({2}));
  EXPECT_EQ(program.graph->outputs().size(), 1u);
  EXPECT_EQ(program.warnings.size(), 2u);
}

TEST(Archive, AttributesTheProgramSetsAreFollowed) {
  Script net("Net");
  net.integer("steps", 3);
  net.define("def forward(self, x):\n  self.steps = self.steps + 1\n  return x * self.steps\n");
  auto program = torch::load_archive(net.bytes())->import(tensor({2}));
  ASSERT_EQ(kinds(*program.graph), std::vector<std::string>{"aten::mul.Scalar"});
  EXPECT_EQ(program.graph->outputs()[0]->node()->input(1)->constant()->as_int64(), 4);
  ASSERT_EQ(program.state.left_out.size(), 1u);
  EXPECT_EQ(program.state.left_out[0].name, "steps");
}

TEST(Archive, WrongArgumentsNameWhatIsExpected) {
  Script net("Net");
  net.define("def forward(self, x, scale: float = 1.5):\n  return x * scale\n");
  net.define("def other(self, x):\n  return x\n");
  const auto archive = torch::load_archive(net.bytes());
  const auto expect = [&](const ir::Arguments& args, const std::string& part) {
    const std::string text = failure([&] { archive->import(args); }, ir::Code::Argument);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect({}, "'x' is missing");
  expect({}, "x: Tensor, scale: float = 1.5");
  expect(arguments({ir::Constant{ramp({1})}, ir::Constant{1.0}, ir::Constant{2.0}}), "too many");
  expect({{ir::Constant{ramp({1})}}, {{"sccale", ir::Constant{1.0}}}}, "no argument 'sccale'");
  expect({{ir::Constant{ramp({1})}}, {{"x", ir::Constant{1.0}}}}, "specified twice");
  expect(arguments({ir::Constant{std::string("a")}}), "Tensor");
  const std::string text = failure([&] { archive->import(tensor({1}), "missing"); }, ir::Code::Argument);
  EXPECT_NE(text.find("'forward', 'other'"), std::string::npos) << text;
  EXPECT_EQ(archive->parameters().size(), 2u);
  EXPECT_EQ(archive->parameters()[1].name, "scale");
}

TEST(Archive, KeywordsMayBeTheDictThatEndsTheArguments) {
  const ir::Arguments given = {{ir::Constant{ramp({1})}},
                               {{"a", ir::Constant{ramp({1})}}, {"b", ir::Constant{ramp({1})}}}};
  Script perhaps("Net");
  perhaps.define(
      "def forward(self, x, d: Optional[Dict[str, Tensor]] = None):\n  return x if d is None else x + d['a']\n");
  EXPECT_EQ(torch::load_archive(perhaps.bytes())->import(given).graph->inputs().size(), 3u);
  Script net("Net");
  net.define("def forward(self, x, d: Dict[str, Tensor]):\n  return x + d['a'] * d['b']\n");
  const auto archive = torch::load_archive(net.bytes());
  EXPECT_EQ(archive->import(given).graph->inputs().size(), 3u);
  const auto mixed = [&] { archive->import({{}, {{"x", ir::Constant{ramp({1})}}, {"a", ir::Constant{ramp({1})}}}}); };
  EXPECT_NE(failure(mixed, ir::Code::Argument).find("no argument 'a'"), std::string::npos);
}

TEST(Archive, WithoutForwardTheMethodsAreNamed) {
  Script net("Net");
  net.define("def encode(self, x):\n  return x\n");
  const auto archive = torch::load_archive(net.bytes());
  const std::string text = failure([&] { archive->import(tensor({1})); }, ir::Code::Argument);
  EXPECT_NE(text.find("'forward' method must be a script method"), std::string::npos) << text;
  EXPECT_NE(text.find("'encode'"), std::string::npos) << text;
  EXPECT_EQ(archive->import(tensor({1}), "encode").graph->outputs().size(), 1u);
}

TEST(Archive, WhatAProgramForksRunsOnTheCallersThread) {
  Script net("Net");
  net.define_fork("tonnx_archive_test::note_thread");
  const auto archive = torch::load_archive(net.bytes());
  EXPECT_EQ(kinds(*archive->import(tensor({2}), "forward", ir::Training::Eval).graph),
            std::vector<std::string>{"tonnx_archive_test::note_thread"});
  EXPECT_TRUE(test::noted_threads().empty());
  EXPECT_EQ(archive->run(tensor({2}), "forward", ir::Training::Eval).size(), 1u);
  EXPECT_EQ(test::noted_threads(), std::vector<std::thread::id>{std::this_thread::get_id()});
}

TEST(Archive, FailuresInForkedCodeAreReportedAsElsewhere) {
  Script net("Net");
  net.define_fork("aten::cholesky");
  const auto archive = torch::load_archive(net.bytes());
  const std::string why = failure([&] { archive->run(tensor({2}), "forward", ir::Training::Eval); }, ir::Code::Program);
  EXPECT_NE(why.find("the program fails on the example inputs"), std::string::npos) << why;
  EXPECT_NE(why.find("must have at least 2 dimensions"), std::string::npos) << why;
}

TEST(Archive, AnOperatorKnownByItsSchemaIsKept) {
  torch::register_schema("tonnx_test::twice(Tensor x, float by=2.0) -> Tensor");
  torch::register_schema("tonnx_test::twice(Tensor x, float by=2.0) -> Tensor");
  const std::string text =
      failure([] { torch::register_schema("tonnx_test::twice(Tensor x) -> Tensor"); }, ir::Code::Argument);
  EXPECT_NE(text.find("another schema"), std::string::npos) << text;
  failure([] { torch::register_schema("no schema"); }, ir::Code::Argument);
  failure([] { torch::load_library("/nowhere/libnothing.so"); }, ir::Code::File);
  Script net("Net");
  net.define_call("tonnx_test::twice");
  const auto archive = torch::load_archive(net.bytes());
  const auto program = archive->import(tensor({2}));
  EXPECT_EQ(kinds(*program.graph), std::vector<std::string>{"tonnx_test::twice"});
  EXPECT_EQ(program.graph->outputs()[0]->node()->schema()->arguments[1].name, "by");
  const std::string no_kernel = failure([&] { archive->run(tensor({2})); }, ir::Code::Unsupported);
  EXPECT_NE(no_kernel.find("operator tonnx_test::twice has no implementation here"), std::string::npos) << no_kernel;
}

TEST(Archive, AnUnknownOperatorIsNamedWithTheWayOut) {
  const std::vector<std::byte> bytes = test::archive_with_unknown_operator();
  const std::string text = failure([&] { torch::load_archive(bytes); }, ir::Code::Unsupported);
  EXPECT_NE(text.find("tonnx_gone::thrice"), std::string::npos) << text;
  EXPECT_NE(text.find("register its schema"), std::string::npos) << text;
}

TEST(Archive, AFailingRunSaysWhyWithoutATrace) {
  Script net("Net");
  net.define("def forward(self, x, y):\n  return torch.matmul(x, y)\n");
  const auto archive = torch::load_archive(net.bytes());
  const auto wrong = arguments({ir::Constant{ramp({2, 3})}, ir::Constant{ramp({2, 3})}});
  const std::string text = failure([&] { archive->run(wrong); }, ir::Code::Program);
  EXPECT_NE(text.find("mat1 and mat2"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  Script picky("Picky");
  picky.define("def forward(self, x):\n  assert x.dim() == 2, 'two dims are wanted'\n  return x\n");
  EXPECT_EQ(failure([&] { torch::load_archive(picky.bytes())->run(tensor({2})); }, ir::Code::Program),
            "the program fails on the example inputs: AssertionError: two dims are wanted");
}

TEST(Archive, MissingEmptyAndForeignFilesAreDistinguished) {
  const std::string folder = ::testing::TempDir();
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder + name, std::ios::binary) << content;
    return folder + name;
  };
  const auto expect = [](const std::string& path, const std::string& part) {
    const std::string text = failure([&] { torch::load_archive(path); }, ir::Code::File);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(folder + "tonnx_missing.pt", "cannot be opened");
  expect(folder, "is not a file");
  expect(write("tonnx_empty.pt", ""), "is empty");
  expect(write("tonnx_text.pt", "not an archive"), "not a zip file");
  expect(test::save_arguments("tensors.pt", {ramp({2})}, {}), "torch.save");
}

TEST(Archive, TruncatedAndDamagedFilesAreRefused) {
  const std::vector<std::byte> whole = linear("Linear", 3, 2).bytes();
  torch::load_archive(whole);
  for (std::size_t size = 1; size < whole.size(); size += 97)
    failure(
        [&] {
          torch::load_archive(std::vector<std::byte>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
        },
        ir::Code::File);
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += 41) {
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte{0x5a};
    try {
      torch::load_archive(damaged);
    } catch (const ir::Error& e) {
      EXPECT_EQ(e.code(), ir::Code::File) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);  // the rest hit padding
}

TEST(Archive, TwoThreadsLoadAndImportAtOnce) {
  const std::string path = linear("Linear", 200, 100).save("threads.pt");
  std::vector<std::thread> threads;
  std::vector<std::string> prints(4);
  for (std::size_t i = 0; i < prints.size(); ++i)
    threads.emplace_back([&, i] { prints[i] = ir::print(*torch::load_archive(path)->import(tensor({2, 100})).graph); });
  for (auto& t : threads) t.join();
  for (const auto& text : prints) EXPECT_EQ(text, prints[0]);
}

TEST(ArgumentsFile, ATupleWithKeywordsIsRead) {
  const std::string path = test::save_arguments("args.pt", {ramp({2, 3}), ramp({4})}, {{"mask", ramp({1})}});
  const ir::Arguments args = torch::read_arguments(path);
  ASSERT_EQ(args.positional.size(), 2u);
  EXPECT_TRUE(args.positional[0].get<ir::Tensor>()->equals(ramp({2, 3})));
  ASSERT_EQ(args.keywords.size(), 1u);
  EXPECT_EQ(args.keywords[0].first, "mask");
  failure([] { torch::read_arguments("/nowhere/args.pt"); }, ir::Code::File);
}

TEST(ArgumentsFile, ADictOfOtherKeysThanNamesIsAnArgument) {
  const ir::Arguments args = torch::read_arguments(test::save_numbered("numbered.pt", {ramp({2}), ramp({3})}));
  EXPECT_TRUE(args.keywords.empty());
  ASSERT_EQ(args.positional.size(), 1u);
  ASSERT_TRUE(args.positional[0].get<ir::Constant::Dict>());
  EXPECT_EQ(args.positional[0].get<ir::Constant::Dict>()->items.size(), 2u);
}

}  // namespace
}  // namespace tonnx
