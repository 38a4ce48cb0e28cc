#include <optional>

#include <gmock/gmock.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/torch.h>

#include "error_matchers.h"
#include "host.h"
#include "tonnx/torch.hpp"

// Modules that live in the host's process: built in code, loaded and traced, changed and freed afterwards.
using host::args;
using host::failure;
using host::two_by_three;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using tonnx::Options;
namespace jit = torch::jit;

namespace {

jit::Module network() {
  jit::Module child("Child");
  child.register_parameter("weight", torch::randn({3, 3}), false);
  child.register_attribute("training", c10::BoolType::get(), true);
  child.define("def forward(self, x):\n    return x @ self.weight\n");
  jit::Module net("Net");
  net.register_module("child", child);
  net.register_buffer("shift", torch::ones({3}));
  net.register_attribute("training", c10::BoolType::get(), true);
  net.define(
      "def forward(self, x):\n"
      "    for i in range(2):\n"
      "        if bool(x.sum() > 0):\n"
      "            x = self.child.forward(x) + self.shift\n"
      "    return torch.dropout(x, 0.5, self.training)\n");
  return net;
}

std::vector<std::string> names(const tonnx::Program& program) {
  return tonnx::export_program(program, two_by_three(), Options().export_params(false)).input_names();
}

// The model that the program is exported to.
std::string bytes(const tonnx::Program& program) {
  return tonnx::export_program(program, args({at::ones({2, 3})})).bytes();
}

}  // namespace

TEST(ScriptModule, F9_ItsWeightsAndModulesKeepTheirNames) {
  const jit::Module net = network();
  const tonnx::Program program = tonnx::program(net);
  EXPECT_THAT(program.methods(), ElementsAre("forward"));
  EXPECT_THAT(names(program), ElementsAre("x", "shift", "child.weight"));
  const tonnx::Model model = tonnx::export_program(program, two_by_three());
  model.verify(program, two_by_three());
  EXPECT_THAT(model.text(), AllOf(HasSubstr("onnx::If"), testing::Not(HasSubstr("onnx::Dropout"))));
  EXPECT_EQ(model.bytes().size(), tonnx::export_program(host::load(net), two_by_three()).bytes().size());
}

TEST(ScriptModule, F31_TheFlagsOfTheHostsModuleStay) {
  for (const bool training : {true, false}) {
    jit::Module net = network();
    net.train(training);
    const auto has_flags = [&] {
      for (const jit::Module& module : net.modules())
        if (module.is_training() != training) return false;
      return true;
    };
    const tonnx::Program program = tonnx::program(net);
    for (const std::int32_t mode : {TONNX_TRAINING_EVAL, TONNX_TRAINING_PRESERVE, TONNX_TRAINING_TRAIN}) {
      const tonnx::Model model = tonnx::export_program(program, two_by_three(), Options().training(mode));
      const bool drops = mode == TONNX_TRAINING_TRAIN || (mode == TONNX_TRAINING_PRESERVE && training);
      EXPECT_EQ(model.text().find("onnx::Dropout") != std::string::npos, drops) << mode << training;
      EXPECT_TRUE(has_flags()) << mode;
      failure([&] { tonnx::export_program(program, args({at::ones({2, 4})}), Options().training(mode)); });
      EXPECT_TRUE(has_flags()) << "after an error";
    }
  }
}

TEST(ScriptModule, TheHostMayChangeAndFreeItAfterwards) {
  std::optional<jit::Module> net = network();
  const tonnx::Program program = tonnx::program(*net);
  const std::string before = bytes(program);
  {
    const at::NoGradGuard no_grad;
    for (const at::Tensor& weight : net->parameters()) weight.fill_(7);
    for (const at::Tensor& buffer : net->buffers()) buffer.zero_();
  }
  net->eval();
  net->register_attribute("more", c10::IntType::get(), 3);
  net->define("def later(self, x):\n    return x * self.more\n");
  EXPECT_EQ(bytes(program), before);
  EXPECT_THAT(program.methods(), ElementsAre("forward"));
  net.reset();
  EXPECT_EQ(bytes(program), before);
  tonnx::export_program(program, two_by_three()).verify(program, two_by_three());
}

