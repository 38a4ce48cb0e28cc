// Convolutions. Source of the sizes: torch.nn.Conv*d and ConvTranspose*d; of the layout: the CPU kernels, which choose
// channels-last if the input or the weight has it.
#include <array>
#include <string>

#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

using Ints = std::vector<std::int64_t>;

struct Geometry {
  Ints stride, padding, dilation, output_padding;
  bool transposed = false;
  std::int64_t groups = 1;
};

c10::MemoryFormat layout_of(const at::Tensor& input, const at::Tensor& weight) {
  for (const at::Tensor* tensor : {&input, &weight}) {
    if (const auto format = tensor->suggest_memory_format(); format != c10::MemoryFormat::Contiguous) return format;
  }
  return c10::MemoryFormat::Contiguous;
}

void check(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const Geometry& g) {
  TORCH_CHECK(input.dim() == weight.dim(), "Expected ", weight.dim() - 1, "D (unbatched) or ", weight.dim(),
              "D (batched) input to conv", weight.dim() - 2, "d, but got input of size: ", input.sizes());
  TORCH_CHECK(g.groups > 0, "non-positive groups is not supported");
  TORCH_CHECK(input.numel() > 0 || input.size(0) == 0 || input.size(1) == 0,
              "Only zero batch or zero channel inputs are supported, but got input shape: ", input.sizes());
  const std::int64_t channels = g.transposed ? weight.size(0) : weight.size(1) * g.groups;
  TORCH_CHECK(input.size(1) == channels, "Given groups=", g.groups, ", weight of size ", weight.sizes(),
              ", expected input", input.sizes(), " to have ", channels, " channels, but got ", input.size(1),
              " channels instead");
  TORCH_CHECK(g.transposed || weight.size(0) % g.groups == 0, "Given groups=", g.groups,
              ", expected weight to be divisible by ", g.groups, " at dimension 0, but got weight of size ",
              weight.sizes());
  const std::int64_t results = g.transposed ? weight.size(1) * g.groups : weight.size(0);
  TORCH_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == results),
              "expected bias to be 1-dimensional with ", results, " elements, but got bias of size ",
              bias.defined() ? bias.sizes() : at::IntArrayRef());
  TORCH_CHECK(input.scalar_type() == weight.scalar_type(), "Input type (", input.scalar_type(), ") and weight type (",
              weight.scalar_type(), ") should be the same");
  TORCH_CHECK(!bias.defined() || input.scalar_type() == bias.scalar_type(), "Input type (", input.scalar_type(),
              ") and bias type (", bias.defined() ? bias.scalar_type() : input.scalar_type(), ") should be the same");
}

at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const Geometry& g) {
  check(input, weight, bias, g);
  Ints sizes{input.size(0), g.transposed ? weight.size(1) * g.groups : weight.size(0)};
  for (std::size_t i = 0; i < g.stride.size(); ++i) {
    const auto d = static_cast<std::int64_t>(i) + 2;
    TORCH_CHECK(g.stride[i] > 0, "non-positive stride is not supported");
    TORCH_CHECK(g.dilation[i] > 0, "dilation should be greater than zero");
    const std::int64_t span = g.dilation[i] * (weight.size(d) - 1) + 1;
    if (g.transposed) {
      sizes.push_back((input.size(d) - 1) * g.stride[i] - 2 * g.padding[i] + span + g.output_padding[i]);
      TORCH_CHECK(sizes.back() > 0, "Given input size per channel: ", input.sizes().slice(2),
                  ". Calculated output size per channel is too small");
    } else {
      const std::int64_t room = input.size(d) + 2 * g.padding[i] - span;
      TORCH_CHECK(g.padding[i] >= 0, "negative padding is not supported");
      TORCH_CHECK(room >= 0, "Calculated padded input size per channel: ", input.size(d) + 2 * g.padding[i],
                  ". Kernel size: ", span, ". Kernel size can't be greater than actual input size");
      sizes.push_back(room / g.stride[i] + 1);
    }
  }
  return meta_empty(sizes, input.scalar_type(), layout_of(input, weight));
}

// Adds a batch axis to an input without one, and removes it from the result.
template <class F>
RuleOutcome batched(RuleCall& call, std::size_t spatial, F&& apply) {
  const at::Tensor& input = call.tensor(0);
  const bool batched = input.dim() == static_cast<std::int64_t>(spatial) + 2;
  TORCH_CHECK(batched || input.dim() == static_cast<std::int64_t>(spatial) + 1, "Expected ", spatial + 1,
              "D (unbatched) or ", spatial + 2, "D (batched) input to conv", spatial,
              "d, but got input of size: ", input.sizes());
  const at::Tensor result = apply(batched ? input : input.unsqueeze(0));
  call.add_result(batched ? result : result.squeeze(0));
  return RuleOutcome::Done;
}

