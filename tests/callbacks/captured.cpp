#include "callback.h"

namespace callbacks {

namespace {

using R = Tensors;

// x times a tensor of this dtype that is created before the recording.
Callback by_dtype(const char* name, at::ScalarType dtype) {
  return fresh(std::string("CapturedDtype.") + name, [=] {
    const at::Tensor w = at::tensor({0.f, 1.f, 3.f}).to(dtype);
    return Code([=](Tensors& x) { return R{x[0] * w.to(at::kFloat)}; });
  });
}

Callback by_promotion(const char* name, at::ScalarType dtype) {
  return fresh(std::string("CapturedPromotion.") + name, [=] {
    const at::Tensor w = at::tensor({0.f, 1.f, 3.f}).to(dtype), scalar = at::tensor(2.f).to(dtype).reshape({});
    return Code([=](Tensors& x) { return R{(x[0] * w).to(at::kFloat), (x[0] + scalar).to(at::kFloat)}; });
  });
}

Callback by_view(const char* name, std::function<at::Tensor()> make) {
  return fresh(std::string("CapturedView.") + name, [=] {
    const at::Tensor w = make();
    return Code([=](Tensors& x) { return R{x[0] * w, w + 1}; });
  });
}

}  // namespace

// Tensors that the code captures and does not declare.
std::vector<Callback> captured() {
  std::vector<Callback> result = {
      by_dtype("Bool", at::kBool),
      by_dtype("Byte", at::kByte),
      by_dtype("Char", at::kChar),
      by_dtype("Short", at::kShort),
      by_dtype("Int", at::kInt),
      by_dtype("Long", at::kLong),
      by_dtype("Half", at::kHalf),
      by_dtype("BFloat16", at::kBFloat16),
      by_dtype("Float", at::kFloat),
      by_dtype("Double", at::kDouble),
      by_promotion("Byte", at::kByte),
      by_promotion("Int", at::kInt),
      by_promotion("Long", at::kLong),
      by_promotion("Half", at::kHalf),
      by_promotion("Double", at::kDouble),
      by_view("Transposed", [] { return at::rand({3, 2}).t(); }),
      by_view("Sliced", [] { return at::rand({4, 9}).slice(0, 1, 3).slice(1, 2, 9, 3); }),
      by_view("Expanded", [] { return at::rand({1, 3}).expand({2, 3}); }),
      by_view("ExpandedScalar", [] { return at::rand({}).expand({2, 3}); }),
      by_view("Diagonal", [] { return at::rand({3, 3}).diagonal(); }),
      by_view("RankZero", [] { return at::rand({}); }),
      by_view("ElementOfAVector", [] { return at::rand({5})[3]; }),
      by_view("OfALargeStorage", [] { return at::rand({1000, 3})[500]; }),
      by_view("OverlappingStrides", [] { return at::rand({4}).as_strided({2, 3}, {1, 1}); }),
      by_view("RequiresGrad", [] { return at::rand({3}).requires_grad_(); }),
      by_view("ComputedWithGrad", [] { return at::rand({3}).requires_grad_() * 2; }),
      by_view("NegativeView", [] { return at::imag(at::conj(at::complex(at::rand({3}), at::rand({3})))); }),
  };
  const std::vector<Callback> more = {
      fresh("Captured.Complex",
            [] {
              const at::Tensor w = at::complex(at::rand({3}), at::rand({3}));
              return Code([=](Tensors& x) { return R{x[0] * at::real(w).contiguous()}; });
            }),
      fresh("Captured.Conjugate",
            [] {
              const at::Tensor w = at::conj(at::complex(at::rand({3}), at::rand({3})));
              return Code([=](Tensors& x) { return R{x[0] * at::imag(w)}; });
            }),
      fresh("Captured.Empty",
            [] {
              const at::Tensor w = at::rand({0, 3});
              return Code([=](Tensors& x) { return R{at::cat({x[0], w})}; });
            }),
      fresh("Captured.Matrix",
            [] {
              const at::Tensor w = at::rand({3, 5});
              return Code([=](Tensors& x) { return R{at::mm(x[0], w)}; });
            }),
      fresh("Captured.TwoViewsOfOne",
            [] {
              const at::Tensor w = at::rand({2, 3}), first = w[0], second = w[1];
              return Code([=](Tensors& x) { return R{x[0] * first + second, x[0] + w}; });
            }),
      fresh("Captured.SameTwice",
            [] {
              const at::Tensor w = at::rand({3}), same = w.detach();
              return Code([=](Tensors& x) { return R{x[0] * w + same}; });
            }),
      fresh("Captured.IndexOfInts",
            [] {
              const at::Tensor at = at::tensor({2, 0}, at::kLong);
              return Code([=](Tensors& x) { return R{x[0].index_select(1, at)}; });
            }),
      fresh("Captured.IndexOfInt32",
            [] {
              const at::Tensor at = at::tensor({2, 0}, at::kInt);
              return Code([=](Tensors& x) { return R{x[0].index({at::indexing::Slice(), at})}; });
            }),
      fresh("Captured.MaskOfBools",
            [] {
              const at::Tensor mask = at::tensor({1, 0, 1}).to(at::kBool);
              return Code(
                  [=](Tensors& x) { return R{x[0].masked_fill(mask, -1), x[0].index({at::indexing::Slice(), mask})}; });
            }),
      fresh("Captured.InAList",
            [] {
              const Tensors w = {at::rand({2, 1}), at::rand({2, 2})};
              return Code([=](Tensors& x) { return R{at::cat({w[0], x[0], w[1]}, 1)}; });
            }),
      fresh("Captured.IsAnOutput",
            [] {
              const at::Tensor w = at::rand({3});
              return Code([=](Tensors& x) { return R{w, x[0] + w}; });
            }),
      run_once(fresh("Captured.Counter",
                     [] {
                       const at::Tensor count = at::zeros({});
                       return Code([=](Tensors& x) {
                         count.add_(1);
                         const at::Tensor y = x[0] * count;
                         count.add_(1);
                         return R{y, x[0] + count};
                       });
                     })),
      run_once(fresh("Captured.RunningSum",
                     [] {
                       const at::Tensor sum = at::ones({3});
                       return Code([=](Tensors& x) {
                         sum.add_(x[0].sum(0));
                         return R{x[0] / sum.abs()};
                       });
                     })),
      run_once(fresh("Captured.WrittenThroughAView",
                     [] {
                       const at::Tensor buffer = at::ones({2, 3});
                       return Code([=](Tensors& x) {
                         buffer[0].copy_(x[0][1]);
                         return R{buffer * 2};
                       });
                     })),
      refused("Captured.WrittenThroughAnOlderView", "created outside of the recorded operators",
              [] {
                const at::Tensor buffer = at::ones({2, 3}), row = buffer[0];
                return Code([=](Tensors& x) {
                  buffer.copy_(x[0]);
                  return R{row * 2};
                });
              }),
      refused("Captured.WrittenBesideAnOlderView", "written to through another tensor",
              [] {
                const at::Tensor buffer = at::ones({2, 3}), row = buffer[0];
                return Code([=](Tensors& x) {
                  const at::Tensor before = row * 2;
                  buffer.copy_(x[0]);
                  return R{before, row + x[0]};
                });
              }),
      run_once(fresh(
          "Captured.StatisticsOfTraining",
          [] {
            const at::Tensor mean = at::zeros({3}), var = at::ones({3});
            return Code([=](Tensors& x) {
              const at::Tensor y = at::batch_norm(x[0], {}, {}, mean, var, true, 0.5, 1e-5, false);
              return R{at::batch_norm(y * 2, {}, {}, mean, var, true, 0.5, 1e-5, false)};
            });
          },
          floats({{4, 3}}))),
      run_once(fresh(
          "Captured.StatisticsReadAfterTraining",
          [] {
            const at::Tensor mean = at::zeros({3}), var = at::ones({3});
            return Code([=](Tensors& x) {
              const at::Tensor y = at::batch_norm(x[0], {}, {}, mean, var, true, 0.5, 1e-5, false);
              return R{y, mean + 0};
            });
          },
          floats({{4, 3}}))),
      fresh("Captured.StatisticsOfEval",
            [] {
              const at::Tensor mean = at::rand({3}), var = at::rand({3}) + 1;
              return Code(
                  [=](Tensors& x) { return R{at::batch_norm(x[0], {}, {}, mean, var, false, 0.1, 1e-5, false)}; });
            }),
      fresh("Captured.SetBeforeItIsRead",
            [] {
              at::Tensor w = at::rand({3});
              w.set_data(at::ones({3}));
              return Code([=](Tensors& x) { return R{x[0] * w}; });
            }),
  };
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

}  // namespace callbacks