TEST(ScriptModule, AListThatTwoAttributesHoldIsChangedForBoth) {
  const auto tensors = c10::ListType::ofTensors();
  c10::List<at::Tensor> kept;
  kept.push_back(torch::ones({3}));
  c10::impl::GenericList lists(tensors);
  lists.push_back(kept);
  jit::Module net("Net");
  net.register_attribute("kept", tensors, kept);
  net.register_attribute("lists", c10::ListType::create(tensors), lists);
  net.register_attribute("sizes", c10::ListType::ofInts(), c10::List<std::int64_t>({4, 5}));
  net.define(
      "def forward(self, x):\n"
      "    sizes = [x.size(0)]\n"
      "    sizes.extend(self.sizes)\n"
      "    sizes.append(6)\n"
      "    self.kept[0] = x[0]\n"
      "    self.lists[0].append(x[1])\n"
      "    return self.lists[0][0] * sum(sizes), self.kept[1]\n");
  const tonnx::Program program = tonnx::program(net);
  const tonnx::Model model = tonnx::export_program(program, two_by_three());
  model.verify(program, two_by_three());
  // No warning for attributes that are only read.
  EXPECT_THAT(model.warnings(), UnorderedElementsAre(HasSubstr("attribute 'kept'")));
  EXPECT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept.get(0).sum().item<float>(), 3);
}

TEST(ScriptModule, NothingOfTheHostsModuleChanges) {
  jit::Module net("Net");
  net.register_buffer("count", torch::zeros({1}));
  net.register_parameter("weight", torch::ones({3}), false);
  net.register_attribute("training", c10::BoolType::get(), true);
  net.define(
      "def forward(self, x):\n    self.count += 1\n    self.weight.mul_(2)\n    return x * self.weight + self.count\n");
  for (const bool share : {false, true}) {
    const tonnx::Program program = tonnx::program(net, share);
    for (int i = 0; i < 2; ++i) tonnx::export_program(program, two_by_three()).verify(program, two_by_three());
    EXPECT_EQ(net.attr("count").toTensor().item<float>(), 0);
    EXPECT_EQ(net.attr("weight").toTensor().sum().item<float>(), 3);
    EXPECT_TRUE(net.is_training());
  }
}

TEST(ScriptModule, SharedWeightsAreTheHosts) {
  jit::Module net = network();
  const tonnx::Program program = tonnx::program(net, /*share_weights=*/true);
  const std::string before = bytes(program);
  {
    const at::NoGradGuard no_grad;
    net.attr("shift").toTensor().fill_(5);
  }
  EXPECT_NE(bytes(program), before);
}

TEST(ScriptModule, ATracedOneAndALoadedOne) {
  jit::Module net = network();
  net.eval();
  std::stringstream stream;
  net.save(stream);
  const jit::Module loaded = jit::load(stream);
  const tonnx::Program program = tonnx::program(loaded);
  tonnx::export_program(program, two_by_three(), Options().dynamic_axis("x", 0, "n")).verify(program, two_by_three());

  const at::Tensor weight = torch::randn({3, 4});
  jit::Module traced("Traced");
  traced.register_parameter("weight", weight, false);
  const auto [state, outputs] = jit::tracer::trace(
      {torch::randn({2, 3})}, [&](jit::Stack in) -> jit::Stack { return {in[0].toTensor().matmul(weight).relu()}; },
      [](const at::Tensor&) { return std::string(); }, true, false, &traced);
  auto* function = traced._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*traced.type()->name(), "forward"), state->graph);
  traced.type()->addMethod(function);
  const tonnx::Program recorded = tonnx::program(traced);
  EXPECT_THAT(names(recorded), testing::Contains("weight"));
  tonnx::export_program(recorded, two_by_three()).verify(recorded, two_by_three());
}

TEST(ScriptModule, OneModuleUnderTwoNamesStaysOne) {
  jit::Module child("Shared");
  child.register_parameter("weight", torch::randn({3, 3}), false);
  child.define("def forward(self, x):\n    return x @ self.weight\n");
  jit::Module net("Net");
  net.register_module("a", child);
  net.register_module("b", child);
  net.define("def forward(self, x):\n    return self.b.forward(self.a.forward(x))\n");
  for (const bool share : {false, true}) EXPECT_THAT(names(tonnx::program(net, share)), ElementsAre("x", "a.weight"));
}

