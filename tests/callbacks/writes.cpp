#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

}  // namespace

// In-place writes, and writes that bypass the recording: data(), set_data() and similar functions.
std::vector<Callback> writes() {
  return {
      equal("InPlace.Add",
            [](Tensors& x) {
              x[0].add_(1);
              return R{x[0] * 2};
            }),
      equal("InPlace.Chain", [](Tensors& x) { return R{x[0].mul_(2).add_(1).relu_()}; }),
      equal("InPlace.Operators",
            [](Tensors& x) {
              at::Tensor y = x[0] * 1;
              y += 2;
              y *= x[0];
              y -= 0.5;
              y /= 4;
              return R{y};
            }),
      equal("InPlace.OnAView",
            [](Tensors& x) {
              x[0].select(1, 2).zero_();
              return R{x[0] + 1};
            }),
      equal("InPlace.OnAViewOfAView",
            [](Tensors& x) {
              x[0].t().slice(0, 1).unsqueeze(0).fill_(3);
              return R{x[0] + 1};
            }),
      equal("InPlace.SeenThroughAnOlderView",
            [](Tensors& x) {
              const at::Tensor row = x[0][1];
              x[0].mul_(3);
              return R{row, x[0]};
            }),
      equal("InPlace.Copy",
            [](Tensors& x) {
              const at::Tensor y = at::zeros({2, 3});
              y.copy_(x[0]);
              return R{y * 2};
            }),
      equal("InPlace.CopyBroadcast",
            [](Tensors& x) {
              const at::Tensor y = at::zeros({2, 3});
              y.copy_(x[0][0]);
              return R{y * 2};
            }),
      equal("InPlace.CopyOfAnotherDtype",
            [](Tensors& x) {
              const at::Tensor y = at::zeros({2, 3}, at::kDouble);
              y.copy_(x[0]);
              return R{y * 2};
            }),
      equal("InPlace.MaskedFill", [](Tensors& x) { return R{x[0].masked_fill_(x[0] > 0, 9)}; }),
      equal("InPlace.Scatter",
            [](Tensors& x) { return R{x[0].scatter_(1, torch::tensor({{1}, {0}}), torch::tensor({{5.f}, {6.f}}))}; }),
      equal("InPlace.IndexAdd",
            [](Tensors& x) { return R{x[0].index_add_(1, torch::tensor({0, 0}), at::ones({2, 2}))}; }),
      equal("InPlace.Transpose",
            [](Tensors& x) {
              x[0].t_();
              return R{x[0] + 1};
            }),
      equal("InPlace.Unsqueeze",
            [](Tensors& x) {
              x[0].unsqueeze_(0);
              return R{x[0] * 2};
            }),
      equal("InPlace.OnALiteral",
            [](Tensors& x) {
              const at::Tensor w = torch::tensor({1.f, 2.f, 3.f});
              w.mul_(2);
              return R{x[0] * w};
            }),
      equal("InPlace.LiteralIntoResult",
            [](Tensors& x) {
              const at::Tensor w = torch::tensor({1.f, 2.f, 3.f});
              w.mul_(x[0][0]);
              return R{x[0] * w};
            }),
      equal(
          "InPlace.Swap",
          [](Tensors& x) {
            std::swap(x[0], x[1]);
            return R{x[0] - x[1] * 2};
          },
          floats({{2, 3}, {2, 3}})),
      equal("InPlace.Loop",
            [](Tensors& x) {
              const at::Tensor y = at::zeros({2});
              for (int i = 0; i < 3; ++i) y.add_(x[0].select(1, i) * i);
              return R{y};
            }),
      equal("Data.Read", [](Tensors& x) { return R{x[0].data() * 2}; }),
      equal("Data.TensorData", [](Tensors& x) { return R{x[0].tensor_data() * 2}; }),
      equal("Data.VariableData", [](Tensors& x) { return R{x[0].variable_data() * 2}; }),
      equal("Data.OfAResult",
            [](Tensors& x) {
              const at::Tensor y = x[0].exp();
              return R{y.data() + y};
            }),
      equal("Data.OfAView", [](Tensors& x) { return R{x[0].t().data() + 1}; }),
      equal("Data.AsAnOutput", [](Tensors& x) { return R{x[0].data(), x[0] + 1}; }),
      equal("Data.Detach", [](Tensors& x) { return R{x[0].detach() * 2}; }),
      equal("Data.ReadLater",
            [](Tensors& x) {
              const at::Tensor old = x[0].data();
              x[0].mul_(2);
              return R{old + 1};
            }),
      equal("Data.Written",
            [](Tensors& x) {
              const at::Tensor y = x[0].relu();
              y.data().mul_(2);
              return R{y + 1};
            }),
      equal("Data.WrittenOnAnInput",
            [](Tensors& x) {
              x[0].data().add_(2);
              return R{x[0] * 3};
            }),
      equal("Data.ViewOfData",
            [](Tensors& x) {
              x[0].data().select(0, 1).zero_();
              return R{x[0] * 3};
            }),
      equal("SetData.OfAResult",
            [](Tensors& x) {
              at::Tensor y = x[0].relu();
              y.set_data(x[0].exp());
              return R{y + 1};
            }),
      equal("SetData.OfALiteral",
            [](Tensors& x) {
              at::Tensor y = x[0].relu();
              y.set_data(at::ones({2, 3}));
              return R{y + x[0]};
            }),
      equal("SetData.OfAnInput",
            [](Tensors& x) {
              x[0].set_data(x[0] * 2);
              return R{x[0] + 1};
            }),
      equal("SetData.OfAnotherSize",
            [](Tensors& x) {
              at::Tensor y = x[0].relu();
              y.set_data(x[0].sum(0));
              return R{y + 1};
            }),
      equal("Grad.NoGrad",
            [](Tensors& x) {
              const at::NoGradGuard off;
              return R{x[0] * 2};
            }),
      equal("Grad.RequiresGrad",
            [](Tensors& x) {
              x[0].requires_grad_();
              return R{(x[0] * x[0]).exp()};
            }),
      equal("Grad.DetachedInPlace",
            [](Tensors& x) {
              at::Tensor y = x[0] * 2;
              y.detach_();
              return R{y + 1};
            }),
      run_once(fresh("Grad.ParameterWrittenWithoutGrad",
                     [] {
                       const at::Tensor w = at::rand({3}).requires_grad_();
                       return Code([=](Tensors& x) {
                         {
                           const at::NoGradGuard off;
                           w.mul_(2);
                         }
                         return R{x[0] * w};
                       });
                     })),
      equal("Grad.InferenceMode",
            [](Tensors& x) {
              const c10::InferenceMode on;
              return R{at::relu(x[0] * 2).clone()};
            }),
  };
}

}  // namespace callbacks
