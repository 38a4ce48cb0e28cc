// Pooling operators whose kernels have no meta form.
#include <array>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// adaptive_avg_pool{2,3}d(self, output_size), and its _ forms
template <std::size_t N>
RuleOutcome adaptive_avg_pool(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const auto output = call.integers(1, N);
  TORCH_CHECK(output.size() == N, "adaptive_avg_pool", N, "d: output_size must be ", N);
  // A global mean, which LibTorch computes as such.
  if (N == 2 && output[0] == 1 && output[1] == 1) return RuleOutcome::Declined;
  TORCH_CHECK(self.dim() == static_cast<std::int64_t>(N) + 1 || self.dim() == static_cast<std::int64_t>(N) + 2,
              "adaptive_avg_pool", N, "d(): Expected ", N + 1, "D or ", N + 2, "D tensor, but got ", self.sizes());
  std::vector<std::int64_t> sizes = self.sizes().vec();
  for (std::size_t i = 0; i < N; ++i) {
    auto& size = sizes[sizes.size() - N + i];
    TORCH_CHECK(size > 0, "adaptive_avg_pool", N, "d(): Expected input to have non-zero size for non-batch dimensions");
    size = output[i];
  }
  call.give(meta_empty(sizes, self.scalar_type(), self.suggest_memory_format()));
  return RuleOutcome::Done;
}

constexpr std::array rules = {
    NamedRule{"aten::adaptive_avg_pool2d", adaptive_avg_pool<2>},
    NamedRule{"aten::_adaptive_avg_pool2d", adaptive_avg_pool<2>},
    NamedRule{"aten::adaptive_avg_pool3d", adaptive_avg_pool<3>},
    NamedRule{"aten::_adaptive_avg_pool3d", adaptive_avg_pool<3>},
};

}  // namespace

std::span<const NamedRule> pooling_rules() { return rules; }

}  // namespace tonnx::torch
