#include <array>

#include <ATen/ops/empty_strided.h>

#include "ir/function_region.h"
#include "torch/meta_rule.h"

namespace tonnx::torch {

namespace {

// The results of a mark are its leading tensors, as tensors of their own: as many as it has outputs.
RuleOutcome mark_function(RuleCall& call) {
  for (std::size_t i = 0; i < call.size() && call[i].isTensor(); ++i) {
    const at::Tensor& tensor = call.tensor(i);
    call.add_result(tensor.is_non_overlapping_and_dense()
                        ? at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options())
                        : meta_like(tensor));
  }
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> function_rules() {
  static constexpr std::array rules = {
      NamedRule{ir::kFunctionBegin, mark_function},
      NamedRule{ir::kFunctionEnd, mark_function},
  };
  return rules;
}

}  // namespace tonnx::torch
