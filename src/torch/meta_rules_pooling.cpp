// Pooling operators whose kernels have no meta version.
#include <algorithm>
#include <array>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// adaptive_avg_pool{2,3}d(self, output_size), and its _ variants
template <std::size_t N>
RuleOutcome adaptive_avg_pool(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const auto output = call.integers(1, N);
  TORCH_CHECK(output.size() == N, "adaptive_avg_pool", N, "d: output_size must be ", N);
  // A global mean, as which LibTorch computes it.
  if (N == 2 && output[0] == 1 && output[1] == 1) return RuleOutcome::Declined;
  TORCH_CHECK(self.dim() == static_cast<std::int64_t>(N) + 1 || self.dim() == static_cast<std::int64_t>(N) + 2,
              "adaptive_avg_pool", N, "d(): Expected ", N + 1, "D or ", N + 2, "D tensor, but got ", self.sizes());
  const bool is_mean = std::ranges::all_of(output, [](std::int64_t size) { return size == 1; });
  std::vector<std::int64_t> sizes = self.sizes().vec();
  for (std::size_t i = 0; i < N; ++i) {
    auto& size = sizes[sizes.size() - N + i];
    TORCH_CHECK(size > 0 || is_mean, "adaptive_avg_pool", N,
                "d(): Expected input to have non-zero size for non-batch dimensions");
    size = output[i];
  }
  call.add_result(meta_empty(sizes, self.scalar_type(), self.suggest_memory_format()));
  return RuleOutcome::Done;
}

std::int64_t pooled(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                    std::int64_t dilation, bool ceil) {
  TORCH_CHECK(stride > 0 && kernel > 0 && dilation > 0, "kernel size, stride and dilation should be greater than zero");
  TORCH_CHECK(padding >= 0 && padding <= kernel / 2, "pad should be at most half of effective kernel size, but got ",
              "pad=", padding, ", kernel_size=", kernel);
  const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0);
  std::int64_t result = (room >= 0 ? room / stride : -((-room + stride - 1) / stride)) + 1;
  // The last window starts inside the input or its left padding.
  if (ceil && (result - 1) * stride >= size + padding) --result;
  return result;
}

// max_pool3d, max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)
template <bool indices>
RuleOutcome max_pool3d(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.dim() == 4 || self.dim() == 5, "max_pool3d: Expected 4D or 5D (batch mode) input, got ",
              self.sizes());
  const auto kernel = call.integers(1, 3);
  auto stride = call.integers(2, 3);
  if (stride.empty()) stride = kernel;
  const auto padding = call.integers(3, 3);
  const auto dilation = call.integers(4, 3);
  std::vector<std::int64_t> sizes = self.sizes().vec();
  for (std::size_t i = 0; i < 3; ++i) {
    auto& size = sizes[sizes.size() - 3 + i];
    size = pooled(size, kernel[i], stride[i], padding[i], dilation[i], call.boolean(5));
    TORCH_CHECK(size > 0, "max_pool3d: given input size ", self.sizes(), ", the output size is too small");
  }
  call.add_result(meta_empty(sizes, self.scalar_type(), self.suggest_memory_format()));
  if (indices) call.add_result(meta_empty(sizes, at::kLong, self.suggest_memory_format()));
  return RuleOutcome::Done;
}

// adaptive_avg_pool1d(self, output_size)
RuleOutcome adaptive_avg_pool1d(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3, "adaptive_avg_pool1d(): Expected 2D or 3D tensor, but got ",
              self.sizes());
  const std::int64_t output = call.integers(1, 1).at(0);
  TORCH_CHECK(self.size(-1) > 0 || output == 1, "adaptive_avg_pool1d(): Expected input to have non-zero size");
  std::vector<std::int64_t> sizes = self.sizes().vec();
  sizes.back() = output;
  call.add_result(meta_empty(sizes, self.scalar_type()));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> pooling_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::adaptive_avg_pool1d", adaptive_avg_pool1d},
      NamedRule{"aten::adaptive_avg_pool2d", adaptive_avg_pool<2>},
      NamedRule{"aten::_adaptive_avg_pool2d", adaptive_avg_pool<2>},
      NamedRule{"aten::adaptive_avg_pool3d", adaptive_avg_pool<3>},
      NamedRule{"aten::_adaptive_avg_pool3d", adaptive_avg_pool<3>},
      NamedRule{"aten::max_pool3d", max_pool3d<false>},
      NamedRule{"aten::max_pool3d_with_indices", max_pool3d<true>},
  };
  return rules;
}

}  // namespace tonnx::torch
