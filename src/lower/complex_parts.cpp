#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/part_call.h"

// Operators that move, select, join or sum elements: they apply to both parts of a complex tensor separately.
namespace tonnx::lower {
namespace {

template <OperatorName Arguments>
Outputs by_parts(Op& op) {
  return on_each_part(op, std::string_view(Arguments));
}

// The sizes are those of either part.
Outputs of_sizes(Op& op) { return call_with(op, {{"self", Part::Real}, {"a", Part::Real}, {"t", Part::Real}}); }

// A reduction by product does not apply to the parts separately.
Outputs scatter(Op& op) {
  if (op.has("reduce") && op.text("reduce") != "add")
    op.refuse_argument("reduce", "'" + op.text("reduce") + "' is not supported for complex tensors");
  return on_each_part(op, "self src value");
}

constexpr Lowering kSelf = by_parts<"self">;
constexpr Lowering kTensors = by_parts<"tensors">;
constexpr Lowering kSource = by_parts<"self src">;

constexpr Row kComplexPartsRows[] = {
    // Reshapes and permutations.
    {"aten::view", 7, kSelf},
    {"aten::view_copy", 7, kSelf},
    {"aten::view_as", 7, by_parts<"self ~other">},
    {"aten::reshape", 7, kSelf},
    {"aten::reshape_as", 7, by_parts<"self ~other">},
    {"aten::_unsafe_view", 7, kSelf},
    {"aten::flatten", 7, kSelf},
    {"aten::unflatten", 7, kSelf},
    {"aten::ravel", 7, kSelf},
    {"aten::squeeze", 7, kSelf},
    {"aten::squeeze_copy", 7, kSelf},
    {"aten::unsqueeze", 7, kSelf},
    {"aten::unsqueeze_copy", 7, kSelf},
    {"aten::permute", 7, kSelf},
    {"aten::permute_copy", 7, kSelf},
    {"aten::transpose", 7, kSelf},
    {"aten::transpose_copy", 7, kSelf},
    {"aten::t", 7, kSelf},
    {"aten::t_copy", 7, kSelf},
    {"aten::numpy_T", 7, kSelf},
    {"aten::mT", 7, kSelf},
    {"aten::swapaxes", 7, kSelf},
    {"aten::swapdims", 7, kSelf},
    {"aten::movedim", 7, kSelf},
    {"aten::moveaxis", 7, kSelf},
    {"aten::atleast_1d", 7, kSelf},
    {"aten::atleast_2d", 7, kSelf},
    {"aten::atleast_3d", 7, kSelf},
    {"aten::atleast_1d.Sequence", 7, kTensors},
    {"aten::atleast_2d.Sequence", 7, kTensors},
    {"aten::atleast_3d.Sequence", 7, kTensors},
    {"aten::expand", 7, kSelf},
    {"aten::expand_copy", 7, kSelf},
    {"aten::expand_as", 7, by_parts<"self ~other">},
    {"aten::broadcast_to", 7, kSelf},
    {"aten::broadcast_tensors", 7, kTensors},
    {"aten::meshgrid", 7, kTensors},
    {"aten::repeat", 7, kSelf},
    {"aten::tile", 7, kSelf},
    {"aten::repeat_interleave.self_int", 7, kSelf},
    {"aten::repeat_interleave.self_Tensor", 11, kSelf},
    {"aten::flip", 7, kSelf},
    {"aten::fliplr", 7, kSelf},
    {"aten::flipud", 7, kSelf},
    {"aten::roll", 7, kSelf},
    {"aten::rot90", 7, kSelf},
    {"aten::fft_fftshift", 7, kSelf},
    {"aten::fft_ifftshift", 7, kSelf},
    {"aten::pixel_shuffle", 7, kSelf},
    {"aten::pixel_unshuffle", 7, kSelf},
    {"aten::channel_shuffle", 7, kSelf},
    {"aten::size", 7, of_sizes},
    {"aten::sym_size", 7, of_sizes},
    {"aten::dim", 7, of_sizes},
    {"aten::numel", 7, of_sizes},
    {"aten::sym_numel", 7, of_sizes},
    {"aten::len.Tensor", 7, of_sizes},
    {"aten::_shape_as_tensor", 7, of_sizes},
    // Slices and selections.
    {"aten::select.int", 7, kSelf},
    {"aten::select_copy", 7, kSelf},
    {"aten::slice.Tensor", 7, kSelf},
    {"aten::slice_copy", 7, kSelf},
    {"aten::narrow", 7, kSelf},
    {"aten::narrow_copy", 7, kSelf},
    {"aten::index", 7, kSelf},
    {"aten::index_select", 7, kSelf},
    {"aten::gather", 7, kSelf},
    {"aten::take", 7, kSelf},
    {"aten::take_along_dim", 7, kSelf},
    {"aten::masked_select", 9, kSelf},
    {"aten::unfold", 7, kSelf},
    {"aten::unfold_copy", 7, kSelf},
    {"aten::diagonal", 7, kSelf},
    {"aten::diagonal_copy", 7, kSelf},
    {"aten::linalg_diagonal", 7, by_parts<"A">},
    {"aten::im2col", 7, kSelf},
    {"aten::combinations", 9, kSelf},
    {"aten::_unsafe_masked_index", 9, by_parts<"self fill">},
    {"aten::diag", 7, kSelf},
    {"aten::diag_embed", 7, kSelf},
    {"aten::diagflat", 7, kSelf},
    {"aten::tril", 7, kSelf},
    {"aten::triu", 7, kSelf},
    {"aten::split", 7, kSelf},
    {"aten::split_with_sizes", 7, kSelf},
    {"aten::split_with_sizes_copy", 7, kSelf},
    {"aten::unsafe_split", 7, kSelf},
    {"aten::unsafe_split_with_sizes", 7, kSelf},
    {"aten::chunk", 7, kSelf},
    {"aten::unsafe_chunk", 7, kSelf},
    {"aten::tensor_split", 7, kSelf},
    {"aten::hsplit", 7, kSelf},
    {"aten::vsplit", 7, kSelf},
    {"aten::dsplit", 7, kSelf},
    {"aten::unbind", 7, kSelf},
    {"aten::unbind_copy", 7, kSelf},
    // Concatenations and writes.
    {"aten::cat", 7, kTensors},
    {"aten::concat", 7, kTensors},
    {"aten::concatenate", 7, kTensors},
    {"aten::stack", 7, kTensors},
    {"aten::hstack", 7, kTensors},
    {"aten::vstack", 7, kTensors},
    {"aten::dstack", 7, kTensors},
    {"aten::row_stack", 7, kTensors},
    {"aten::column_stack", 7, kTensors},
    {"aten::block_diag", 7, kTensors},
    {"aten::cartesian_prod", 7, kTensors},
    {"aten::_chunk_cat", 7, kTensors},
    {"aten::constant_pad_nd", 7, by_parts<"self value">},
    {"aten::nan_to_num", 9, kSelf},
    {"aten::pad", 7, by_parts<"self value">},
    {"aten::reflection_pad1d", 7, kSelf},
    {"aten::reflection_pad2d", 7, kSelf},
    {"aten::reflection_pad3d", 7, kSelf},
    {"aten::replication_pad1d", 7, kSelf},
    {"aten::replication_pad2d", 7, kSelf},
    {"aten::replication_pad3d", 7, kSelf},
    {"aten::where.self", 7, by_parts<"self other">},
    {"aten::where.Scalar", 7, by_parts<"self other">},
    {"aten::where.ScalarSelf", 7, by_parts<"self other">},
    {"aten::where.ScalarOther", 7, by_parts<"self other">},
    {"aten::masked_fill", 7, by_parts<"self value">},
    {"aten::masked_scatter", 11, by_parts<"self source">},
    {"aten::copy", 7, kSource},
    {"aten::fill", 7, by_parts<"self value">},
    {"aten::index_put", 7, by_parts<"self values">},
    {"aten::_unsafe_masked_index_put_accumulate", 9, by_parts<"self values">},
    {"aten::col2im", 7, kSelf},
    {"aten::index_add", 7, by_parts<"self source">},
    {"aten::index_copy", 9, by_parts<"self source">},
    {"aten::index_fill", 7, by_parts<"self value">},
    {"aten::put", 7, by_parts<"self source">},
    {"aten::scatter", 9, scatter},
    {"aten::scatter_add", 7, kSource},
    {"aten::select_scatter", 7, kSource},
    {"aten::slice_scatter", 7, kSource},
    {"aten::diagonal_scatter", 7, kSource},
    {"aten::as_strided", 7, kSelf},
    {"aten::as_strided_copy", 7, kSelf},
    {"aten::as_strided_scatter", 7, kSource},
    // Sums.
    {"aten::add", 7, by_parts<"self other">},
    {"aten::sub", 7, by_parts<"self other">},
    {"aten::subtract", 7, by_parts<"self other">},
    {"aten::rsub", 7, by_parts<"self other">},
    {"aten::neg", 7, kSelf},
    {"aten::negative", 7, kSelf},
    {"aten::_neg_view", 7, kSelf},
    {"aten::_neg_view_copy", 7, kSelf},
    {"aten::sum", 7, kSelf},
    {"aten::mean", 7, kSelf},
    {"aten::cumsum", 7, kSelf},
    {"aten::diff", 7, by_parts<"self prepend append">},
    {"aten::trace", 7, kSelf},
    {"aten::trapezoid", 7, by_parts<"y">},
    {"aten::trapz", 7, by_parts<"y">},
    {"aten::cumulative_trapezoid", 11, by_parts<"y">},
    {"aten::sum_to_size", 7, kSelf},
    {"aten::gradient", 7, kSelf},
    {"aten::ldexp", 7, kSelf},
};

}  // namespace

std::span<const Row> complex_parts_rows() { return kComplexPartsRows; }

}  // namespace tonnx::lower
