#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

const auto cube = floats({{2, 3, 4}});

// as_strided() of a view that is not contiguous.
Callback strides_of(const std::string& name, at::Tensor (*view)(const at::Tensor&)) {
  const Code code = [view](Tensors& x) { return R{view(x[0]).as_strided({2, 2}, {2, 1})}; };
  return refused("View.AsStridedOf" + name, "aten::as_strided", [code] { return code; }, cube);
}

}  // namespace

// Views, shapes, random numbers, and operators that return their argument.
std::vector<Callback> views() {
  return {
      equal(
          "View.Chain",
          [](Tensors& x) { return R{x[0].view({6, 4}).t().unsqueeze(0).squeeze(0).reshape({2, 12}) * 2}; }, cube),
      equal(
          "View.Permute", [](Tensors& x) { return R{x[0].permute({2, 0, 1}).contiguous()}; }, cube),
      equal(
          "View.Flatten", [](Tensors& x) { return R{x[0].flatten(1) + 1}; }, cube),
      equal(
          "View.Unflatten", [](Tensors& x) { return R{x[0].unflatten(2, {2, 2})}; }, cube),
      equal(
          "View.Expand", [](Tensors& x) { return R{x[0].unsqueeze(0).expand({5, -1, -1, -1}).sum(0)}; }, cube),
      equal(
          "View.ExpandAs", [](Tensors& x) { return R{x[0][0].expand_as(x[0]) * x[0]}; }, cube),
      equal(
          "View.Chunk",
          [](Tensors& x) {
            const auto parts = x[0].chunk(2, 2);
            return R{parts[0] * parts[1]};
          },
          cube),
      equal(
          "View.SplitSizes",
          [](Tensors& x) {
            const auto parts = x[0].split_with_sizes({1, 3}, 2);
            return R{parts[0] * parts[1]};
          },
          cube),
      equal(
          "View.Unbind",
          [](Tensors& x) {
            at::Tensor y = at::zeros({2, 4});
            for (const at::Tensor& part : x[0].unbind(1)) y = y * 0.5 + part;
            return R{y};
          },
          cube),
      equal(
          "View.UnbindWritten",
          [](Tensors& x) {
            const at::Tensor y = x[0].clone();
            y.unbind(0)[1].zero_();
            return R{y};
          },
          cube),
      equal(
          "View.Diagonal", [](Tensors& x) { return R{x[0].diagonal(0, 1, 2) + 1}; }, cube),
      equal(
          "View.MoveDim", [](Tensors& x) { return R{x[0].movedim(0, 2)}; }, cube),
      equal(
          "View.AsStrided", [](Tensors& x) { return R{x[0].as_strided({2, 2}, {4, 1}, 1)}; }, cube),
      equal(
          "View.AsStridedOfRows", [](Tensors& x) { return R{x[0].unbind(0)[1].as_strided({2, 2}, {2, 1})}; }, cube),
      equal(
          "View.AsStridedOfTransposed", [](Tensors& x) { return R{x[0].transpose(0, 2).as_strided({2, 2}, {2, 1})}; },
          cube),
      strides_of("Column", [](const at::Tensor& x) { return x.unbind(2)[0]; }),
      strides_of("Chunk", [](const at::Tensor& x) { return x.chunk(2, 2)[1]; }),
      strides_of("EverySecond", [](const at::Tensor& x) { return x.slice(2, 0, 4, 2); }),
      equal(
          "View.Unfold", [](Tensors& x) { return R{x[0].unfold(2, 2, 1)}; }, cube),
      equal(
          "View.SizesInArithmetic",
          [](Tensors& x) { return R{x[0].view({x[0].size(0) * x[0].size(1), x[0].size(2)})}; }, cube),
      equal(
          "View.Stack", [](Tensors& x) { return R{at::stack({x[0], x[0] * 2}, 1)}; }, cube),
      equal(
          "View.Repeat", [](Tensors& x) { return R{x[0].repeat({1, 2, 1})}; }, cube),
      equal(
          "View.Roll", [](Tensors& x) { return R{x[0].roll(1, 1)}; }, cube),
      equal(
          "View.Flip", [](Tensors& x) { return R{x[0].flip({1})}; }, cube),
      equal(
          "View.ContiguousOfTheContiguous", [](Tensors& x) { return R{x[0].contiguous().add_(1), x[0] * 2}; }, cube),
      equal(
          "View.ToOfTheSame", [](Tensors& x) { return R{x[0].to(at::kFloat).add_(1), x[0] * 2}; }, cube),
      equal(
          "View.Real", [](Tensors& x) { return R{at::view_as_real(at::complex(x[0], x[0] + 1))}; }, cube),
      equal(
          "View.OfNothing", [](Tensors& x) { return R{x[0].slice(0, 0, 0), x[0] + 1}; }, cube),
      equal("Pass.Input", [](Tensors& x) { return R{x[0], x[0]}; }),
      equal("Pass.Alias", [](Tensors& x) { return R{x[0].alias() + 0}; }),
      equal("Pass.Lift", [](Tensors& x) { return R{at::lift_fresh(at::ones({3})) * x[0]}; }),
      equal("Pass.SameResultTwice",
            [](Tensors& x) {
              const at::Tensor y = x[0].exp();
              return R{y, y, y + y};
            }),
      equal("Pass.UnusedResult",
            [](Tensors& x) {
              x[0].exp();
              return R{x[0] + 1};
            }),
      equal(
          "Pass.TwoInputs", [](Tensors& x) { return R{at::mm(x[0], x[1])}; }, floats({{2, 3}, {3, 4}})),
      equal(
          "Pass.EmptyInput", [](Tensors& x) { return R{x[0] * 2, x[0].sum()}; }, floats({{0, 3}})),
      equal(
          "Pass.RankZeroInput", [](Tensors& x) { return R{x[0] * 2 + 1}; }, floats({{}})),
      equal("Random.TimesZero", [](Tensors& x) { return R{x[0] + at::rand({2, 3}) * 0}; }),
      equal("Random.Shape", [](Tensors& x) { return R{x[0] + at::randn_like(x[0]).gt(1e9).to(at::kFloat)}; }),
      equal("Random.DropoutInEval", [](Tensors& x) { return R{at::dropout(x[0], 0.5, false)}; }),
      equal("Random.DropoutOfNothing", [](Tensors& x) { return R{at::dropout(x[0], 0.0, true)}; }),
      equal("Random.InPlace", [](Tensors& x) { return R{at::empty({2, 3}).uniform_(0, 1).floor() + x[0]}; }),
      equal("Type.MixedDtypes", [](Tensors& x) { return R{x[0].to(at::kDouble) + x[0].to(at::kHalf)}; }),
      equal("Type.ToBoolAndBack", [](Tensors& x) { return R{(x[0] > 0).to(at::kFloat) * x[0]}; }),
      equal("Type.ThroughBFloat16", [](Tensors& x) { return R{x[0].to(at::kBFloat16).to(at::kFloat)}; }),
  };
}

}  // namespace callbacks
