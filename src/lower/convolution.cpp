#include "lower/convolution.h"

#include <algorithm>
#include <numeric>

#include "lower/families.h"
#include "lower/sizes.h"
#include "lower/spatial.h"

namespace tonnx::lower {
namespace {

Dims symmetric(const Dims& padding) {
  Dims pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  return pads;
}

// ConvTranspose accepts an output padding below the stride; LibTorch also accepts a larger one below the dilation.
// First, less is cut from the end. The rest is appended as elements that no input reaches: this function removes it
// from `g` and returns it.
Dims take_long_output_padding(Geometry& g) {
  const std::size_t n = g.stride.size();
  Dims unreached(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (g.output_padding[i] < g.stride[i]) continue;
    const std::int64_t kept = std::min(g.output_padding[i], g.pads[n + i]);
    g.pads[n + i] -= kept;
    unreached[i] = g.output_padding[i] - kept;
    g.output_padding[i] = 0;
  }
  return unreached;
}

// Conv or ConvTranspose. The input may lack the batch axis.
Value* convolve(Op& op, bool transposed, Value* x, Value* weight, Value* bias, Geometry g) {
  const BatchAxis batch(op, x, op.rank_of(weight));
  if (g.open_groups || lacks_convolution(op.builder(), transposed, x)) {
    Value* y = batch.remove(convolution_by_product(op, transposed, batch.add(x), weight, g));
    if (!bias) return y;
    Dims trailing(g.stride.size());
    std::iota(trailing.begin(), trailing.end(), 1);
    return op->add(y, op->unsqueeze(bias, trailing));
  }
  const Dims unreached = transposed ? take_long_output_padding(g) : Dims{};
  const bool extended = std::any_of(unreached.begin(), unreached.end(), [](std::int64_t n) { return n > 0; });
  Attributes attributes{{"strides", g.stride}, {"pads", g.pads}, {"dilations", g.dilation}, {"group", g.groups}};
  Dims kernel;
  for (std::int64_t i = 2; i < op.rank_of(weight); ++i)
    if (const auto size = op.fixed_size(weight, i)) kernel.push_back(*size);
  if (static_cast<std::int64_t>(kernel.size()) == op.rank_of(weight) - 2)
    attributes.push_back({"kernel_shape", kernel});
  if (transposed) attributes.push_back({"output_padding", g.output_padding});
  Value* y = op->op(transposed ? "ConvTranspose" : "Conv", {batch.add(x), weight, extended ? nullptr : bias},
                    std::move(attributes));
  if (extended) {
    const std::size_t rank = unreached.size() + 2;
    Dims pads(2 * rank, 0);
    std::copy(unreached.begin(), unreached.end(), pads.end() - static_cast<std::ptrdiff_t>(unreached.size()));
    y = op->pad(y, pads);
    Dims spatial(unreached.size());
    std::iota(spatial.begin(), spatial.end(), 1);
    if (bias) y = op->add(y, op->unsqueeze(bias, spatial));
  }
  return batch.remove(y);
}

std::int64_t spatial_axes(const Op& op, Value* weight) {
  const std::int64_t axes = op.rank_of(weight) - 2;
  if (axes < 1) op.refuse_argument("weight", "must have at least three axes");
  return axes;
}

// Reads groups: an attribute if constant, else a scalar for convolution_by_product().
void take_groups(const Op& op, Geometry& g) {
  if (!op.has("groups")) return;
  if (op.is_constant("groups"))
    g.groups = op.integer("groups");
  else
    g.open_groups = op.scalar("groups", DType::Int64);
}

// The output padding if it is dynamic: computes with the largest one, and cut_padding() slices off the excess.
Values take_output_padding(Op& op, Geometry& g, std::int64_t n) {
  if (op.is_constant("output_padding")) {
    g.output_padding = per_axis(op, "output_padding", n);
    for (std::size_t i = 0; i < g.output_padding.size(); ++i)
      if (g.output_padding[i] >= std::max(g.stride[i], g.dilation[i]))
        op.refuse_argument("output_padding",
                           "is " + std::to_string(g.output_padding[i]) + ", and must be below stride or dilation");
    return {};
  }
  auto numbers = listed_numbers(op, "output_padding");
  if (!numbers || numbers->empty()) op.refuse_argument("output_padding", "must be a list of known length");
  numbers->resize(static_cast<std::size_t>(n), numbers->back());
  for (std::size_t i = 0; i < numbers->size(); ++i)
    g.output_padding.push_back(std::max(g.stride[i], g.dilation[i]) - 1);
  return *numbers;
}

Value* cut_padding(Op& op, Value* y, const Geometry& g, const Values& padding) {
  if (padding.empty()) return y;
  Builder& b = op.builder();
  const std::int64_t first = op.rank_of(y) - static_cast<std::int64_t>(padding.size());
  for (std::size_t i = 0; i < padding.size(); ++i) {
    const std::int64_t axis = first + static_cast<std::int64_t>(i);
    Value* end = add_sizes(b, b.size_scalar(y, axis), b.sub(padding[i], b.int64(g.output_padding[i])));
    y = slice_between(op, y, axis, nullptr, end);
  }
  return y;
}

Value* input(const Op& op) { return op.tensor(op.has("input") ? "input" : "self"); }
Value* bias(const Op& op) { return op.has("bias") ? op.optional_tensor("bias") : nullptr; }

bool is_transposed(const Op& op) { return op.has("transposed") ? op.flag("transposed") : op.has("output_padding"); }

// aten::conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d, convolution, _convolution:
// arguments are found by name.
Outputs convolution(Op& op) {
  Value* weight = op.tensor("weight");
  const std::int64_t n = spatial_axes(op, weight);
  const bool transposed = is_transposed(op);
  Geometry g;
  g.stride = per_axis(op, "stride", n);
  const auto open_padding = transposed || op.is_constant("padding") ? std::nullopt : listed_numbers(op, "padding");
  g.pads = open_padding ? Dims(static_cast<std::size_t>(2 * n), 0) : symmetric(per_axis(op, "padding", n));
  g.dilation = op.has("dilation") ? per_axis(op, "dilation", n) : Dims(static_cast<std::size_t>(n), 1);
  take_groups(op, g);
  const Values padding = transposed ? take_output_padding(op, g, n) : Values();
  Value* x = input(op);
  if (open_padding) x = pad_evenly(op, x, *open_padding, n, nullptr);
  return cut_padding(op, convolve(op, transposed, x, weight, bias(op), g), g, padding);
}

// Padding by name: "valid" is none. "same" preserves the size at stride 1; an odd element is padded at the end.
Outputs named_padding(Op& op) {
  Value* weight = op.tensor("weight");
  const std::int64_t n = spatial_axes(op, weight);
  Geometry g;
  g.stride = per_axis(op, "stride", n);
  g.dilation = per_axis(op, "dilation", n);
  take_groups(op, g);
  g.pads.assign(static_cast<std::size_t>(2 * n), 0);
  const std::string padding = op.text("padding");
  if (padding == "same") {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto kernel = op.fixed_size(weight, i + 2);
      if (!kernel) op.refuse_argument("padding", "'same' needs a kernel of fixed size");
      const std::size_t at = static_cast<std::size_t>(i);
      const std::int64_t total = g.dilation[at] * (*kernel - 1);
      g.pads[at] = total / 2;
      g.pads[at + static_cast<std::size_t>(n)] = total - total / 2;
    }
  } else if (padding != "valid") {
    op.refuse_argument("padding", "must be 'same' or 'valid', not '" + padding + "'");
  }
  return convolve(op, false, op.tensor("input"), weight, op.optional_tensor("bias"), g);
}

// aten::conv_tbc: time, batch, channels; the weight is (kernel, input channels, output channels).
Outputs conv_tbc(Op& op) {
  Value* x = op->transpose(op.tensor("self"), {1, 2, 0});
  Value* weight = op->transpose(op.tensor("weight"), {2, 1, 0});
  const Geometry g{{1}, symmetric({op.integer("pad")}), {1}, {}};
  return op->transpose(convolve(op, false, x, weight, op.tensor("bias"), g), {2, 0, 1});
}

constexpr Row kConvolutionRows[] = {
    {"aten::conv1d", 7, convolution},
    {"aten::conv2d", 7, convolution},
    {"aten::conv3d", 7, convolution},
    {"aten::conv1d.padding", 7, named_padding},
    {"aten::conv2d.padding", 7, named_padding},
    {"aten::conv3d.padding", 7, named_padding},
    {"aten::_convolution_mode", 7, named_padding},
    {"aten::conv_transpose1d", 7, convolution},
    {"aten::conv_transpose2d", 7, convolution},
    {"aten::conv_transpose3d", 7, convolution},
    {"aten::convolution", 7, convolution},
    {"aten::convolution_overrideable", 7, convolution},
    {"aten::_convolution", 7, convolution},
    {"aten::mkldnn_convolution", 7, convolution},
    {"aten::cudnn_convolution", 7, convolution},
    {"aten::thnn_conv2d", 7, convolution},
    {"aten::_slow_conv2d_forward", 7, convolution},
    {"aten::slow_conv3d", 7, convolution},
    {"aten::conv_tbc", 7, conv_tbc},
};

}  // namespace

std::span<const Row> convolution_rows() { return kConvolutionRows; }

}  // namespace tonnx::lower
