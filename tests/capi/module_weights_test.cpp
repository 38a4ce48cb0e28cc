#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "error_matchers.h"
#include "host.h"
#include "tonnx/torch.hpp"

// Which weights a traced C++ module has, and under which names: nested, shared, listed, and written to while it runs.
using host::failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
namespace nn = torch::nn;

namespace {

tonnx::Model verified_export(const tonnx::Program& program) {
  auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program);
  return model;
}

// In the order that the model lists them.
template <class Module>
std::vector<std::string> names_of_weights(Module& module, const std::vector<at::Tensor>& examples) {
  const auto program = tonnx::trace(module, examples);
  verified_export(program);
  auto names = tonnx::export_program(program, tonnx::Args(), tonnx::Options().export_params(false)).input_names();
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(examples.size()));
  return names;
}

struct ResidualImpl : nn::Module {
  explicit ResidualImpl(std::int64_t width)
      : body(register_module("body", nn::Sequential(nn::Linear(width, width), nn::ReLU(), nn::Linear(width, width)))) {}
  at::Tensor forward(const at::Tensor& x) { return x + body->forward(x); }
  nn::Sequential body;
};
TORCH_MODULE(Residual);

struct DeepImpl : nn::Module {
  DeepImpl()
      : blocks(register_module("blocks", nn::ModuleList(Residual(4), Residual(4)))),
        heads(register_module("heads", nn::ModuleDict(std::vector<std::pair<std::string, std::shared_ptr<nn::Module>>>{
                                           {"b", nn::Linear(4, 2).ptr()}, {"a", nn::Linear(4, 3).ptr()}}))),
        scales(register_module("scales", nn::ParameterList(torch::ones({4}), torch::full({4}, 2.)))) {}
  at::Tensor forward(at::Tensor x) {
    for (std::size_t i = 0; i < blocks->size(); ++i) x = blocks->at<ResidualImpl>(i).forward(x) * scales[i];
    return torch::cat({heads["a"]->as<nn::Linear>()->forward(x), heads["b"]->as<nn::Linear>()->forward(x)}, 1);
  }
  nn::ModuleList blocks;
  nn::ModuleDict heads;
  nn::ParameterList scales;
};
TORCH_MODULE(Deep);

struct TiedImpl : nn::Module {
  TiedImpl()
      : words(register_module("words", nn::Embedding(7, 4))), scores(register_parameter("scores", words->weight)) {}
  at::Tensor forward(const at::Tensor& ids) { return nn::functional::linear(words(ids), scores); }
  nn::Embedding words;
  at::Tensor scores;
};
TORCH_MODULE(Tied);

// One module under two names.
struct TwiceImpl : nn::Module {
  TwiceImpl() : first(register_module("first", nn::Linear(4, 4))), second(register_module("second", first)) {}
  at::Tensor forward(const at::Tensor& x) { return second(first(x).relu()); }
  nn::Linear first, second;
};
TORCH_MODULE(Twice);

struct NormedImpl : nn::Module {
  NormedImpl() : norm(register_module("norm", nn::BatchNorm1d(4))) {}
  at::Tensor forward(const at::Tensor& x) { return norm(x); }
  nn::BatchNorm1d norm;
};
TORCH_MODULE(Normed);

// Its result depends on the number of earlier runs.
struct CountedImpl : nn::Module {
  CountedImpl() : count(register_buffer("count", torch::zeros({}))) {}
  at::Tensor forward(const at::Tensor& x) {
    count += 1;
    return x * count;
  }
  at::Tensor count;
};
TORCH_MODULE(Counted);

}  // namespace

TEST(ModuleWeights, ListsAndDictsAndNestedSequencesHaveTheirPaths) {
  Deep net;
  EXPECT_THAT(
      names_of_weights(net, {torch::randn({3, 4})}),
      ElementsAre("blocks.0.body.0.weight", "blocks.0.body.0.bias", "blocks.0.body.2.weight", "blocks.0.body.2.bias",
                  "blocks.1.body.0.weight", "blocks.1.body.0.bias", "blocks.1.body.2.weight", "blocks.1.body.2.bias",
                  "heads.b.weight", "heads.b.bias", "heads.a.weight", "heads.a.bias", "scales.0", "scales.1"));
}

TEST(ModuleWeights, NamedChildrenOfASequence) {
  nn::Sequential net({{"fc1", nn::Linear(4, 3).ptr()}, {"fc2", nn::Linear(3, 2).ptr()}});
  EXPECT_THAT(names_of_weights(net, {torch::randn({3, 4})}),
              ElementsAre("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"));
}

TEST(ModuleWeights, ATensorUnderTwoNamesIsStoredOnce) {
  Tied net;
  EXPECT_THAT(names_of_weights(net, {torch::tensor({{1, 2}, {3, 4}})}), ElementsAre("scores"));
  Twice twice;
  EXPECT_THAT(names_of_weights(twice, {torch::randn({3, 4})}), ElementsAre("first.weight", "first.bias"));
}

TEST(ModuleWeights, BuffersThatForwardWritesToAreWhatTheyWereBefore) {
  Normed net;
  net->norm->running_mean.fill_(3);
  const std::vector<at::Tensor> examples = {torch::randn({5, 4})};
  const auto program = tonnx::trace(net, examples);
  EXPECT_EQ(net->norm->num_batches_tracked.item<std::int64_t>(), 1);
  verified_export(program);
  net->eval();
  verified_export(tonnx::trace(net, examples));

  Counted counted;
  EXPECT_THAT(names_of_weights(counted, examples), ElementsAre("count"));
  verified_export(tonnx::trace(counted, examples));
  EXPECT_EQ(counted->count.item<float>(), 2);
}

TEST(ModuleWeights, BuffersThatForwardWritesToRefuseAnotherRun) {
  Normed net;
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "batch");
  EXPECT_THAT(failure([&] { tonnx::trace(net, {torch::randn({5, 4})}, options); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("norm.")));
  net->eval();
  verified_export(tonnx::trace(net, {torch::randn({5, 4})}, options));
  Counted counted;
  EXPECT_THAT(failure([&] { tonnx::trace(counted, {torch::randn({5, 4})}, options); }),
              host::is_error(TONNX_STATUS_UNSUPPORTED, HasSubstr("'count'")));
}
