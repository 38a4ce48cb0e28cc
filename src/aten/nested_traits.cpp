#include "aten/nested_traits.h"

#include "aten/trait_table.h"

namespace tonnx::aten {
namespace {

using enum NestedForm;

constexpr NestedRow kRows[] = {
    // Copies and conversions.
    {"aten::alias", ByRow},
    {"aten::clone", ByRow},
    {"aten::contiguous", ByRow},
    {"aten::cpu", ByRow},
    {"aten::detach", ByRow},
    {"aten::to", ByRow},

    // Elementwise functions.
    {"aten::abs", ByRow},
    {"aten::add", ByRow},
    {"aten::add_", ByRow},
    {"aten::cos", ByRow},
    {"aten::div", ByRow},
    {"aten::dropout", ByRow},
    {"aten::dropout_", ByRow},
    {"aten::eq", ByRow},
    {"aten::fill_", ByRow},
    {"aten::ge", ByRow},
    {"aten::gelu", ByRow},
    {"aten::gelu_", ByRow},
    {"aten::gt", ByRow},
    {"aten::logical_not", ByRow},
    {"aten::mul", ByRow},
    {"aten::mul_", ByRow},
    {"aten::neg", ByRow},
    {"aten::relu", ByRow},
    {"aten::relu_", ByRow},
    {"aten::sgn", ByRow},
    {"aten::silu", ByRow},
    {"aten::silu_", ByRow},
    {"aten::sin", ByRow},
    {"aten::sqrt", ByRow},
    {"aten::sub", ByRow},
    {"aten::tanh", ByRow},
    {"aten::tanh_", ByRow},
    {"aten::zero_", ByRow},

    // Functions along the last axis.
    {"aten::layer_norm", ByRow},
    {"aten::linear", ByRow},
    {"aten::native_layer_norm", FirstByRow},
    {"aten::softmax.int", LastAxis},
    {"aten::sum.dim_IntList", LastAxis},

    // Properties.
    {"aten::dim", Reads},
    {"aten::is_floating_point", Reads},
    {"aten::is_complex", Reads},
    {"prim::device", Reads},
    {"prim::dtype", Reads},
    {"prim::requires_grad", Reads},
    {"aten::size.int", Size},
    {"prim::is_nested", IsNested},

    // Construction and conversion.
    {"aten::_nested_tensor_from_mask", FromMask},
    {"aten::_nested_tensor_from_mask.out", Refused},
    {"aten::_nested_tensor_from_mask_left_aligned", IsLeftAligned},
    {"aten::nested_to_padded_tensor", ToPadded},
    {"aten::to_padded_tensor", ToPadded},
    {"aten::to_padded_tensor.out", Refused},
    {"aten::_native_multi_head_attention", Attention},
    {"aten::_native_multi_head_attention.out", Refused},
    {"aten::_transformer_encoder_layer_fwd", EncoderLayer},
    {"aten::_transformer_encoder_layer_fwd.out", Refused},
    {"aten::_nested_from_padded", Refused},
    {"aten::_nested_from_padded_and_nested_example", Refused},
    {"aten::_nested_from_padded_tensor", Refused},
    {"aten::_nested_tensor_from_tensor_list", Refused},
    {"aten::_nested_view_from_buffer", Refused},
    {"aten::_nested_view_from_buffer_copy", Refused},
    {"aten::_nested_view_from_jagged", Refused},
    {"aten::_nested_view_from_jagged_copy", Refused},
};

const Rows<NestedRow>& table() {
  static const auto& table = *new Rows<NestedRow>({kRows});
  return table;
}

}  // namespace

NestedForm nested_form_of(const ir::Node& node) {
  return table().of(node.kind(), node.schema() ? std::string_view(node.schema()->overload) : std::string_view());
}

}  // namespace tonnx::aten
