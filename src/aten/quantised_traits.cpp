// Operators that create, change or convert quantised tensors, without packed parameters.
#include "aten/quantised_traits.h"

#include "aten/trait_table.h"

namespace tonnx::aten {
namespace {

using enum QuantisedForm;
using enum QuantisedSteps;

constexpr std::string_view kRelu = "aten::relu";

constexpr QuantisedRow kRows[] = {
    {"quantized::*", {.form = Refused}},
    {"aten::quantized_gru_cell", {.form = Refused}},
    {"aten::quantized_lstm_cell", {.form = Refused}},
    {"aten::quantized_max_pool3d", {.form = Refused}},
    {"aten::quantized_rnn_relu_cell", {.form = Refused}},
    {"aten::quantized_rnn_tanh_cell", {.form = Refused}},

    // Creation and conversion.
    {"aten::_make_per_channel_quantized_tensor", {.form = OfIntegers}},
    {"aten::_make_per_tensor_quantized_tensor", {.form = OfIntegers}},
    {"aten::dequantize", {.form = Dequantise}},
    {"aten::_fused_moving_avg_obs_fq_helper", {.form = FusedObserver}},
    {"aten::fused_moving_avg_obs_fake_quant", {.form = FusedObserver}},
    {"aten::int_repr", {.form = Integers}},
    {"aten::q_per_channel_axis", {.form = ChannelAxis}},
    {"aten::q_per_channel_scales", {.form = ChannelScales}},
    {"aten::q_per_channel_zero_points", {.form = ChannelZeroPoints}},
    {"aten::q_scale", {.form = Scale}},
    {"aten::q_zero_point", {.form = ZeroPoint}},
    {"aten::quantize_per_channel", {.form = QuantiseChannels}},
    {"aten::quantize_per_tensor", {.form = Quantise}},
    {"aten::quantize_per_tensor_dynamic", {.form = QuantiseByRange}},

    // Elementwise functions, pools and normalisations.
    {"aten::quantized_max_pool1d", {.form = Function, .steps = Kept, .real = "aten::max_pool1d"}},
    {"aten::quantized_max_pool2d", {.form = Function, .steps = Kept, .real = "aten::max_pool2d"}},
    {"quantized::celu", {.form = Function, .real = "aten::celu"}},
    {"quantized::clamp", {.form = Function, .steps = Operand, .real = "aten::clamp"}},
    {"quantized::dropout", {.form = Dropout}},
    {"quantized::elu", {.form = Function, .real = "aten::elu"}},
    {"quantized::group_norm", {.form = Function, .real = "aten::group_norm"}},
    {"quantized::hardswish", {.form = Function, .real = "aten::hardswish"}},
    {"quantized::layer_norm", {.form = Function, .real = "aten::layer_norm"}},
    {"quantized::leaky_relu", {.form = Function, .real = "aten::leaky_relu"}},
    {"quantized::max_pool1d", {.form = Function, .steps = Kept, .real = "aten::max_pool1d"}},
    {"quantized::max_pool2d", {.form = Function, .steps = Kept, .real = "aten::max_pool2d"}},
    {"quantized::prelu", {.form = Function, .real = "aten::prelu"}},
    {"quantized::relu6", {.form = Function, .steps = Operand, .real = "aten::relu6"}},
    {"quantized::sigmoid", {.form = Function, .real = "aten::sigmoid"}},
    {"quantized::softmax", {.form = Function, .real = "aten::softmax.int"}},
    {"quantized::threshold", {.form = Function, .steps = Operand, .real = "aten::threshold"}},
    {"aten::quantized_batch_norm", {.form = BatchNorm}},
    {"quantized::batch_norm", {.form = BatchNorm}},
    {"quantized::batch_norm_relu", {.form = BatchNorm, .after = kRelu}},
    {"quantized::batch_norm1d", {.form = BatchNorm}},
    {"quantized::batch_norm1d_relu", {.form = BatchNorm, .after = kRelu}},
    {"quantized::batch_norm2d", {.form = BatchNorm}},
    {"quantized::batch_norm2d_relu", {.form = BatchNorm, .after = kRelu}},
    {"quantized::batch_norm3d", {.form = BatchNorm}},
    {"quantized::batch_norm3d_relu", {.form = BatchNorm, .after = kRelu}},
    {"quantized::instance_norm", {.form = InstanceNorm}},

    // Sums, products and concatenations.
    {"quantized::add", {.form = Add}},
    {"quantized::add_relu", {.form = Add, .after = kRelu}},
    {"quantized::add_scalar", {.form = Add}},
    {"quantized::add_scalar_relu", {.form = Add, .after = kRelu}},
    {"quantized::cat", {.form = Joined}},
    {"quantized::cat_relu", {.form = Joined, .after = kRelu}},
    {"quantized::matmul", {.form = Product}},
    {"quantized::mul", {.form = Multiply}},
    {"quantized::mul_relu", {.form = Multiply, .after = kRelu}},
    {"quantized::mul_scalar", {.form = Multiply}},
    {"quantized::mul_scalar_relu", {.form = Multiply, .after = kRelu}},
};

const Rows<QuantisedRow>& table() {
  static const auto& table =
      *new Rows<QuantisedRow>({quantised_layer_traits(), quantised_move_traits(), quantised_traits()});
  return table;
}

}  // namespace

const QuantisedTraits& quantised_traits_of(std::string_view name, std::string_view overload) {
  return table().of(name, overload);
}

const QuantisedTraits& quantised_traits_of(const ir::Node& node) {
  return quantised_traits_of(node.kind(),
                             node.schema() ? std::string_view(node.schema()->overload) : std::string_view());
}

bool is_quantised_alone(QuantisedForm form) { return form >= Refused; }

std::span<const QuantisedRow* const> quantised_rows() { return table().rows(); }

std::span<const QuantisedRow> quantised_traits() { return kRows; }

}  // namespace tonnx::aten