TEST(ScriptModule, WhatSharesMemoryStillDoes) {
  jit::Module child("Counter");
  child.register_buffer("count", torch::zeros({2}));
  child.define("def forward(self, x):\n    self.count += 1\n    return x * self.count[0]\n");
  jit::Module net("Net");
  net.register_module("a", child);
  net.register_module("b", child);
  net.register_buffer("whole", child.attr("count").toTensor());
  net.define(
      "def forward(self, x):\n"
      "    x = self.b.forward(self.a.forward(x))\n"
      "    self.whole.add_(1)\n"
      "    return x, self.a.count + self.b.count\n");
  const at::Tensor x = at::ones({2});
  const auto expected = net.deepcopy().forward({x}).toTupleRef().elements();
  EXPECT_EQ(expected[1].toTensor()[0].item<float>(), 6);
  for (const bool share : {false, true}) {
    const tonnx::Program program = tonnx::program(net, share);
    tonnx::export_program(program, args({x})).verify(program, args({x}));
    tonnx::export_program(program, args({x})).verify(host::load(net), args({x}));
  }
}

TEST(ScriptModule, AWriteToAViewOfAnotherBufferIsSeenThere) {
  for (const bool overlap : {true, false}) {
    jit::Module net("Net");
    const at::Tensor whole = torch::zeros({2, 3});
    net.register_buffer("whole", overlap ? whole : whole[0]);
    net.register_buffer("row", whole[1]);
    net.define("def forward(self, x):\n    self.row.add_(1)\n    return x + self.whole\n");
    const tonnx::Program program = tonnx::program(net, /*share_weights=*/true);
    tonnx::export_program(program, two_by_three()).verify(program, two_by_three());
  }
}

TEST(ScriptModule, ListsAndConstantsAreCopiedToo) {
  jit::Module net("Net");
  const at::Tensor kept = torch::ones({3}), captured = torch::randn({3});
  c10::List<at::Tensor> tensors({kept});
  c10::List<int64_t> numbers({2});
  net.register_attribute("tensors", c10::ListType::ofTensors(), tensors);
  net.register_attribute("numbers", c10::ListType::ofInts(), numbers);
  net.define("def forward(self, x):\n    return x * self.tensors[0] * self.numbers[0]\n");
  auto& graph = *jit::toGraphFunction(*net.type()->findMethod("forward")).graph();
  jit::Value* constant = graph.insertConstant(captured);
  graph.registerOutput(constant);
  jit::Value* pair = graph.insertNode(graph.createTuple(graph.outputs()))->output();
  while (!graph.outputs().empty()) graph.eraseOutput(0);
  graph.registerOutput(pair);
  const tonnx::Program program = tonnx::program(net);
  const std::string before = bytes(program);
  kept.fill_(9);
  captured.fill_(9);
  numbers.set(0, 9);
  EXPECT_EQ(bytes(program), before);
}

TEST(ScriptModule, WhatHasNoElementsIsRefusedByName) {
  jit::Module net("Net");
  net.register_parameter("weight", torch::empty({3}, at::kMeta), false);
  net.define("def forward(self, x):\n    return x * self.weight\n");
  const tonnx::Error error = failure([&] { tonnx::export_program(tonnx::program(net), two_by_three()); });
  EXPECT_EQ(error.status(), TONNX_STATUS_UNSUPPORTED);
  EXPECT_THAT(error.what(), HasSubstr("weight"));
}

TEST(ScriptModule, F6_OneWithoutMethodsSaysSo) {
  const jit::Module net("Empty");
  const tonnx::Program program = tonnx::program(net);
  EXPECT_TRUE(program.methods().empty());
  const tonnx::Error error = failure([&] { tonnx::export_program(program, two_by_three()); });
  EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(error.what(), HasSubstr("module 'Empty'"));
}

// A module written on a machine with an accelerator: its weights are on the host here, and its code names another
// device.
TEST(ScriptModule, ADeviceThatTheCodeNamesIsTheHost) {
  const std::string code =
      "def forward(self, x):\n"
      "    y = x.to('cuda') + torch.ones([3], device='cuda:0')\n"
      "    return y * torch.zeros([3], device=y.device).cuda() + torch.arange(3, device=torch.device('cuda'))\n";
  jit::Module net("Net");
  net.define(code);
  const std::string before = net.get_method("forward").graph()->toString();
  for (const tonnx::Program& program : {tonnx::program(net), host::load(net), tonnx::Program::compile(code)}) {
    const tonnx::Model model = tonnx::export_program(program, two_by_three());
    model.verify(program, two_by_three());
    EXPECT_THAT(model.text(), testing::Not(HasSubstr("cuda")));
  }
  EXPECT_EQ(net.get_method("forward").graph()->toString(), before);
  EXPECT_THAT(before, HasSubstr("cuda:0"));
}