// conv{1,2,3}d(input, weight, bias, stride, padding, dilation, groups)
template <std::size_t N>
RuleOutcome conv(RuleCall& call) {
  Geometry g{call.integers(3, N), call.integers(4, N), call.integers(5, N), Ints(N, 0), false, call.integer(6)};
  return batched(call, N,
                 [&](const at::Tensor& input) { return convolve(input, call.tensor(1), call.optional_tensor(2), g); });
}

// Same sizes as conv with padding "same" or "valid": (input, weight, bias, stride, padding, dilation, groups)
RuleOutcome conv_named_padding(RuleCall& call) {
  const at::Tensor& weight = call.tensor(1);
  const auto spatial = static_cast<std::size_t>(weight.dim() - 2);
  const std::string padding(call[4].toStringView());
  TORCH_CHECK(padding == "valid" || padding == "same", "padding must be one of ['same', 'valid'], got '", padding, "'");
  Geometry g{
      call.integers(3, spatial), Ints(spatial, 0), call.integers(5, spatial), Ints(spatial, 0), false, call.integer(6)};
  return batched(call, spatial, [&](const at::Tensor& input) {
    if (padding == "valid") return convolve(input, weight, call.optional_tensor(2), g);
    check(input, weight, call.optional_tensor(2), g);
    for (const std::int64_t s : g.stride) {
      TORCH_CHECK(s == 1, "padding='same' is not supported for strided convolutions");
    }
    Ints sizes = input.sizes().vec();
    sizes[1] = weight.size(0);
    return meta_empty(sizes, input.scalar_type(), layout_of(input, weight));
  });
}

// conv_transpose{1,2,3}d(input, weight, bias, stride, padding, output_padding, groups, dilation)
template <std::size_t N>
RuleOutcome conv_transpose(RuleCall& call) {
  Geometry g{call.integers(3, N), call.integers(4, N), call.integers(7, N), call.integers(5, N), true, call.integer(6)};
  return batched(call, N,
                 [&](const at::Tensor& input) { return convolve(input, call.tensor(1), call.optional_tensor(2), g); });
}

// convolution, _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, ...)
RuleOutcome convolution(RuleCall& call) {
  const at::Tensor& weight = call.tensor(1);
  TORCH_CHECK(weight.dim() > 2, "weight should have at least three dimensions");
  const auto n = static_cast<std::size_t>(weight.dim() - 2);
  Geometry g{call.integers(3, n), call.integers(4, n), call.integers(5, n),
             call.integers(7, n), call.boolean(6),     call.integer(8)};
  return batched(call, n, [&](const at::Tensor& input) { return convolve(input, weight, call.optional_tensor(2), g); });
}

// mkldnn_convolution(input, weight, bias, padding, stride, dilation, groups)
RuleOutcome mkldnn_convolution(RuleCall& call) {
  const auto n = static_cast<std::size_t>(call.tensor(1).dim() - 2);
  const Geometry g{call.integers(4, n), call.integers(3, n), call.integers(5, n), Ints(n, 0), false, call.integer(6)};
  call.add_result(convolve(call.tensor(0), call.tensor(1), call.optional_tensor(2), g));
  return RuleOutcome::Done;
}

// conv_tbc(self: TBC, weight: KBC', bias, pad)
RuleOutcome conv_tbc(RuleCall& call) {
  const at::Tensor& input = call.tensor(0);
  const at::Tensor& weight = call.tensor(1);
  TORCH_CHECK(input.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
  TORCH_CHECK(weight.dim() == 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  TORCH_CHECK(input.size(2) == weight.size(1), "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  const std::int64_t time = input.size(0) + 2 * call.integer(3) - weight.size(0) + 1;
  TORCH_CHECK(time >= 0, "kernel_width is greater than the padded input");
  call.add_result(meta_empty({time, input.size(1), weight.size(2)}, input.scalar_type()));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> convolution_rules() {
  static constexpr std::array rules = {
      NamedRule{"aten::conv1d", conv<1>},
      NamedRule{"aten::conv2d", conv<2>},
      NamedRule{"aten::conv3d", conv<3>},
      NamedRule{"aten::conv1d.padding", conv_named_padding},
      NamedRule{"aten::conv2d.padding", conv_named_padding},
      NamedRule{"aten::conv3d.padding", conv_named_padding},
      NamedRule{"aten::_convolution_mode", conv_named_padding},
      NamedRule{"aten::conv_transpose1d", conv_transpose<1>},
      NamedRule{"aten::conv_transpose2d", conv_transpose<2>},
      NamedRule{"aten::conv_transpose3d", conv_transpose<3>},
      NamedRule{"aten::convolution", convolution},
      NamedRule{"aten::_convolution", convolution},
      NamedRule{"aten::mkldnn_convolution", mkldnn_convolution},
      NamedRule{"aten::conv_tbc", conv_tbc},
  };
  return rules;
}

}  // namespace tonnx::torch
