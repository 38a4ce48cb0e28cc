// Products of groups of rows or columns. LibTorch's own meta version accepts only bfloat16.
#include <array>
#include <vector>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// _grouped_mm(self, mat2, offs, bias, out_dtype): rows start at multiples of 16 bytes.
RuleOutcome grouped_mm(RuleCall& call) {
  const at::Tensor& a = call.tensor(0);
  const at::Tensor& b = call.tensor(1);
  TORCH_CHECK((a.dim() == 2 || a.dim() == 3) && (b.dim() == 2 || b.dim() == 3), "_grouped_mm: matrices are needed");
  TORCH_CHECK(a.size(-1) == b.size(-2), "contraction dimension of mat_a and mat_b must match");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), "_grouped_mm: the operands have different dtypes");
  const at::Tensor ends = call.optional_tensor(2);
  std::vector<std::int64_t> sizes{a.size(-2), b.size(-1)};
  if (a.dim() == 3 && b.dim() == 3) {
    TORCH_CHECK(a.size(0) == b.size(0), "batched dimension has to match");
    sizes.insert(sizes.begin(), a.size(0));
  } else {
    TORCH_CHECK(ends.defined(), "Have to provide offsets for a 2d tensor");
    const std::int64_t groups = a.dim() == 3 ? a.size(0) : b.dim() == 3 ? b.size(0) : ends.size(0);
    TORCH_CHECK(groups == ends.size(0), "the number of groups differs between the offsets and the matrices");
    if (a.dim() == 2 && b.dim() == 2) sizes.insert(sizes.begin(), groups);
  }
  const std::int64_t step = 16 / static_cast<std::int64_t>(a.element_size());
  std::vector<std::int64_t> padded = sizes;
  padded.back() = (sizes.back() + step - 1) / step * step;
  call.add_result(meta_empty(padded, a.scalar_type()).narrow(-1, 0, sizes.back()));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> product_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::_grouped_mm", grouped_mm},
  };
  return rules;
}

}  // namespace tonnx::torch
