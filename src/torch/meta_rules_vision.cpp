// Sampling and padding of images, and torchvision's operators, which need not be registered.
#include <array>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// grid_sampler(input, grid, ...): result has N and C of the input, spatial axes of grid
RuleOutcome grid_sampler(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  const at::Tensor& grid = call.tensor(1);
  TORCH_CHECK((input.dim() == 4 || input.dim() == 5) && grid.dim() == input.dim(),
              "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with ",
              "sizes ", input.sizes(), " and grid with sizes ", grid.sizes());
  TORCH_CHECK(input.size(0) == grid.size(0),
              "grid_sampler(): expected grid and input to have same batch size, but got "
              "input with sizes ",
              input.sizes(), " and grid with sizes ", grid.sizes());
  TORCH_CHECK(grid.size(-1) == input.dim() - 2, "grid_sampler(): expected grid to have size ", input.dim() - 2,
              " in last dimension, but got grid with sizes ", grid.sizes());
  std::vector<std::int64_t> sizes{input.size(0), input.size(1)};
  for (std::int64_t d = 1; d + 1 < grid.dim(); ++d) sizes.push_back(grid.size(d));
  call.add_result(meta_empty(sizes, input.scalar_type()));
  return RuleOutcome::Done;
}

// reflection_pad2d(self, padding: left, right, top, bottom)
RuleOutcome reflection_pad2d(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const auto padding = call.integers(1, 4);
  TORCH_CHECK(self.dim() == 3 || self.dim() == 4, "reflection_pad2d: Expected 3D or 4D (batch mode) tensor, got ",
              self.sizes());
  std::vector<std::int64_t> sizes = self.sizes().vec();
  const std::size_t n = sizes.size();
  TORCH_CHECK(
      padding[0] < sizes[n - 1] && padding[1] < sizes[n - 1] && padding[2] < sizes[n - 2] && padding[3] < sizes[n - 2],
      "Padding size should be less than the corresponding input dimension, but got padding ", padding,
      " for input of size ", self.sizes());
  sizes[n - 1] += padding[0] + padding[1];
  sizes[n - 2] += padding[2] + padding[3];
  TORCH_CHECK(sizes[n - 1] >= 1 && sizes[n - 2] >= 1, "input ", self.sizes(), " is too small for the padding");
  call.add_result(meta_empty(sizes, self.scalar_type(), self.suggest_memory_format()));
  return RuleOutcome::Done;
}

// torchvision::{roi_align,roi_pool,ps_roi_align,ps_roi_pool}(input, rois, spatial_scale, height, width, ...)
template <bool position_sensitive, int results>
RuleOutcome roi(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  const at::Tensor& rois = call.tensor(1);
  TORCH_CHECK(input.dim() == 4, "roi pooling needs an input of 4 dimensions, got ", input.sizes());
  TORCH_CHECK(rois.dim() == 2 && rois.size(1) == 5, "rois must have shape as Tensor[K, 5]");
  const std::int64_t height = call.integer(3);
  const std::int64_t width = call.integer(4);
  TORCH_CHECK(!position_sensitive || input.size(1) % (height * width) == 0,
              "input channels must be a multiple of pooling height * pooling width");
  const std::int64_t channels = position_sensitive ? input.size(1) / (height * width) : input.size(1);
  call.add_result(meta_empty({rois.size(0), channels, height, width}, input.scalar_type()));
  if (results == 2) call.add_result(meta_empty({rois.size(0), channels, height, width}, at::kInt));
  return RuleOutcome::Done;
}

// torchvision::deform_conv2d(input, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dil_h, dil_w, ...)
RuleOutcome deform_conv2d(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  const at::Tensor& weight = call.tensor(1);
  TORCH_CHECK(input.dim() == 4 && weight.dim() == 4, "deform_conv2d needs 4-dimensional input and weight");
  std::vector<std::int64_t> sizes{input.size(0), weight.size(0)};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto d = static_cast<std::int64_t>(i) + 2;
    const std::int64_t span = call.integer(9 + i) * (weight.size(d) - 1) + 1;
    sizes.push_back((input.size(d) + 2 * call.integer(7 + i) - span) / call.integer(5 + i) + 1);
    TORCH_CHECK(sizes.back() > 0, "deform_conv2d: the result would be empty");
  }
  call.add_result(meta_empty(sizes, input.scalar_type()));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> vision_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::grid_sampler", grid_sampler},
      NamedRule{"aten::grid_sampler_2d", grid_sampler},
      NamedRule{"aten::grid_sampler_3d", grid_sampler},
      NamedRule{"aten::_grid_sampler_2d_cpu_fallback", grid_sampler},
      NamedRule{"aten::reflection_pad2d", reflection_pad2d},
      NamedRule{"torchvision::roi_align", roi<false, 1>},
      NamedRule{"torchvision::roi_pool", roi<false, 2>},
      NamedRule{"torchvision::ps_roi_align", roi<true, 2>},
      NamedRule{"torchvision::ps_roi_pool", roi<true, 2>},
      NamedRule{"torchvision::deform_conv2d", deform_conv2d},
  };
  return rules;
}

}  // namespace tonnx::torch
