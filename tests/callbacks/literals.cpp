#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

std::function<Tensors()> ints(std::vector<std::int64_t> sizes, at::ScalarType dtype = at::kLong) {
  return [=] { return Tensors{at::randint(1, 9, sizes, dtype)}; };
}

}  // namespace

// Numbers, and tensors of numbers, in the recorded code.
std::vector<Callback> literals() {
  return {
      equal("Literal.AddInt", [](Tensors& x) { return R{x[0] + 2}; }),
      equal("Literal.AddDouble", [](Tensors& x) { return R{x[0] + 2.5}; }),
      equal("Literal.ReversedSub", [](Tensors& x) { return R{2.5 - x[0]}; }),
      equal("Literal.ReversedDiv", [](Tensors& x) { return R{1 / (x[0].abs() + 1)}; }),
      equal(
          "Literal.IntByDouble", [](Tensors& x) { return R{x[0] * 2.5}; }, ints({2, 3})),
      equal(
          "Literal.Int32ByDouble", [](Tensors& x) { return R{x[0] / 2.5}; }, ints({2, 3}, at::kInt)),
      equal(
          "Literal.ByteByInt", [](Tensors& x) { return R{x[0] * 3}; }, ints({2, 3}, at::kByte)),
      equal(
          "Literal.IntByTensorOfDouble", [](Tensors& x) { return R{x[0] * torch::tensor(2.5, at::kDouble)}; },
          ints({2, 3})),
      equal(
          "Literal.Int32ByTensorOfFloat", [](Tensors& x) { return R{x[0] * torch::tensor(2.5f)}; },
          ints({2, 3}, at::kInt)),
      equal("Literal.PowNumber", [](Tensors& x) { return R{x[0].abs().pow(1.5)}; }),
      equal("Literal.NumberPow", [](Tensors& x) { return R{at::pow(2, x[0])}; }),
      equal("Literal.Compare", [](Tensors& x) { return R{x[0] > 0.25, x[0] <= 0, x[0] == 1}; }),
      equal("Literal.ClampNumbers", [](Tensors& x) { return R{x[0].clamp(-0.5, 0.5)}; }),
      equal("Literal.WhereNumbers", [](Tensors& x) { return R{at::where(x[0] > 0, x[0], 0.0)}; }),
      equal("Literal.RankZero", [](Tensors& x) { return R{x[0] * torch::tensor(3.0f)}; }),
      equal("Literal.RankZeroInt", [](Tensors& x) { return R{x[0] * torch::tensor(3)}; }),
      equal(
          "Literal.RankZeroOfInts", [](Tensors& x) { return R{x[0] * torch::tensor(3)}; }, ints({2, 3}, at::kInt)),
      equal("Literal.TensorOfFloats", [](Tensors& x) { return R{x[0] * torch::tensor({1.f, 2.f, 3.f})}; }),
      equal("Literal.TensorOfInts", [](Tensors& x) { return R{x[0] * torch::tensor({1, 2, 3})}; }),
      equal("Literal.TensorOfDoubles",
            [](Tensors& x) { return R{x[0] * torch::tensor({1.0, 2.0, 3.0}, at::kDouble)}; }),
      equal("Literal.AtTensorOfFloats", [](Tensors& x) { return R{x[0] * at::tensor({1.f, 2.f, 3.f})}; }),
      equal("Literal.AtTensorOfInts", [](Tensors& x) { return R{x[0] + at::tensor({4, 5, 6})}; }),
      equal("Literal.AtTensorOfZeros", [](Tensors& x) { return R{x[0] + at::tensor({0.f, 0.f, 0.f})}; }),
      equal("Literal.TensorOfBools",
            [](Tensors& x) { return R{x[0].masked_fill(torch::tensor({true, false, true}), 9)}; }),
      equal("Literal.NestedList",
            [](Tensors& x) { return R{at::mm(x[0], torch::tensor({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}))}; }),
      equal("Literal.EmptyList",
            [](Tensors& x) { return R{at::cat({x[0].flatten(), torch::tensor(std::vector<float>())})}; }),
      equal("Literal.OfAVector",
            [](Tensors& x) {
              const std::vector<float> values = {0.5f, 1.5f, 2.5f};
              return R{x[0] - torch::tensor(values)};
            }),
      equal("Literal.TensorThenView", [](Tensors& x) { return R{x[0] * torch::tensor({2.f, 3.f}).view({2, 1})}; }),
      equal("Literal.TensorThenUnsqueeze", [](Tensors& x) { return R{x[0] * torch::tensor({2.f, 3.f}).unsqueeze(1)}; }),
      equal("Literal.TensorThenTo", [](Tensors& x) { return R{x[0] * torch::tensor({2, 3, 4}).to(at::kFloat)}; }),
      equal("Literal.TensorThenCompute",
            [](Tensors& x) { return R{x[0] + torch::tensor({2.f, 3.f, 4.f}).sqrt().exp()}; }),
      equal("Literal.TensorOption",
            [](Tensors& x) { return R{x[0].to(at::kDouble) * torch::tensor({1, 2, 3}, at::kDouble)}; }),
      equal(
          "Literal.RequiresGrad",
          [](Tensors& x) { return R{x[0] * torch::tensor({1.f, 2.f, 3.f}, at::TensorOptions().requires_grad(true))}; }),
      equal("Literal.Twice",
            [](Tensors& x) {
              const at::Tensor t = torch::tensor({1.f, 2.f, 3.f});
              return R{x[0] * t + t};
            }),
      equal("Literal.IsAnOutput", [](Tensors& x) { return R{torch::tensor({1.f, 2.f}), x[0] + 1}; }),
      equal("Literal.Scalar", [](Tensors& x) { return R{x[0] + at::scalar_tensor(1.5)}; }),
      equal("Literal.ScalarToTensor", [](Tensors& x) { return R{x[0] + c10::scalar_to_tensor(1.5)}; }),
      equal(
          "Literal.ScalarToTensorOfInts", [](Tensors& x) { return R{x[0] + c10::scalar_to_tensor(1.5)}; },
          ints({2, 3})),
      equal("Literal.Zeros", [](Tensors& x) { return R{x[0] + at::zeros({2, 3})}; }),
      equal("Literal.Ones", [](Tensors& x) { return R{x[0] + at::ones({3})}; }),
      equal("Literal.Full", [](Tensors& x) { return R{x[0] + at::full({2, 1}, 7.5)}; }),
      equal("Literal.Eye", [](Tensors& x) { return R{at::mm(x[0], at::eye(3))}; }),
      equal("Literal.Arange", [](Tensors& x) { return R{x[0] + at::arange(3)}; }),
      equal("Literal.Linspace", [](Tensors& x) { return R{x[0] + at::linspace(0, 1, 3)}; }),
      equal("Literal.ZerosLike", [](Tensors& x) { return R{at::zeros_like(x[0]) + x[0].sum()}; }),
      equal("Literal.FullLike", [](Tensors& x) { return R{at::full_like(x[0], 3) * x[0]}; }),
      equal("Literal.NewFull", [](Tensors& x) { return R{x[0].new_full({3}, 2) * x[0]}; }),
      equal("Literal.NewTensorOfZeros", [](Tensors& x) { return R{x[0].new_zeros({3}) + x[0]}; }),
      equal("Literal.Tril", [](Tensors& x) { return R{at::mm(x[0], at::ones({3, 3}).tril())}; }),
      equal("Literal.ComplexNumber",
            [](Tensors& x) { return R{at::real(at::complex(x[0], x[0]) * c10::complex<double>(2, 0))}; }),
      equal("Literal.AlphaAndBeta", [](Tensors& x) { return R{at::addmm(x[0], x[0], at::eye(3), 0.5, 2)}; }),
      equal("Literal.AddWithAlpha", [](Tensors& x) { return R{x[0].add(x[0], 0.25)}; }),
      equal("Literal.Fill", [](Tensors& x) { return R{at::empty({3}).fill_(4) * x[0]}; }),
      equal("Literal.BoolByNumbers",
            [](Tensors& x) {
              return R{x[0] * true, x[0] + false, x[0].round().to(at::kInt) + true, at::pow(x[0], true), x[0] > false};
            }),
      equal("Literal.BoolByBools",
            [](Tensors& x) {
              const at::Tensor mask = x[0] > 0;
              return R{mask * true, mask + false, mask & true, mask ^ true, mask == true};
            }),
      equal("Literal.BoolChosen",
            [](Tensors& x) {
              const at::Tensor mask = x[0] > 0;
              return R{at::where(mask, true, false), at::where(mask, x[0], true), at::where(mask, mask, false),
                       at::where(mask, 2, true)};
            }),
      equal("Literal.BoolFull",
            [](Tensors& x) {
              return R{at::full({2, 3}, true, at::kBool), at::full({2}, true), at::full_like(x[0], true),
                       at::scalar_tensor(true), x[0].masked_fill(at::scalar_tensor(true, at::kBool), true)};
            }),
      warned_in_single_run("Number.Item", "aten::sum", [](Tensors& x) { return R{x[0] * x[0].sum().item<double>()}; }),
      warned_in_single_run("Number.ItemOfAView", "aten::select",
                           [](Tensors& x) { return R{x[0] * x[0][0][0].item<float>()}; }),
      warned_in_single_run(
          "Number.ItemOfAnInput", "input 'input'", [](Tensors& x) { return R{x[0] * x[0].item<float>()}; },
          floats({{}})),
      warned_in_single_run("Number.Equal", "read as a number",
                           [](Tensors& x) { return R{at::equal(x[0], x[0] + 1) ? x[0] * 2 : x[0] * 3}; }),
      warned_in_single_run("Number.IsNonzero", "read as a number",
                           [](Tensors& x) { return R{(x[0].sum() > 1e9).is_nonzero() ? x[0] * 2 : x[0] * 3}; }),
      equal("Number.ItemOfALiteral", [](Tensors& x) { return R{x[0] * torch::tensor({3.f}).item<float>()}; }),
      equal("Number.Size", [](Tensors& x) { return R{x[0] / static_cast<double>(x[0].size(1))}; }),
      equal("Number.Numel", [](Tensors& x) { return R{x[0].sum() / x[0].numel()}; }),
      equal("Number.DimAndStride", [](Tensors& x) { return R{x[0] * x[0].dim() + x[0].stride(0)}; }),
  };
}

}  // namespace callbacks
