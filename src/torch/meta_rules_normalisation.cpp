// Normalisation. Batch and group normalisation keep the input's memory format; layer and instance normalisation return
// contiguous results.
#include <algorithm>
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
  call.add_result(meta_like(call.tensor(0)));
  return RuleOutcome::Done;
}

// native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps) -> (output, mean, invstd)
RuleOutcome native_batch_norm(RuleCall& call) {
  check_batch_norm(call);
  const at::Tensor& input = call.tensor(0);
  const c10::ScalarType dtype = statistics_dtype(input, call.optional_tensor(1));
  call.add_result(meta_like(input));
  const std::int64_t saved = call.boolean(5) ? input.size(1) : 0;
  for (int i = 0; i < 2; ++i) call.add_result(meta_empty({saved}, dtype));
  return RuleOutcome::Done;
}

// _native_batch_norm_legit.no_stats(input, weight, bias, training, momentum, eps)
RuleOutcome batch_norm_no_stats(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2D input but got ", input.dim(), "D");
  check_channels("weight", call.optional_tensor(1), input.size(1));
  check_channels("bias", call.optional_tensor(2), input.size(1));
  call.add_result(meta_like(input));
  const std::int64_t saved = call.boolean(3) ? input.size(1) : 0;
  for (int i = 0; i < 2; ++i) call.add_result(meta_empty({saved}, statistics_dtype(input, call.optional_tensor(1))));
  return RuleOutcome::Done;
}

// _native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps)
RuleOutcome batch_norm_no_training(RuleCall& call) {
  check_batch_norm(call);
  const at::Tensor& input = call.tensor(0);
  call.add_result(meta_like(input));
  for (int i = 0; i < 2; ++i) call.add_result(meta_empty({0}, statistics_dtype(input, call.optional_tensor(1))));
  return RuleOutcome::Done;
}

// _batch_norm_no_update(input, weight, bias, running_mean, running_var, momentum, eps) -> same results and a reserve
RuleOutcome batch_norm_no_update(RuleCall& call) {
  batch_norm_no_training(call);
  call.add_result(meta_empty({0}, at::kByte));
  return RuleOutcome::Done;
}

// instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)
RuleOutcome instance_norm(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2D input but got ", input.dim(), "D");
  check_channels("weight", call.optional_tensor(1), input.size(1));
  check_channels("bias", call.optional_tensor(2), input.size(1));
  call.add_result(meta_empty(input.sizes(), input.scalar_type()));
  return RuleOutcome::Done;
}

at::Tensor check_layer_norm(const at::Tensor& input, const std::vector<std::int64_t>& shape, const at::Tensor& weight,
                            const at::Tensor& bias) {
  TORCH_CHECK(!shape.empty(), "Expected normalized_shape to be at least 1-dimensional");
  for (const at::Tensor* parameter : {&weight, &bias}) {
    TORCH_CHECK(!parameter->defined() || parameter->sizes() == at::IntArrayRef(shape),
                "Expected weight and bias to be of same shape as normalized_shape, but got ",
                parameter->defined() ? parameter->sizes() : at::IntArrayRef(), " and normalized_shape = ", shape);
  }
  const auto count = static_cast<std::int64_t>(shape.size());
  TORCH_CHECK(input.dim() >= count && input.sizes().slice(static_cast<std::size_t>(input.dim() - count)) == shape,
              "Given normalized_shape=", shape, ", expected input with these last dimensions, but got input of size",
              input.sizes());
  return meta_empty(input.sizes(), input.scalar_type());
}

// layer_norm(input, normalized_shape, weight, bias, eps, cudnn_enable)
RuleOutcome layer_norm(RuleCall& call) {
  call.add_result(check_layer_norm(call.tensor(0), call.integers(1), call.optional_tensor(2), call.optional_tensor(3)));
  return RuleOutcome::Done;
}

// native_layer_norm(input, normalized_shape, weight, bias, eps) -> (output, mean, rstd)
RuleOutcome native_layer_norm(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  const std::vector<std::int64_t> shape = call.integers(1);
  call.add_result(check_layer_norm(input, shape, call.optional_tensor(2), call.optional_tensor(3)));
  std::vector<std::int64_t> sizes = input.sizes().vec();
  std::fill(sizes.end() - static_cast<std::ptrdiff_t>(shape.size()), sizes.end(), 1);
  for (int i = 0; i < 2; ++i) call.add_result(meta_empty(sizes, statistics_dtype(input, call.optional_tensor(2))));
  return RuleOutcome::Done;
}

void check_group_norm(RuleCall& call, std::int64_t groups, std::size_t weight) {
  const at::Tensor& input = call.tensor(0);
  TORCH_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ", input.dim());
  TORCH_CHECK(groups > 0 && input.size(1) % groups == 0,
              "Expected number of channels in input to be divisible by "
              "num_groups, but got input of shape ",
              input.sizes(), " and num_groups=", groups);
  check_channels("weight", call.optional_tensor(weight), input.size(1));
  check_channels("bias", call.optional_tensor(weight + 1), input.size(1));
}

// group_norm(input, num_groups, weight, bias, eps, cudnn_enabled)
RuleOutcome group_norm(RuleCall& call) {
  check_group_norm(call, call.integer(1), 2);
  call.add_result(meta_like(call.tensor(0)));
  return RuleOutcome::Done;
}

// native_group_norm(input, weight, bias, N, C, HxW, group, eps) -> (output, mean, rstd)
RuleOutcome native_group_norm(RuleCall& call) {
  check_group_norm(call, call.integer(6), 1);
  const at::Tensor& input = call.tensor(0);
  call.add_result(meta_like(input));
  for (int i = 0; i < 2; ++i) {
    call.add_result(meta_empty({call.integer(3), call.integer(6)}, statistics_dtype(input, call.optional_tensor(1))));
  }
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> normalisation_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::batch_norm", batch_norm},
      NamedRule{"aten::native_batch_norm", native_batch_norm},
      NamedRule{"aten::_native_batch_norm_legit", native_batch_norm},
      NamedRule{"aten::_native_batch_norm_legit.no_stats", batch_norm_no_stats},
      NamedRule{"aten::_native_batch_norm_legit_no_training", batch_norm_no_training},
      NamedRule{"aten::_batch_norm_no_update", batch_norm_no_update},
      NamedRule{"aten::instance_norm", instance_norm},
      NamedRule{"aten::layer_norm", layer_norm},
      NamedRule{"aten::native_layer_norm", native_layer_norm},
      NamedRule{"aten::group_norm", group_norm},
      NamedRule{"aten::native_group_norm", native_group_norm},
  };
  return rules;
}

}  // namespace tonnx::torch
