// Layers with packed parameters.
#include "aten/quantised_traits.h"

namespace tonnx::aten {
namespace {

using enum QuantisedForm;

constexpr std::string_view kLinear = "aten::linear";
constexpr std::string_view kRelu = "aten::relu";

constexpr QuantisedTraits convolution(QuantisedForm form, int rank, std::string_view after = {}) {
  QuantisedTraits traits{.form = form, .after = after, .rank = rank};
  traits.real = rank == 1 ? "aten::conv1d" : rank == 2 ? "aten::conv2d" : "aten::conv3d";
  traits.transposed = rank == 1   ? "aten::conv_transpose1d"
                      : rank == 2 ? "aten::conv_transpose2d.input"
                                  : "aten::conv_transpose3d.input";
  return traits;
}

constexpr QuantisedRow kRows[] = {
    {"quantized::conv_prepack", {.form = Pack}},
    {"quantized::conv1d_prepack", {.form = Pack}},
    {"quantized::conv2d_prepack", {.form = Pack}},
    {"quantized::conv3d_prepack", {.form = Pack}},
    {"quantized::conv_transpose1d_prepack", {.form = Pack}},
    {"quantized::conv_transpose2d_prepack", {.form = Pack}},
    {"quantized::conv_transpose3d_prepack", {.form = Pack}},
    {"quantized::embedding_bag_prepack", {.form = Pack}},
    {"quantized::linear_prepack", {.form = Pack}},
    {"quantized::linear_prepack_fp16", {.form = Pack, .halves = true}},
    {"quantized::make_quantized_cell_params_dynamic", {.form = PackCells}},
    {"quantized::make_quantized_cell_params_fp16", {.form = PackCells, .halves = true}},

    // optimize_for_mobile() packs weights for XNNPACK.
    {"prepacked::*", {.form = Refused}},
    {"prepacked::conv2d_clamp_prepack", {.form = Pack, .floats = true}},
    {"prepacked::conv2d_transpose_clamp_prepack", {.form = Pack, .floats = true}},
    {"prepacked::linear_clamp_prepack", {.form = Pack, .floats = true}},
    {"prepacked::conv2d_clamp_run", convolution(PrepackedConvolution, 2)},
    {"prepacked::conv2d_transpose_clamp_run", convolution(PrepackedConvolution, 2)},
    {"prepacked::linear_clamp_run", {.form = PrepackedLinear, .real = kLinear}},

    {"quantized::linear", {.form = Linear, .real = kLinear}},
    {"quantized::linear_leaky_relu", {.form = Linear, .real = kLinear, .after = "aten::leaky_relu"}},
    {"quantized::linear_relu", {.form = Linear, .real = kLinear, .after = kRelu}},
    {"quantized::linear_tanh", {.form = Linear, .real = kLinear, .after = "aten::tanh"}},
    {"quantized::linear_dynamic", {.form = DynamicLinear, .real = kLinear}},
    {"quantized::linear_relu_dynamic", {.form = DynamicLinear, .real = kLinear, .after = kRelu}},
    {"quantized::linear_dynamic_fp16", {.form = DynamicLinear, .real = kLinear, .halves = true}},
    {"quantized::linear_relu_dynamic_fp16", {.form = DynamicLinear, .real = kLinear, .after = kRelu, .halves = true}},
    {"quantized::linear_with_input_q_dq_qweight_dq_output_fp32", {.form = LinearOfFloats, .real = kLinear}},
    {"quantized::linear_with_input_q_dq_qweight_dq_relu_output_fp32",
     {.form = LinearOfFloats, .real = kLinear, .after = kRelu}},

    {"quantized::conv1d", convolution(Convolution, 1)},
    {"quantized::conv1d_relu", convolution(Convolution, 1, kRelu)},
    {"quantized::conv2d", convolution(Convolution, 2)},
    {"quantized::conv2d_relu", convolution(Convolution, 2, kRelu)},
    {"quantized::conv3d", convolution(Convolution, 3)},
    {"quantized::conv3d_relu", convolution(Convolution, 3, kRelu)},
    {"quantized::conv_transpose1d", convolution(Convolution, 1)},
    {"quantized::conv_transpose2d", convolution(Convolution, 2)},
    {"quantized::conv_transpose3d", convolution(Convolution, 3)},
    {"quantized::conv1d_dynamic", convolution(DynamicConvolution, 1)},
    {"quantized::conv2d_dynamic", convolution(DynamicConvolution, 2)},
    {"quantized::conv3d_dynamic", convolution(DynamicConvolution, 3)},
    {"quantized::conv_transpose1d_dynamic", convolution(DynamicConvolution, 1)},
    {"quantized::conv_transpose2d_dynamic", convolution(DynamicConvolution, 2)},
    {"quantized::conv_transpose3d_dynamic", convolution(DynamicConvolution, 3)},
    {"quantized::conv2d_add", convolution(ConvolutionAdd, 2)},
    {"quantized::conv2d_add_relu", convolution(ConvolutionAdd, 2, kRelu)},

    {"quantized::embedding_4bit", {.form = Embedding, .nibbles = true}},
    {"quantized::embedding_byte", {.form = Embedding}},
    {"quantized::embedding_bag_4bit", {.form = EmbeddingBag, .nibbles = true}},
    {"quantized::embedding_bag_byte", {.form = EmbeddingBag}},

    {"aten::quantized_gru", {.form = Recurrent, .real = "aten::gru.input", .dynamic = "tonnx::quantized_gru"}},
    {"aten::quantized_gru.data", {.form = Recurrent, .real = "aten::gru.data", .dynamic = "tonnx::quantized_gru.data"}},
    {"aten::quantized_lstm", {.form = Recurrent, .real = "aten::lstm.input", .dynamic = "tonnx::quantized_lstm"}},
    {"aten::quantized_lstm.data",
     {.form = Recurrent, .real = "aten::lstm.data", .dynamic = "tonnx::quantized_lstm.data"}},
    {"quantized::quantized_gru_cell_dynamic",
     {.form = GruCell, .real = "aten::gru_cell", .dynamic = "tonnx::quantized_gru"}},
    {"quantized::quantized_lstm_cell_dynamic", {.form = LstmCell, .real = "aten::lstm_cell"}},
    {"quantized::quantized_rnn_relu_cell_dynamic", {.form = RnnCell, .real = "aten::rnn_relu_cell"}},
    {"quantized::quantized_rnn_tanh_cell_dynamic", {.form = RnnCell, .real = "aten::rnn_tanh_cell"}},
};

}  // namespace

std::span<const QuantisedRow> quantised_layer_traits() { return kRows; }

}  // namespace tonnx::aten
