// Batch and instance normalisation. Batch normalisation keeps the input's memory format.
// Group and layer normalisation have meta kernels.
#include <array>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

void check_channels(const char* what, const at::Tensor& parameter, std::int64_t channels) {
  if (!parameter.defined()) return;
  TORCH_CHECK(parameter.numel() == channels, what, " should contain ", channels, " elements not ", parameter.numel());
}

// The kernels return statistics of the parameters' dtype when input and parameters differ.
c10::ScalarType statistics_dtype(const at::Tensor& input, const at::Tensor& parameter) {
  return parameter.defined() ? parameter.scalar_type() : input.scalar_type();
}

void check_batch_norm(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2D input but got ", input.dim(), "D");
  check_channels("weight", call.optional_tensor(1), input.size(1));
  check_channels("bias", call.optional_tensor(2), input.size(1));
  check_channels("running_mean", call.optional_tensor(3), input.size(1));
  check_channels("running_var", call.optional_tensor(4), input.size(1));
}

// batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)
RuleOutcome batch_norm(RuleCall& call) {
  check_batch_norm(call);
  call.give(meta_like(call.tensor(0)));
  return RuleOutcome::Done;
}

// native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps) -> (output, mean, invstd)
RuleOutcome native_batch_norm(RuleCall& call) {
  check_batch_norm(call);
  const at::Tensor& input = call.tensor(0);
  const c10::ScalarType dtype = statistics_dtype(input, call.optional_tensor(1));
  call.give(meta_like(input));
  const std::int64_t saved = call.boolean(5) ? input.size(1) : 0;
  for (int i = 0; i < 2; ++i) call.give(meta_empty({saved}, dtype));
  return RuleOutcome::Done;
}

// _native_batch_norm_legit.no_stats(input, weight, bias, training, momentum, eps)
RuleOutcome batch_norm_no_stats(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2D input but got ", input.dim(), "D");
  check_channels("weight", call.optional_tensor(1), input.size(1));
  check_channels("bias", call.optional_tensor(2), input.size(1));
  call.give(meta_like(input));
  const std::int64_t saved = call.boolean(3) ? input.size(1) : 0;
  for (int i = 0; i < 2; ++i) call.give(meta_empty({saved}, statistics_dtype(input, call.optional_tensor(1))));
  return RuleOutcome::Done;
}

// _native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps)
RuleOutcome batch_norm_no_training(RuleCall& call) {
  check_batch_norm(call);
  const at::Tensor& input = call.tensor(0);
  call.give(meta_like(input));
  for (int i = 0; i < 2; ++i) call.give(meta_empty({0}, statistics_dtype(input, call.optional_tensor(1))));
  return RuleOutcome::Done;
}

// instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)
RuleOutcome instance_norm(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2D input but got ", input.dim(), "D");
  check_channels("weight", call.optional_tensor(1), input.size(1));
  check_channels("bias", call.optional_tensor(2), input.size(1));
  call.give(meta_empty(input.sizes(), input.scalar_type()));
  return RuleOutcome::Done;
}

constexpr std::array rules = {
    NamedRule{"aten::batch_norm", batch_norm},
    NamedRule{"aten::native_batch_norm", native_batch_norm},
    NamedRule{"aten::_native_batch_norm_legit", native_batch_norm},
    NamedRule{"aten::_native_batch_norm_legit.no_stats", batch_norm_no_stats},
    NamedRule{"aten::_native_batch_norm_legit_no_training", batch_norm_no_training},
    NamedRule{"aten::instance_norm", instance_norm},
};

}  // namespace

std::span<const NamedRule> normalization_rules() { return rules; }

}  // namespace tonnx::torch
