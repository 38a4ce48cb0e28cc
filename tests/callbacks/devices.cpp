#include "callback.h"
#include "other_device.h"

namespace callbacks {
namespace {

using R = Tensors;

std::function<Tensors()> there(std::vector<std::vector<std::int64_t>> sizes) {
  return [=, here = floats(std::move(sizes))] {
    Tensors result = here();
    for (at::Tensor& tensor : result) tensor = tensor.to(other_device());
    return result;
  };
}

// A convolutional network with weights on the device.
Code network_code() {
  const auto weight = [](std::vector<std::int64_t> sizes) {
    return at::randn(sizes).to(other_device()).requires_grad_();
  };
  const at::Tensor mean = at::randn({4}).to(other_device()), variance = (at::rand({4}) + 0.5).to(other_device());
  return [=, filter = weight({4, 3, 3, 3}), scale = weight({4}), shift = weight({4}),
          linear = weight({2, 4})](Tensors& x) {
    const at::Tensor filtered = at::conv2d(x[0].to(other_device()), filter);
    const at::Tensor normal = at::batch_norm(filtered, scale, shift, mean, variance, false, 0.1, 1e-5, false);
    return R{at::linear(normal.relu().mean({2, 3}), linear)};
  };
}

}  // namespace

std::vector<Callback> devices() {
  const c10::Device device = other_device();
  const auto two = there({{2, 3}});
  return {
      fresh("Devices.Network", network_code, floats({{2, 3, 8, 8}})),
      fresh("Devices.NetworkAndInputThere", network_code, there({{2, 3, 8, 8}})),
      equal("Devices.ThereAndBack", [=](Tensors& x) { return R{(x[0].to(device) * 2).cpu()}; }),
      equal(
          "Devices.InputIsThere", [=](Tensors& x) { return R{x[0] + at::ones({3}, x[0].device())}; }, two),
      equal(
          "Devices.TwoInputs", [](Tensors& x) { return R{x[0] * x[1].to(x[0].device())}; },
          [=] { return R{at::randn({2, 3}).to(device), at::randn({3})}; }),
      fresh(
          "Devices.Captured", [=] { return [w = at::randn({3}).to(device)](Tensors& x) { return R{x[0] * w}; }; }, two),
      fresh(
          "Devices.CapturedWithGradient",
          [=] { return [w = at::randn({3}).to(device).requires_grad_()](Tensors& x) { return R{x[0] * w}; }; }, two),
      fresh(
          "Devices.CapturedViewsOfOne",
          [=] { return [w = at::randn({4, 3}).to(device)](Tensors& x) { return R{x[0] * w[0] + w.select(1, 1)[2]}; }; },
          two),
      run_once(fresh(
          "Devices.WritesToWhatItCaptured",
          [=] {
            return [w = at::zeros({2, 3}).to(device)](Tensors& x) {
              w[0].add_(x[0][1]);
              return R{w + 1};
            };
          },
          two)),
      equal(
          "Devices.WriteThroughAView",
          [](Tensors& x) {
            at::Tensor y = x[0] + 0;
            y[0].mul_(3);
            y.select(1, 1).fill_(7);
            return R{y};
          },
          two),
      equal(
          "Devices.WriteToTheInput",
          [](Tensors& x) {
            x[0].select(1, 0).add_(5);
            return R{x[0] * 2};
          },
          two),
      equal(
          "Devices.Data",
          [](Tensors& x) {
            at::Tensor y = x[0] + 1;
            y.data().mul_(2);
            return R{y};
          },
          two),
      equal(
          "Devices.Detached",
          [](Tensors& x) {
            at::Tensor y = x[0] + 1;
            y.detach().mul_(2);
            return R{y};
          },
          two),
      equal(
          "Devices.FilledInPlaces",
          [=](Tensors& x) {
            at::Tensor y = at::zeros({4, 3}, device);
            y.slice(0, 1, 3).copy_(x[0]);
            return R{y};
          },
          two),
      equal(
          "Devices.Uninitialised",
          [=](Tensors& x) {
            at::Tensor y = at::empty({2, 3}, device);
            y[0] = x[0][1];
            y[1] = 4;
            return R{y};
          },
          two),
      equal(
          "Devices.Mask", [](Tensors& x) { return R{x[0].masked_fill(x[0] < 0, 9)}; }, two),
      equal(
          "Devices.Index",
          [=](Tensors& x) { return R{x[0].index_select(1, at::tensor({2, 0}, at::kLong).to(device))}; }, two),
      equal(
          "Devices.HalfPrecision", [](Tensors& x) { return R{(x[0].to(at::kHalf) * 2).to(at::kFloat)}; }, two),
      equal(
          "Devices.WholeNumbers", [](Tensors& x) { return R{x[0].to(at::kLong) + 1}; }, two),
      refused(
          "Devices.BranchOnAnElement", "runs where",
          [] { return [](Tensors& x) { return R{x[0].sum().item<float>() > 0 ? x[0] + 1 : x[0] - 1}; }; }, two),
      warned_in_single_run(
          "Devices.NumberOnTheHost", "read as a number", [](Tensors& x) { return R{x[0] * x[0].max().item<float>()}; },
          two),
      refused(
          "Devices.HostMemory", "written to outside",
          [] {
            return [](Tensors& x) {
              at::Tensor here = x[0].cpu();
              here.data_ptr<float>()[0] = 7;
              return R{here + 1};
            };
          },
          two),
  };
}

}  // namespace callbacks
