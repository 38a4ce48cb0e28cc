#include <sstream>
#include <thread>

#include <torch/script.h>
#include <torch/torch.h>

#include "callback.h"
#include "tonnx.hpp"

namespace callbacks {

namespace {

using R = Tensors;
using torch::indexing::None;
using torch::indexing::Slice;

std::function<Tensors(std::int64_t)> of_dtype(at::ScalarType dtype) {
  return [=](std::int64_t rows) { return R{(at::randn({rows, 3}) * 5).to(dtype)}; };
}

Tensors scalar_and_rows(std::int64_t rows) { return {at::randn({rows, 3}), at::randn({})}; }
Tensors complex_rows(std::int64_t rows) { return {at::complex(at::randn({rows, 3}), at::randn({rows, 3}))}; }

Network by_dtype(const char* name, at::ScalarType dtype) {
  return network(
      std::string("Dtype.") + name,
      [](Tensors& x) { return R{(x[0] + x[0]).to(at::kFloat), x[0].sum(), x[0].to(at::kFloat).mul(2), x[0] > 0}; },
      of_dtype(dtype));
}

}  // namespace

// Inputs and results of code: aliases, dtypes, empty tensors, and nested programs.
std::vector<Network> results() {
  return {
      network(
          "Result.SameTwice",
          [](Tensors& x) {
            const at::Tensor y = x[0] * 2;
            return R{y, y};
          },
          kRows),
      network(
          "Result.TheInput", [](Tensors& x) { return R{x[0], x[0] * 2}; }, kRows),
      network(
          "Result.OnlyTheInput", [](Tensors& x) { return R{x[0]}; }, kRows),
      network(
          "Result.ViewsOfTheInput", [](Tensors& x) { return R{x[0].t(), x[0].select(1, 0), x[0].flatten()}; }, kRows),
      network(
          "Result.AnInputWrittenTo",
          [](Tensors& x) {
            x[0].mul_(2);
            return R{x[0], x[0] + 1};
          },
          kRows),
      network(
          "Result.AViewAndItsWrittenBase",
          [](Tensors& x) {
            const at::Tensor y = x[0] * 2, column = y.select(1, 0);
            y.add_(1);
            return R{column, y};
          },
          kRows),
      network(
          "Result.WrittenAfterItWasKept",
          [](Tensors& x) {
            std::vector<at::Tensor> kept;
            at::Tensor y = x[0] * 1;
            for (int i = 0; i < 3; ++i) {
              y.add_(1);
              kept.push_back(y);
            }
            return kept;
          },
          kRows),
      network(
          "Result.ClonedAsItWas",
          [](Tensors& x) {
            std::vector<at::Tensor> kept;
            at::Tensor y = x[0] * 1;
            for (int i = 0; i < 3; ++i) {
              y += 1;
              kept.push_back(y.clone());
            }
            return kept;
          },
          kRows),
      network(
          "Result.Expanded", [](Tensors& x) { return R{x[0].unsqueeze(1).expand({-1, 4, -1})}; }, kRows),
      network(
          "Result.Nothing", [](Tensors& x) { return R{x[0].slice(0, 0, 0), torch::zeros({0, 3})}; }, kRows),
      network(
          "Result.ALiteral", [](Tensors& x) { return R{torch::tensor({1, 2, 3}), x[0] + 1}; }, kRows),
      network(
          "Result.OfSize", [](Tensors& x) { return R{torch::full({}, x[0].size(0), at::kLong), x[0] + 1}; }, kRows),
      network(
          "Result.Bools", [](Tensors& x) { return R{x[0] > 0, (x[0] > 0).any(1), (x[0] > 0).logical_not()}; }, kRows),
      network(
          "Result.RequiresGrad", [](Tensors& x) { return R{x[0].requires_grad_() * 2}; }, kRows),
      network(
          "Result.SlicesAssigned",
          [](Tensors& x) {
            at::Tensor y = torch::zeros({x[0].size(0), 6});
            y.index_put_({Slice(), Slice(None, 3)}, x[0]);
            y.slice(1, 3) = 7;
            y.slice(1, 4, 5).fill_(7);
            return R{y};
          },
          kRows),
      network(
          "Result.OperatorsInPlace",
          [](Tensors& x) {
            at::Tensor y = x[0] + 0;
            y += x[0];
            y -= 1;
            y *= 2;
            y /= torch::tensor({1.f, 2.f, 4.f});
            y[0] += 1;
            return R{y.relu_()};
          },
          kRows),
      network(
          "Result.ATemporaryWrittenTo",
          [](Tensors& x) {
            x[0].slice(1, 0, 2).copy_(x[0].slice(1, 1, 3).clone());
            return R{x[0]};
          },
          kRows),
      network(
          "Result.OverlappingCopy",
          [](Tensors& x) {
            const at::Tensor y = x[0].clone();
            y.slice(1, 1, 3).copy_(y.slice(1, 0, 2).clone());
            return R{y};
          },
          kRows),
      network(
          "Operand.OfRankZero", [](Tensors& x) { return R{x[0] * x[1], x[1] + 1, x[1].expand({3})}; }, scalar_and_rows),
      network(
          "Operand.Complex",
          [](Tensors& x) { return R{at::view_as_real(x[0] * x[0]), x[0].abs(), at::real(x[0].conj())}; }, complex_rows),
      network(
          "Operand.Undefined",
          [](Tensors& x) {
            const at::Tensor none, w = torch::ones({2, 3});
            return R{at::linear(x[0], w, none), at::layer_norm(x[0], {3}, none, none)};
          },
          kRows),
      network(
          "Operand.Optional",
          [](Tensors& x) {
            std::optional<at::Tensor> bias;
            const at::Tensor y = at::linear(x[0], torch::ones({2, 3}), bias);
            return R{bias ? y + *bias : y};
          },
          kRows),
      network(
          "Operand.MixedDtypes",
          [](Tensors& x) {
            return R{x[0] * torch::arange(3), x[0] + torch::ones({3}, at::kDouble), x[0].to(at::kInt) / 2};
          },
          kRows),
      network(
          "Operand.DividedInts",
          [](Tensors& x) { return R{x[0] / 2, at::floor_divide(x[0], 2), x[0] % 3, at::div(x[0], 2, "trunc")}; },
          of_dtype(at::kLong)),
      network(
          "Operand.LogicOfBools",
          [](Tensors& x) { return R{x[0] & ~x[0], x[0] | x[0], x[0].logical_xor(x[0]), x[0].sum(), x[0].all()}; },
          of_dtype(at::kBool)),
      by_dtype("Byte", at::kByte),
      by_dtype("Char", at::kChar),
      by_dtype("Short", at::kShort),
      by_dtype("Int", at::kInt),
      by_dtype("Long", at::kLong),
      by_dtype("Half", at::kHalf),
      by_dtype("BFloat16", at::kBFloat16),
      by_dtype("Double", at::kDouble),
      by_dtype("Bool", at::kBool),
      made(
          "Inside.AScriptedModule",
          [] {
            auto module = std::make_shared<torch::jit::Module>("Net");
            module->register_parameter("w", at::rand({3}), false);
            module->define("def forward(self, x):\n    y = x * self.w\n    return y.relu() + 1\n");
            return Code([=](Tensors& x) { return R{module->forward({x[0]}).toTensor() * 2}; });
          },
          kRows),
      made(
          "Inside.AScriptedFunction",
          [] {
            auto unit = torch::jit::compile("def f(x):\n    return x.tanh() * 3\n");
            return Code([=](Tensors& x) { return R{unit->run_method("f", x[0]).toTensor()}; });
          },
          kRows),
      made(
          "Inside.AScriptedBranch",
          [] {
            auto unit = torch::jit::compile(
                "def f(x):\n    if bool(x.sum() > 100):\n        return x.tanh()\n    return x * 3\n");
            return Code([=](Tensors& x) { return R{unit->run_method("f", x[0]).toTensor()}; });
          },
          kRows, "outside of the recorded operators"),
      made(
          "Inside.ALoadedTensor",
          [] {
            std::ostringstream file;
            torch::save(at::rand({3}), file);
            return Code([text = file.str()](Tensors& x) {
              std::istringstream in(text);
              at::Tensor weight;
              torch::load(weight, in);
              return R{x[0] * weight};
            });
          },
          kRows),
      made(
          "Inside.ALoadedModule",
          [] {
            std::ostringstream file;
            torch::save(torch::nn::Linear(3, 2), file);
            return Code([text = file.str()](Tensors& x) {
              std::istringstream in(text);
              torch::nn::Linear layer(3, 2);
              torch::load(layer, in);
              return R{layer(x[0])};
            });
          },
          kRows),
      made(
          "Inside.ALoadedScript",
          [] {
            torch::jit::Module module("Net");
            module.register_parameter("w", at::rand({3}), false);
            module.define("def forward(self, x):\n    return x * self.w\n");
            std::ostringstream file;
            module.save(file);
            return Code([text = file.str()](Tensors& x) {
              std::istringstream in(text);
              return R{torch::jit::load(in).forward({x[0]}).toTensor()};
            });
          },
          kRows),
      network(
          "Inside.SavedAndLoaded",
          [](Tensors& x) {
            std::stringstream file;
            torch::save(x[0] * 2, file);
            at::Tensor y;
            torch::load(y, file);
            return R{y + x[0]};
          },
          kRows, "outside of the recorded operators"),
      network(
          "Inside.MemoryOfAnother",
          [](Tensors& x) {
            at::Tensor y = at::zeros({1});
            y.set_(x[0] * 2);
            return R{y + 1};
          },
          kRows),
      network(
          "Inside.PartOfTheMemoryOfAnother",
          [](Tensors& x) {
            at::Tensor y = at::zeros({1}), z = at::ones({3});
            y.set_(z.storage(), 1, {2}, {1});
            return R{x[0].slice(1, 0, 2) + y};
          },
          kRows, "was created outside of the recorded operators"),
      network(
          "Inside.ResizedFromNothing",
          [](Tensors& x) {
            at::Tensor y = at::empty({0}), z = at::zeros({0});
            y.resize_as_(x[0]).copy_(x[0]).mul_(2);
            z.resize_({x[0].size(0), 1}).fill_(3);
            return R{y + z};
          },
          kRows),
      network(
          "Inside.ResizedToItsSize",
          [](Tensors& x) {
            at::Tensor y = x[0] * 2;
            y.resize_({x[0].size(0), 3}).add_(1);
            return R{y};
          },
          kRows),
      network(
          "Inside.ResizedPartOfAnother",
          [](Tensors& x) {
            at::Tensor y = x[0] * 2, part = y.narrow(0, 0, 0);
            part.resize_({3});
            return R{part + 1};
          },
          kRows, "was created outside of the recorded operators"),
      network(
          "Inside.ResizedBesideAView",
          [](Tensors& x) {
            at::Tensor y = x[0] * 2, view = y.view({-1});
            y.resize_({0});
            return R{view + 1};
          },
          kRows),
      network(
          "Inside.ResizedInPart",
          [](Tensors& x) {
            at::Tensor y = x[0] * 2;
            y.resize_({1, 3});
            return R{y};
          },
          kRows, "was created outside of the recorded operators"),
      made(
          "Captured.Quantised",
          [] {
            const at::Tensor held = at::quantize_per_tensor(at::arange(3.f), 0.1, 7, at::kQInt8);
            return Code([=](Tensors& x) { return R{x[0] + held.dequantize(), held.int_repr() + 1}; });
          },
          kRows),
      network(
          "Inside.Quantised",
          [](Tensors& x) {
            const at::Tensor y = at::quantize_per_tensor(x[0], 0.1, 7, at::kQUInt8);
            return R{y.dequantize(), y.int_repr()};
          },
          kRows),
      network(
          "Inside.AHistogramThatGrowsItsTensors",
          [](Tensors& x) {
            at::Tensor counts = at::empty({0}), edges = at::empty({0});
            at::histogram_out(counts, edges, x[0], 4, std::vector<double>{-1, 2});
            return R{counts + 1, edges + 1};
          },
          kRows),
      network(
          "Inside.ATraceThatIsRefused",
          [](Tensors& x) {
            try {
              tonnx::Program::trace([](tonnx::Trace&) {}, tonnx::Args());
            } catch (const tonnx::Error& error) {
              if (error.status() != TONNX_STATUS_ARGUMENT) throw;
            }
            return R{x[0] * 2};
          },
          kRows),
      network(
          "Inside.AnIdleThread",
          [](Tensors& x) {
            std::thread([] { torch::randn({4, 4}).mm(torch::randn({4, 4})); }).join();
            return R{x[0] * 2};
          },
          kRows),
      network(
          "Inside.AnyModule",
          [](Tensors& x) {
            torch::nn::AnyModule any(torch::nn::Softmax(1));
            return R{any.forward(x[0])};
          },
          kRows),
      network(
          "Inside.AFunctorOfTorchNn",
          [](Tensors& x) {
            torch::nn::Sequential net(torch::nn::Functional(torch::relu), torch::nn::Functional(torch::sigmoid));
            return R{net->forward(x[0])};
          },
          kRows),
  };
}

}  // namespace callbacks
