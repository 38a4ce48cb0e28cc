#include <cmath>

#include <torch/torch.h>

#include "callback.h"

namespace callbacks {

namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using R = Tensors;

const auto kThreePlanes = with_rows({3, 4, 4});

// The exponential with a custom derivative.
struct Exponential : torch::autograd::Function<Exponential> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    const at::Tensor y = x.exp();
    context->save_for_backward({y});
    return y;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0] * context->get_saved_variables()[0]};
  }
};

}  // namespace

// Code with gradients, random numbers, and layers in training.
std::vector<Network> training() {
  return {
      network(
          "Gradient.OfALoss",
          [](Tensors& x) {
            const at::Tensor y = x[0].detach().requires_grad_();
            return R{torch::autograd::grad({y.square().sum()}, {y})[0]};
          },
          kRows),
      network(
          "Gradient.ByBackward",
          [](Tensors& x) {
            const at::Tensor y = x[0].detach().requires_grad_();
            (y * y * y).sum().backward();
            return R{y.grad()};
          },
          kRows),
      made(
          "Gradient.StepAgainstALayer",
          [] {
            nn::Linear layer(3, 2);
            return Code([=](Tensors& x) mutable {
              const at::Tensor y = x[0].detach().requires_grad_();
              const at::Tensor loss = layer(y).square().mean();
              return R{y - 0.1 * torch::autograd::grad({loss}, {y})[0].sign()};
            });
          },
          kRows),
      network(
          "Gradient.OfAGradient",
          [](Tensors& x) {
            const at::Tensor y = x[0].detach().requires_grad_();
            const at::Tensor slope = torch::autograd::grad({(y * y * y).sum()}, {y}, {}, true, true)[0];
            return R{torch::autograd::grad({slope.sum()}, {y})[0]};
          },
          kRows),
      made(
          "Gradient.OfLayers",
          [] {
            nn::Sequential net(nn::Linear(3, 4), nn::Linear(4, 1));
            return Code([=](Tensors& x) mutable {
              const at::Tensor y = x[0].detach().requires_grad_();
              const at::Tensor energy = net->forward(y).sum();
              return R{-torch::autograd::grad({energy}, {y})[0]};
            });
          },
          kRows),
      made(
          "Gradient.OfActivations",
          [] {
            nn::Sequential net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 4), nn::ReLU(), nn::Linear(4, 4), nn::GELU(),
                               nn::SiLU(), nn::Linear(4, 4), nn::Softplus(), nn::Sigmoid(), nn::LeakyReLU(), nn::ELU(),
                               nn::Linear(4, 1));
            return Code([=](Tensors& x) mutable {
              const at::Tensor y = x[0].detach().requires_grad_();
              const at::Tensor slope = torch::autograd::grad({net->forward(y).sum()}, {y})[0];
              return R{(slope.norm(2, 1) - 1).square()};
            });
          },
          kRows),
      network(
          "Gradient.FunctionOfItsOwn", [](Tensors& x) { return R{Exponential::apply(x[0])}; }, kRows),
      network(
          "Gradient.FunctionOfItsOwnDifferentiated",
          [](Tensors& x) {
            const at::Tensor y = x[0].detach().requires_grad_();
            return R{torch::autograd::grad({Exponential::apply(y).sum()}, {y})[0]};
          },
          kRows),
      network(
          "Gradient.Stopped", [](Tensors& x) { return R{x[0] + (x[0].round() - x[0]).detach()}; }, kRows),
      network(
          "Gradient.NoGradAndInPlace",
          [](Tensors& x) {
            const torch::NoGradGuard guard;
            at::Tensor y = x[0].clone();
            y.mul_(2).add_(1);
            return R{y};
          },
          kRows),
      network(
          "Gradient.InferenceMode",
          [](Tensors& x) {
            const c10::InferenceMode guard;
            at::Tensor y = at::zeros({3}) + x[0];
            y.relu_();
            return R{y * 2};
          },
          kRows),
      network(
          "Gradient.InferenceModeInside",
          [](Tensors& x) {
            at::Tensor y;
            {
              const c10::InferenceMode guard;
              y = x[0].tanh().clone();
            }
            return R{y + x[0]};
          },
          kRows),
      network(
          "Gradient.AutoGradModeOn",
          [](Tensors& x) {
            const torch::AutoGradMode guard(true);
            return R{(x[0] * 2).sigmoid()};
          },
          kRows),
      made(
          "Gradient.Norms",
          [] {
            nn::Linear layer(3, 2);
            return Code([=](Tensors& x) mutable {
              at::Tensor penalty = torch::zeros({});
              for (const at::Tensor& parameter : layer->parameters()) penalty = penalty + parameter.norm();
              return R{layer(x[0]) + penalty};
            });
          },
          kRows),
      network(
          "Random.DropoutTimesZero",
          [](Tensors& x) { return R{x[0] + F::dropout(x[0], F::DropoutFuncOptions().p(0.5).training(true)) * 0}; },
          kRows),
      made(
          "Random.DropoutInEval",
          [] {
            nn::Sequential net(nn::Linear(3, 4), nn::Dropout(0.5), nn::Linear(4, 2));
            net->eval();
            return Code([=](Tensors& x) mutable { return R{net->forward(x[0])}; });
          },
          kRows),
      network(
          "Random.NoiseOfNoSize", [](Tensors& x) { return R{x[0] + torch::randn_like(x[0]) * 0}; }, kRows),
      network(
          "Random.MaskOfTheRows",
          [](Tensors& x) { return R{x[0] * torch::rand({x[0].size(0), 1}).ge(0).to(at::kFloat)}; }, kRows),
      network(
          "Random.Mixup",
          [](Tensors& x) {
            const at::Tensor other = x[0].flip({0});
            return R{x[0] * 0.7 + other * 0.3};
          },
          kRows),
      made(
          "Training.BatchNorm",
          [] {
            nn::BatchNorm2d norm(3);
            return Code([=](Tensors& x) mutable { return R{norm(x[0])}; });
          },
          kThreePlanes, "has different elements"),
      made(
          "Training.BatchNormWithoutStatistics",
          [] {
            nn::BatchNorm2d norm(nn::BatchNorm2dOptions(3).track_running_stats(false));
            return Code([=](Tensors& x) mutable { return R{norm(x[0])}; });
          },
          kThreePlanes),
      made(
          "Training.InstanceNorm",
          [] {
            nn::InstanceNorm2d norm(nn::InstanceNorm2dOptions(3).affine(true));
            return Code([=](Tensors& x) mutable { return R{norm(x[0])}; });
          },
          kThreePlanes),
      made(
          "Training.RunningMean",
          [] {
            const at::Tensor mean = at::zeros({3});
            return Code([=](Tensors& x) {
              mean.mul_(0.9).add_(x[0].mean(0), 0.1);
              return R{x[0] - mean};
            });
          },
          kRows, "behaves differently in each run"),
      made(
          "Training.StepOfAnOptimizer",
          [] {
            nn::Linear layer(3, 1);
            auto optimizer = std::make_shared<torch::optim::SGD>(layer->parameters(), 0.1);
            return Code([=](Tensors& x) mutable {
              optimizer->zero_grad();
              const at::Tensor y = layer(x[0]);
              y.mean().backward();
              optimizer->step();
              return R{layer(x[0])};
            });
          },
          kRows, "behaves differently in each run"),
      made(
          "Training.Loss",
          [] {
            nn::Linear layer(3, 4);
            return Code([=](Tensors& x) mutable {
              const at::Tensor target = torch::zeros({x[0].size(0)}, at::kLong);
              return R{F::cross_entropy(layer(x[0]), target, F::CrossEntropyFuncOptions().label_smoothing(0.1))};
            });
          },
          kRows),
      made(
          "Weight.Tied",
          [] {
            nn::Embedding words(9, 3);
            return Code([=](Tensors& x) mutable { return R{at::linear(x[0], words->weight)}; });
          },
          kRows),
      made(
          "Weight.NormByHand",
          [] {
            const at::Tensor v = at::randn({4, 3}).requires_grad_(), g = at::rand({4, 1}).requires_grad_();
            return Code([=](Tensors& x) { return R{at::linear(x[0], v * (g / v.norm(2, 1, true)))}; });
          },
          kRows),
      made(
          "Weight.NormOfLibTorch",
          [] {
            const at::Tensor v = at::randn({4, 3}).requires_grad_(), g = at::rand({4, 1}).requires_grad_();
            return Code([=](Tensors& x) { return R{at::linear(x[0], at::_weight_norm(v, g, 0))}; });
          },
          kRows),
      made(
          "Weight.SpectralNorm",
          [] {
            const at::Tensor w = at::randn({4, 3}), u = at::randn({4});
            return Code([=](Tensors& x) {
              const at::Tensor v = F::normalize(at::mv(w.t(), u), F::NormalizeFuncOptions().dim(0));
              return R{at::linear(x[0], w / at::dot(u, at::mv(w, v)))};
            });
          },
          kRows),
      made(
          "Weight.Standardised",
          [] {
            nn::Conv2d layer(nn::Conv2dOptions(3, 4, 3).padding(1));
            return Code([=](Tensors& x) mutable {
              const at::Tensor w = layer->weight;
              return R{at::conv2d(x[0], (w - w.mean({1, 2, 3}, true)) / (w.std({1, 2, 3}, true, true) + 1e-5),
                                  layer->bias, 1, 1)};
            });
          },
          kThreePlanes),
      made(
          "Weight.LowRankAdapter",
          [] {
            const at::Tensor w = at::randn({4, 3}), a = at::randn({2, 3}), b = at::randn({4, 2});
            return Code([=](Tensors& x) { return R{at::linear(x[0], w + b.mm(a) * 0.5)}; });
          },
          kRows),
      made(
          "Weight.QuantisedByHand",
          [] {
            const at::Tensor w = at::randint(-127, 127, {4, 3}, at::kChar);
            return Code([=](Tensors& x) { return R{at::linear(x[0], w.to(at::kFloat) * 0.02)}; });
          },
          kRows),
      made(
          "Weight.Rounded",
          [] {
            const at::Tensor w = at::randn({4, 3});
            return Code([=](Tensors& x) {
              const double scale = w.abs().max().item<double>() / 127;
              return R{at::linear(x[0], (w / scale).round() * scale)};
            });
          },
          kRows),
      made(
          "Weight.InHalf",
          [] {
            const at::Tensor w = at::randn({4, 3}).to(at::kHalf);
            return Code([=](Tensors& x) { return R{at::linear(x[0].to(at::kHalf), w).to(at::kFloat)}; });
          },
          kRows),
  };
}

}  // namespace callbacks
