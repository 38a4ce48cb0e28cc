#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tonnx/torch.hpp"

// Traces of LibTorch's C++ modules: the names of weights and modules, the results, and the error for a wrong number of
// inputs.
using testing::ElementsAre;
using testing::HasSubstr;
using tonnx::Trace;
namespace nn = torch::nn;

namespace {

std::string exported(const tonnx::Program& program, const std::vector<at::Tensor>& examples) {
  const auto model = tonnx::export_program(program, tonnx::arguments(examples));
  model.verify(program);
  return model.text();
}

std::vector<std::string> weight_names(const tonnx::Program& program, const std::vector<at::Tensor>& examples) {
  const auto model = tonnx::export_program(program, tonnx::arguments(examples), tonnx::Options().export_params(false));
  std::vector<std::string> names = model.input_names();
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(examples.size()));
  return names;
}

struct NetImpl : nn::Module {
  NetImpl() : norm(register_module("norm", nn::BatchNorm1d(4))), fc(register_module("fc", nn::Linear(4, 2))) {
    scale = register_parameter("scale", torch::ones({4}));
    shift = register_buffer("shift", torch::full({4}, 0.5));
    register_buffer("none", at::Tensor());
  }
  std::tuple<at::Tensor, std::vector<at::Tensor>> forward(const at::Tensor& x, const at::Tensor& y) {
    const at::Tensor z = fc(norm(x * scale + shift) + y);
    return {z.relu(), {z.sigmoid(), at::Tensor()}};
  }
  nn::BatchNorm1d norm;
  nn::Linear fc;
  at::Tensor scale, shift;
};
TORCH_MODULE(Net);

TORCH_LIBRARY(module_test, library) {
  library.def("twice(Tensor x) -> Tensor", [](const at::Tensor& x) { return x * 2; });
}

}  // namespace

TEST(Module, F5_TheCodeReturnsNestedResultsOfAnyOperators) {
  const std::vector<at::Tensor> examples = {torch::randn({3, 4}), torch::randn({3, 4})};
  using Two = std::pair<at::Tensor, std::vector<at::Tensor>>;
  const auto program = tonnx::trace(
      [](Trace&, const std::vector<at::Tensor>& in) {
        const auto twice = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("module_test::twice", "")
                               .typed<at::Tensor(const at::Tensor&)>()
                               .call(in[0]);
        return std::tuple<Two, std::optional<at::Tensor>, at::Tensor>({twice, {in[0] + in[1], in[1].relu()}},
                                                                      std::nullopt, in[0].sum());
      },
      examples);
  tonnx::Registry registry;
  registry.add("module_test::twice", 9,
               [](tonnx::Graph& graph, const tonnx::Node&, const std::vector<tonnx::Value>& inputs) {
                 return std::optional(std::vector<tonnx::Value>{graph.op("Add", {inputs[0], inputs[0]})});
               });
  const auto model = tonnx::export_program(program, tonnx::Args(), {}, registry);
  model.verify(program);
  EXPECT_EQ(model.output_names().size(), 4u);
}

TEST(Module, ParametersAndBuffersKeepTheirNames) {
  Net net;
  net->eval();
  const std::vector<at::Tensor> examples = {torch::randn({3, 4}), torch::randn({3, 4})};
  EXPECT_THAT(weight_names(tonnx::trace(net, examples), examples),
              ElementsAre("scale", "shift", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var",
                          "fc.weight", "fc.bias"));
  const std::string text = exported(tonnx::trace(*net, examples), examples);
  EXPECT_THAT(text, HasSubstr("onnx::Sigmoid"));
  EXPECT_THAT(text, HasSubstr("/fc/")) << "LibTorch does not report that fc ran, but its weights were read";
  EXPECT_EQ(tonnx::export_program(tonnx::trace(net, examples), tonnx::arguments(examples)).output_names().size(), 2u);
}

TEST(Module, ASequencesModulesAreModulesOfTheModel) {
  nn::Sequential net(nn::Conv2d(3, 4, 3), nn::ReLU(), nn::Flatten(), nn::Linear(4 * 16, 2));
  const std::vector<at::Tensor> examples = {torch::randn({2, 3, 6, 6})};
  const auto program = tonnx::trace(net, examples);
  EXPECT_THAT(weight_names(program, examples), ElementsAre("0.weight", "0.bias", "3.weight", "3.bias"));
  const std::string text = exported(program, examples);
  EXPECT_THAT(text, HasSubstr("/0/Conv"));
  EXPECT_THAT(text, HasSubstr("/1/Relu"));
}

TEST(Module, F236_TrainingGoesOnAfterTheTrace) {
  nn::Linear net(4, 2);
  const std::vector<at::Tensor> examples = {torch::randn({3, 4})};
  const auto program = tonnx::trace(net, examples);
  torch::optim::SGD optimiser(net->parameters(), 1.0);
  net(examples[0]).sum().backward();
  optimiser.step();
  tonnx::export_program(program, tonnx::Args()).verify(program);
}

TEST(Module, TheWrongNumberOfInputsIsReportedByName) {
  Net net;
  for (const std::size_t count : {1, 3, 20}) {
    try {
      tonnx::trace(net, std::vector<at::Tensor>(count, torch::randn({3, 4})));
      FAIL() << count;
    } catch (const tonnx::Error& error) {
      EXPECT_EQ(error.status(), TONNX_STATUS_ARGUMENT);
      EXPECT_THAT(error.what(), HasSubstr("Net::forward does not take " + std::to_string(count) + " tensors"));
    }
  }
}

TEST(Module, WhatForwardThrowsComesOut) {
  Net net;
  EXPECT_THROW(tonnx::trace(net, {torch::randn({3, 5}), torch::randn({3, 4})}), c10::Error);
  const std::vector<at::Tensor> examples = {torch::randn({3, 4}), torch::randn({3, 4})};
  net->eval();
  exported(tonnx::trace(net, examples), examples);
}

TEST(Module, AFunctionDeclaresItsOwnWeights) {
  nn::LSTM lstm(3, 5);
  lstm->eval();
  const std::vector<at::Tensor> examples = {torch::randn({4, 2, 3})};
  const auto program = tonnx::trace(
      [&](Trace& run, const std::vector<at::Tensor>& in) {
        tonnx::weights(run, *lstm, "lstm.");
        const Trace::Module scope(run, "LSTM", "lstm");
        return lstm(in[0]);
      },
      examples);
  EXPECT_THAT(exported(program, examples), HasSubstr("onnx::LSTM"));
  EXPECT_EQ(tonnx::export_program(program, tonnx::Args()).output_names().size(), 3u);
  EXPECT_THAT(exported(tonnx::trace(lstm, examples), examples), HasSubstr("onnx::LSTM"));
}

TEST(Module, TensorsGoOutAsLibTorchs) {
  const at::Tensor source = torch::randn({2, 3});
  EXPECT_TRUE(tonnx::to_torch(tonnx::Tensor::from_torch(&source)).equal(source));
}
