#include <torch/data/transforms/tensor.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/functional/upsampling.h>
#include <torch/nn/functional/vision.h>

#include "callback.h"

namespace callbacks {

namespace {

namespace F = torch::nn::functional;
using R = Tensors;
using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

const auto kImages = with_rows({3, 8, 10});

F::InterpolateFuncOptions to_size(const std::vector<std::int64_t>& size) {
  return F::InterpolateFuncOptions().size(size);
}

Tensors bytes(std::int64_t rows) { return {at::randint(0, 256, {rows, 8, 10, 3}, at::kByte)}; }
Tensors labels(std::int64_t rows) { return {at::randint(0, 5, {rows}, at::kLong)}; }
Tensors boxes(std::int64_t rows) { return {at::rand({rows, 4}) + at::tensor({0.f, 0.f, 1.f, 1.f})}; }

}  // namespace

// Preprocessing and postprocessing of images.
std::vector<Network> images() {
  return {
      network(
          "Image.BytesToFloats",
          [](Tensors& x) {
            const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
            const at::Tensor y = x[0].permute({0, 3, 1, 2}).to(at::kFloat).div(255);
            return R{(y - torch::from_blob(const_cast<float*>(mean), {3}).view({1, 3, 1, 1})) /
                     torch::from_blob(const_cast<float*>(deviation), {3}).view({1, 3, 1, 1})};
          },
          bytes),
      network(
          "Image.NormalizeOfTorchData",
          [](Tensors& x) {
            torch::data::transforms::Normalize<> normalize({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225});
            return R{normalize(x[0])};
          },
          kImages),
      made(
          "Image.NormalizeMadeBefore",
          [] {
            auto normalize =
                std::make_shared<torch::data::transforms::Normalize<>>(at::ArrayRef<double>{0.5, 0.4, 0.3}, 0.25);
            return Code([=](Tensors& x) { return R{(*normalize)(x[0])}; });
          },
          kImages),
      network(
          "Image.ChannelByChannel",
          [](Tensors& x) {
            const at::Tensor y = x[0].clone();
            const double mean[] = {0.1, 0.2, 0.3};
            for (int c = 0; c < 3; ++c) y.select(1, c).sub_(mean[c]).div_(0.5 + c);
            return R{y};
          },
          kImages),
      network(
          "Image.SwappedChannels", [](Tensors& x) { return R{x[0].index_select(1, torch::tensor({2, 1, 0}))}; },
          kImages),
      network(
          "Image.Gray",
          [](Tensors& x) { return R{(x[0] * torch::tensor({0.299f, 0.587f, 0.114f}).view({3, 1, 1})).sum(1, true)}; },
          kImages),
      network(
          "Image.ByItsOwnStatistics",
          [](Tensors& x) { return R{(x[0] - x[0].mean({2, 3}, true)) / (x[0].std({2, 3}, true, true) + 1e-5)}; },
          kImages),
      network(
          "Image.ResizedBilinear",
          [](Tensors& x) {
            return R{F::interpolate(x[0], to_size({5, 7}).mode(torch::kBilinear).align_corners(false))};
          },
          kImages),
      network(
          "Image.ResizedByAFactor",
          [](Tensors& x) {
            const std::vector<double> factors = {2, 1.5};
            return R{F::interpolate(x[0], F::InterpolateFuncOptions().scale_factor(factors).mode(torch::kNearest))};
          },
          kImages),
      network(
          "Image.ResizedBicubic",
          [](Tensors& x) {
            return R{F::interpolate(x[0], to_size({12, 15}).mode(torch::kBicubic).align_corners(true))};
          },
          kImages),
      network(
          "Image.CenterCrop",
          [](Tensors& x) {
            const std::int64_t top = (x[0].size(2) - 4) / 2, left = (x[0].size(3) - 6) / 2;
            return R{x[0].index({Slice(), Slice(), Slice(top, top + 4), Slice(left, left + 6)})};
          },
          kImages),
      network(
          "Image.FiveCrops",
          [](Tensors& x) {
            std::vector<at::Tensor> crops;
            for (const std::int64_t top : {0, 4})
              for (const std::int64_t left : {0, 6}) crops.push_back(x[0].narrow(2, top, 4).narrow(3, left, 4));
            crops.push_back(x[0].narrow(2, 2, 4).narrow(3, 3, 4));
            return R{at::stack(crops, 1).mean(1)};
          },
          kImages),
      network(
          "Image.PaddedToASquare",
          [](Tensors& x) {
            const std::int64_t missing = x[0].size(3) - x[0].size(2);
            return R{F::pad(x[0], F::PadFuncOptions({0, 0, missing / 2, missing - missing / 2}).value(0.5))};
          },
          kImages),
      network(
          "Image.PaddedByReflection",
          [](Tensors& x) { return R{F::pad(x[0], F::PadFuncOptions({2, 1, 3, 0}).mode(torch::kReflect))}; }, kImages),
      network(
          "Image.Letterbox",
          [](Tensors& x) {
            const double scale = std::min(16.0 / double(x[0].size(2)), 16.0 / double(x[0].size(3)));
            const auto height = std::int64_t(double(x[0].size(2)) * scale),
                       width = std::int64_t(double(x[0].size(3)) * scale);
            const at::Tensor y = F::interpolate(x[0], to_size({height, width}).mode(torch::kNearest));
            at::Tensor canvas = torch::full({x[0].size(0), 3, 16, 16}, 0.5);
            canvas.index_put_({Slice(), Slice(), Slice(0, height), Slice(0, width)}, y);
            return R{canvas};
          },
          kImages),
      network(
          "Image.Erased",
          [](Tensors& x) {
            at::Tensor y = x[0].clone();
            y.index_put_({Ellipsis, Slice(2, 5), Slice(1, 4)}, 0.5);
            return R{y};
          },
          kImages),
      network(
          "Image.MirroredAndAveraged", [](Tensors& x) { return R{(x[0] + x[0].flip({3})) / 2}; }, kImages),
      network(
          "Image.Patches",
          [](Tensors& x) {
            return R{x[0].unfold(2, 4, 4).unfold(3, 5, 5).permute({0, 2, 3, 1, 4, 5}).reshape({x[0].size(0), 4, 60})};
          },
          kImages),
      network(
          "Image.PixelShuffle", [](Tensors& x) { return R{at::pixel_shuffle(x[0].repeat({1, 4, 1, 1}), 2)}; }, kImages),
      network(
          "Image.Rotated",
          [](Tensors& x) {
            const at::Tensor theta =
                torch::tensor({{0.8f, -0.6f, 0.f}, {0.6f, 0.8f, 0.1f}}).expand({x[0].size(0), 2, 3});
            const at::Tensor grid = F::affine_grid(theta, {x[0].size(0), 3, 8, 10}, false);
            const auto options =
                F::GridSampleFuncOptions().mode(torch::kBilinear).padding_mode(torch::kZeros).align_corners(false);
            return R{F::grid_sample(x[0], grid, options)};
          },
          kImages),
      network(
          "Image.CoordinateChannels",
          [](Tensors& x) {
            const std::int64_t count = x[0].size(0), height = x[0].size(2), width = x[0].size(3);
            const at::Tensor rows = torch::linspace(-1, 1, height).view({1, 1, -1, 1}).expand({count, 1, -1, width});
            const at::Tensor columns = torch::linspace(-1, 1, width).expand({count, 1, height, -1});
            return R{at::cat({x[0], rows, columns}, 1)};
          },
          kImages),
      network(
          "Image.BackToBytes", [](Tensors& x) { return R{(x[0] * 255).clamp(0, 255).to(at::kByte)}; }, kImages),
      network(
          "Image.TopClasses",
          [](Tensors& x) {
            const auto [score, label] = x[0].flatten(1).softmax(1).topk(5, 1);
            return R{score, label};
          },
          kImages),
      network(
          "Image.ClassMap", [](Tensors& x) { return R{x[0].argmax(1), x[0].softmax(1)}; }, kImages),
      network(
          "Image.Palette",
          [](Tensors& x) {
            const at::Tensor palette = torch::tensor({0, 0, 0, 128, 0, 0, 0, 128, 0}, at::kByte).view({3, 3});
            return R{palette.index({x[0].argmax(1)})};
          },
          kImages),
      network(
          "Label.OneHot", [](Tensors& x) { return R{at::one_hot(x[0], 5).to(at::kFloat)}; }, labels),
      network(
          "Label.OneHotByComparison", [](Tensors& x) { return R{x[0].unsqueeze(1) == at::arange(5)}; }, labels),
      network(
          "Label.Smoothed",
          [](Tensors& x) {
            const at::Tensor y = torch::full({x[0].size(0), 5}, 0.1 / 4);
            return R{y.scatter_(1, x[0].unsqueeze(1), 0.9)};
          },
          labels),
      network(
          "Label.LookedUp",
          [](Tensors& x) {
            const std::vector<float> weights = {1, 2, 3, 4, 5};
            return R{torch::tensor(weights).index({x[0]})};
          },
          labels),
      network(
          "Box.Corners",
          [](Tensors& x) {
            const auto part = x[0].unbind(1);
            return R{at::stack(
                {part[0] - part[2] / 2, part[1] - part[3] / 2, part[0] + part[2] / 2, part[1] + part[3] / 2}, 1)};
          },
          boxes),
      network(
          "Box.Overlaps",
          [](Tensors& x) {
            const at::Tensor a = x[0].unsqueeze(1), b = x[0].unsqueeze(0);
            const at::Tensor low = at::maximum(a.slice(2, 0, 2), b.slice(2, 0, 2)),
                             high = at::minimum(a.slice(2, 2), b.slice(2, 2));
            const at::Tensor common = (high - low).clamp_min(0).prod(2);
            const at::Tensor area = (x[0].slice(1, 2) - x[0].slice(1, 0, 2)).prod(1);
            return R{common / (area.unsqueeze(1) + area.unsqueeze(0) - common)};
          },
          boxes),
      network(
          "Box.Clipped",
          [](Tensors& x) {
            const at::Tensor y = x[0].clone();
            y.index({Slice(), Slice(0, None, 2)}).clamp_(0, 1);
            y.index({Slice(), Slice(1, None, 2)}).clamp_(0, 0.5);
            return R{y};
          },
          boxes),
      network(
          "Box.KeptByScore",
          [](Tensors& x) {
            const at::Tensor score = x[0].select(1, 0);
            return R{x[0].index({score > 0.5})};
          },
          boxes),
      network(
          "Box.Sorted",
          [](Tensors& x) { return R{x[0].index_select(0, x[0].select(1, 0).argsort(std::int64_t{0}, true))}; }, boxes),
      network(
          "Box.SuppressedOnTheHost",
          [](Tensors& x) {
            const at::Tensor order = x[0].select(1, 0).argsort(std::int64_t{0}, true);
            std::vector<std::int64_t> kept;
            for (std::int64_t i = 0; i < order.size(0); ++i)
              if (x[0][order[i].item<std::int64_t>()][1].item<float>() > 0.3)
                kept.push_back(order[i].item<std::int64_t>());
            return R{x[0].index_select(0, torch::tensor(kept, at::kLong)).sum(0)};
          },
          boxes, "outside of the recorded operators"),
      network(
          "Box.Anchors",
          [](Tensors& x) {
            const auto grid = torch::meshgrid({torch::arange(4), torch::arange(3)}, "ij");
            const at::Tensor anchors = at::stack({grid[1], grid[0]}, -1).view({1, -1, 2}).to(at::kFloat) * 8 + 4;
            return R{x[0].unsqueeze(1).slice(2, 0, 2) + anchors};
          },
          boxes),
  };
}

}  // namespace callbacks
