#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/rnn.h>

#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

template <class Module>
Callback module(std::string name, std::function<Module()> make, std::function<Tensors()> inputs) {
  return fresh(
      std::move(name),
      [=] {
        Module net = make();
        net->eval();
        return Code([=](Tensors& x) mutable { return R{net->forward(x[0])}; });
      },
      std::move(inputs));
}

// Two layers, one nested in the other.
struct OuterImpl : torch::nn::Module {
  OuterImpl() {
    inner = register_module("inner", torch::nn::Sequential(torch::nn::Linear(3, 4), torch::nn::ReLU()));
    last = register_module("last", torch::nn::Linear(4, 2));
    scale = register_buffer("scale", at::rand({2}));
  }
  at::Tensor forward(const at::Tensor& x) { return last->forward(inner->forward(x)) * scale; }

  torch::nn::Sequential inner{nullptr};
  torch::nn::Linear last{nullptr};
  at::Tensor scale;
};
TORCH_MODULE(Outer);

}  // namespace

// Modules of the C++ front end whose weights are not declared.
std::vector<Callback> networks() {
  namespace nn = torch::nn;
  return {
      module<nn::Linear>(
          "Module.Linear", [] { return nn::Linear(3, 4); }, floats({{2, 3}})),
      module<Outer>(
          "Module.Nested", [] { return Outer(); }, floats({{2, 3}})),
      module<nn::Conv2d>(
          "Module.Conv2d", [] { return nn::Conv2d(nn::Conv2dOptions(3, 4, 3).padding(1)); }, floats({{1, 3, 8, 8}})),
      module<nn::BatchNorm2d>(
          "Module.BatchNorm", [] { return nn::BatchNorm2d(3); }, floats({{2, 3, 4, 4}})),
      module<nn::LayerNorm>(
          "Module.LayerNorm", [] { return nn::LayerNorm(nn::LayerNormOptions({3})); }, floats({{2, 3}})),
      module<nn::Sequential>(
          "Module.Sequential", [] { return nn::Sequential(nn::Linear(3, 3), nn::Tanh(), nn::Linear(3, 1)); },
          floats({{2, 3}})),
      module<nn::Embedding>(
          "Module.Embedding", [] { return nn::Embedding(10, 4); },
          [] { return Tensors{at::randint(0, 10, {2, 3}, at::kLong)}; }),
      fresh(
          "Module.Lstm",
          [] {
            nn::LSTM net(nn::LSTMOptions(3, 4).batch_first(true));
            net->eval();
            return Code([=](Tensors& x) mutable { return R{std::get<0>(net->forward(x[0]))}; });
          },
          floats({{2, 5, 3}})),
      fresh(
          "Module.Gru",
          [] {
            nn::GRU net(nn::GRUOptions(3, 4));
            net->eval();
            return Code([=](Tensors& x) mutable { return R{std::get<0>(net->forward(x[0]))}; });
          },
          floats({{5, 2, 3}})),
      fresh("Module.WeightsMadeOnTheWay",
            [] {
              return Code([](Tensors& x) {
                nn::Linear net(3, 2);
                const at::NoGradGuard off;
                net->weight.fill_(0.5);
                net->bias.fill_(1);
                return R{net->forward(x[0])};
              });
            }),
      fresh("Module.TiedWeights",
            [] {
              const at::Tensor w = at::rand({3, 3});
              return Code([=](Tensors& x) { return R{at::linear(at::linear(x[0], w), w.t())}; });
            }),
  };
}

}  // namespace callbacks
