#include <array>

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// fake_quantize_*(self, ...): a tensor like self, and a mask if the operator has one
template <bool has_mask>
RuleOutcome fake_quantize(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  call.add_result(meta_like(self));
  if (has_mask) call.add_result(meta_empty(self.sizes(), at::kBool, self.suggest_memory_format()));
  return RuleOutcome::Done;
}

// _fused_moving_avg_obs_fq_helper_functional(self, observer_on, fake_quant_on, running_min, running_max, scale,
// zero_point, ...): a tensor like self, a mask, and the new state
RuleOutcome observer(RuleCall& call) {
  fake_quantize<true>(call);
  for (const std::size_t state : {3, 4, 5, 6}) call.add_result(meta_like(call.tensor(state)));
  return RuleOutcome::Done;
}

// quantize_*(input, ..., dtype): `dtype` is argument `at`, float32 if missing
template <std::size_t at>
RuleOutcome like_input(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  const c10::ScalarType dtype = call.is_none(at) ? at::kFloat : call.dtype(at).value();
  call.add_result(meta_empty(input.sizes(), dtype, input.suggest_memory_format()));
  return RuleOutcome::Done;
}

// choose_qparams(input, ...): one scale and one zero point
RuleOutcome choose_qparams(RuleCall& call) {
  call.add_result(meta_empty({1}, at::kDouble));
  call.add_result(meta_empty({1}, at::kLong));
  return RuleOutcome::Done;
}

// choose_qparams_per_token(input, dtype): a scale and a zero point per row, with the same dtype if zero points are
// zeros
template <bool symmetric>
RuleOutcome choose_qparams_per_token(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() > 0, "choose_qparams_per_token needs an input of 1 dimension or more");
  std::vector<std::int64_t> sizes = input.sizes().vec();
  sizes.back() = 1;
  const c10::ScalarType narrow = input.scalar_type() == at::kHalf ? at::kFloat : input.scalar_type();
  call.add_result(meta_empty(sizes, symmetric ? narrow : at::kDouble));
  call.add_result(meta_empty(sizes, symmetric ? narrow : at::kLong));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> quantisation_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::fake_quantize_per_tensor_affine", fake_quantize<false>},
      NamedRule{"aten::fake_quantize_per_channel_affine", fake_quantize<false>},
      NamedRule{"aten::_fake_quantize_learnable_per_tensor_affine", fake_quantize<false>},
      NamedRule{"aten::_fake_quantize_learnable_per_channel_affine", fake_quantize<false>},
      NamedRule{"aten::fake_quantize_per_tensor_affine_cachemask", fake_quantize<true>},
      NamedRule{"aten::fake_quantize_per_channel_affine_cachemask", fake_quantize<true>},
      NamedRule{"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", fake_quantize<true>},
      NamedRule{"aten::_fused_moving_avg_obs_fq_helper_functional", observer},
      NamedRule{"quantized_decomposed::fake_quant_per_channel", fake_quantize<false>},
      NamedRule{"quantized_decomposed::quantize_per_tensor", like_input<5>},
      NamedRule{"quantized_decomposed::quantize_per_channel", like_input<6>},
      NamedRule{"quantized_decomposed::quantize_per_channel_group", like_input<5>},
      NamedRule{"quantized_decomposed::quantize_per_token", like_input<5>},
      NamedRule{"quantized_decomposed::dequantize_per_tensor", like_input<6>},
      NamedRule{"quantized_decomposed::dequantize_per_channel", like_input<7>},
      NamedRule{"quantized_decomposed::dequantize_per_channel_group", like_input<7>},
      NamedRule{"quantized_decomposed::dequantize_per_token", like_input<6>},
      NamedRule{"quantized_decomposed::convert_element_type", like_input<1>},
      NamedRule{"quantized_decomposed::choose_qparams", choose_qparams},
      NamedRule{"quantized_decomposed::choose_qparams_symmetric", choose_qparams},
      NamedRule{"quantized_decomposed::choose_qparams_per_token", choose_qparams_per_token<true>},
      NamedRule{"quantized_decomposed::choose_qparams_per_token_asymmetric", choose_qparams_per_token<false>},
  };
  return rules;
}

}  // namespace tonnx::torch
