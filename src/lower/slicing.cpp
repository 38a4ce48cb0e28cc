#include <algorithm>
#include <limits>

#include "lower/convolution.h"
#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/require.h"
#include "lower/sizes.h"
#include "lower/strided.h"
#include "lower/whole.h"

// Regular parts of a tensor: select, slice, narrow, windows, diagonals, patches.
namespace tonnx::lower {
namespace {

Outputs select_index(Op& op) {
  Value* x = op.tensor("self");
  return op->gather(x, op.scalar("index", DType::Int64), op.axis("dim", x));
}

Outputs slice(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value *start = slice_bound(op, "start"), *end = slice_bound(op, "end");
  if (op.is_constant("step")) return slice_between(op, x, axis, start, end, op.integer("step"));
  const auto vector = [&](Value* at, std::int64_t otherwise) {
    return at ? op->reshape(at, {1}) : op->int64s({otherwise});
  };
  return op->slice(x, vector(start, 0), vector(end, INT64_MAX), op->int64s({axis}),
                   vector(op.scalar("step", DType::Int64), 1));
}

// narrow(dim, start, length): start is an int or a tensor
Outputs narrow(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* start = op.scalar("start", DType::Int64);
  Value* length = op.scalar("length", DType::Int64);
  const auto known = known_integers(start), count = known_integers(length);
  if (known && count && known->front() < 0) {
    const std::int64_t end = known->front() + count->front();
    return slice_between(op, x, axis, start, end == 0 ? nullptr : op->int64(end));
  }
  if (!known || known->front() < 0) start = op->element_from_front(start, x, axis);
  Value* end = add_sizes(op.builder(), start, length);
  const auto size = op.fixed_size(x, axis), last = known_integer(end);
  if (!size || !last) x = require(op.builder(), x, less_equal(op.builder(), end, op->size_scalar(x, axis)));
  return slice_between(op, x, axis, start, end);
}

// The first indices of windows of `span` elements, `step` apart, over `size` elements (rank 0).
Value* window_starts(Op& op, Value* size, std::int64_t span, std::int64_t step) {
  Builder& b = op.builder();
  if (const auto n = known_integers(size)) {
    Dims starts;
    for (std::int64_t at = 0; at + span <= n->front(); at += step) starts.push_back(at);
    return b.int64s(starts);
  }
  Value* count = b.add(b.div(b.sub(size, b.int64(span)), b.int64(step)), b.int64(1));
  return b.mul(b.range(count), b.int64(step));
}

// Indices [rows, columns] = starts of rows + offsets of columns.
Value* grid(Op& op, Value* rows, Value* columns) {
  const auto r = known_integers(rows), c = known_integers(columns);
  if (!r || !c) return op->add(op->unsqueeze(rows, {1}), op->unsqueeze(columns, {0}));
  Dims all;
  for (const std::int64_t i : *r)
    for (const std::int64_t k : *c) all.push_back(i + k);
  return op->reshape(op->int64s(all), {static_cast<std::int64_t>(r->size()), static_cast<std::int64_t>(c->size())});
}

Value* steps(Op& op, std::int64_t count, std::int64_t step) {
  Dims numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(i * step);
  return op->int64s(numbers);
}

// The windows along the axis, (..., windows, elements, ...), for a dynamic window size or step. The model fails for
// those that LibTorch refuses: a window beyond the axis, a negative one, a step below 1.
Value* open_windows(Op& op, Value* x, std::int64_t axis) {
  Builder& b = op.builder();
  Value* size = b.size_scalar(x, axis);
  Value* span = op.scalar("size", DType::Int64);
  Value* step = op.scalar("step", DType::Int64);
  Value *zero = b.int64(0), *one = b.int64(1);
  Value* fits = b.op("And", {less_equal(b, zero, span), less_equal(b, span, size)});
  x = require(b, x, b.op("And", {fits, less(b, zero, step)}));
  Value* stride = maximum(b, step, one);
  Value* count = b.add(b.div(b.sub(size, span), stride), one);
  return b.take(x, b.add(b.unsqueeze(b.mul(b.range(count), stride), {1}), b.unsqueeze(b.range(span), {0})), axis);
}

// Tensor.unfold: the elements of a window become a new last axis.
Outputs windows(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t rank = op.rank_of(x);
  const bool is_known = op.is_constant("size") && op.is_constant("step");
  if (!is_known && rank > 0) {
    const std::int64_t axis = op.axis("dimension", x);
    return op->transpose(open_windows(op, x, axis), order_with_back(rank + 1, {axis + 1}));
  }
  const std::int64_t span = op.integer("size"), step = op.integer("step");
  if (rank == 0)
    return span == 1 ? op->reshape(x, {1}) : op->constant(ir::Tensor::from_bytes(op.dtype_of(x), {0}, nullptr, 0));
  const std::int64_t axis = op.axis("dimension", x);
  if (!op.fixed_size(x, axis))
    x = require(op.builder(), x, less_equal(op.builder(), op->int64(span), op->size_scalar(x, axis)));
  Value* positions = grid(op, window_starts(op, op->size_scalar(x, axis), span, step), steps(op, span, 1));
  Value* y = op->take(x, positions, axis);
  return op->transpose(y, order_with_back(rank + 1, {axis + 1}));
}

Outputs as_strided(Op& op) {
  if (!has_known_positions(op)) {
    Value* positions = strided_positions_at_run_time(op, op.result());
    return op->take(op->flatten_to_vector(op.tensor("self")), positions, 0);
  }
  const Dims size = op.integers("size");
  std::int64_t count = 1;
  for (const std::int64_t n : size) count *= n;
  if (count > (std::int64_t{1} << 24))
    op.refuse("as_strided of more than 2^24 elements is not supported: the index table would be too large");
  Value* flat = op->flatten_to_vector(op.tensor("self"));
  ir::Tensor table = ir::Tensor::of_int64(strided_positions(op));
  table.dims = size;
  table.strides = ir::contiguous_strides(size);
  return op->take(flat, op->constant(table), 0);
}

// Element i of a diagonal is at start + i * (columns + 1) of the flattened matrix.
Value* diagonal_of(Op& op, Value* x, std::int64_t offset, std::int64_t rows_axis, std::int64_t columns_axis) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  Value* y = b.transpose(x, order_with_back(rank, {rows_axis, columns_axis}));
  const auto rows = op.fixed_size(y, rank - 2), columns = op.fixed_size(y, rank - 1);
  Value* positions = nullptr;
  if (rows && columns) {
    Dims numbers;
    for (std::int64_t r = std::max<std::int64_t>(-offset, 0); r < *rows && r + offset < *columns; ++r)
      numbers.push_back(r * *columns + r + offset);
    positions = b.int64s(numbers);
  } else {
    Value* height = b.size_scalar(y, rank - 2);
    Value* width = b.size_scalar(y, rank - 1);
    Value* below = offset < 0 ? b.add(height, b.int64(offset)) : height;
    Value* right = offset > 0 ? b.sub(width, b.int64(offset)) : width;
    Value* length = b.where(less(b, below, right), below, right);
    length = b.where(less(b, length, b.int64(0)), b.int64(0), length);
    positions = b.mul(b.range(length), b.add(width, b.int64(1)));
    if (offset > 0) positions = b.add(positions, b.int64(offset));
    if (offset < 0) positions = b.add(positions, b.mul(width, b.int64(-offset)));
  }
  return b.take(merge_axes(op, y, rank - 2, 2), positions, rank - 2);
}

// The same with a dynamic offset: computes the row and column of the first element.
Value* diagonal_from(Op& op, Value* x, Value* offset, std::int64_t rows_axis, std::int64_t columns_axis) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  Value* y = b.transpose(x, order_with_back(rank, {rows_axis, columns_axis}));
  Value* zero = b.int64(0);
  Value* width = b.size_scalar(y, rank - 1);
  Value* row = b.op("Neg", {minimum(b, offset, zero)});
  Value* column = maximum(b, offset, zero);
  Value* length = minimum(b, b.sub(b.size_scalar(y, rank - 2), row), b.sub(width, column));
  Value* first = b.add(b.mul(row, width), column);
  Value* positions = b.add(b.mul(b.range(maximum(b, length, zero)), b.add(width, b.int64(1))), first);
  return b.take(merge_axes(op, y, rank - 2, 2), positions, rank - 2);
}

Outputs diagonal(Op& op) {
  Value* x = op.tensor("self");
  if (!op.is_constant("offset"))
    return diagonal_from(op, x, op.scalar("offset", DType::Int64), op.axis("dim1", x), op.axis("dim2", x));
  return diagonal_of(op, x, op.integer("offset"), op.axis("dim1", x), op.axis("dim2", x));
}

Outputs linalg_diagonal(Op& op) {
  Value* x = op.tensor("A");
  return diagonal_of(op, x, op.integer("offset"), op.axis("dim1", x), op.axis("dim2", x));
}

// Matrices in the last two axes, with the last axis of x as diagonal.
Value* matrix_with_diagonal(Op& op, Value* x, std::int64_t offset) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  const std::int64_t shift = offset < 0 ? -offset : offset;
  Dims pads(static_cast<std::size_t>(2 * rank), 0);
  pads.back() = shift;
  Value* padded = b.pad(x, pads);
  Value* on_diagonal = nullptr;
  if (const auto n = op.fixed_size(x, -1)) {
    const std::int64_t side = *n + shift;
    std::vector<std::byte> bits(static_cast<std::size_t>(side * side));
    for (std::int64_t r = 0; r < side; ++r)
      if (r + offset >= 0 && r + offset < side) bits[static_cast<std::size_t>(r * side + r + offset)] = std::byte{1};
    on_diagonal = b.constant(ir::Tensor::from_bytes(DType::Bool, {side, side}, bits.data(), bits.size()));
  } else {
    Value* range = b.range(b.add(b.size_scalar(x, -1), b.int64(shift)));
    on_diagonal = equal(b, b.add(b.unsqueeze(range, {1}), b.int64(offset)), b.unsqueeze(range, {0}));
  }
  Value* elements = b.unsqueeze(padded, {offset < 0 ? rank - 1 : rank});
  return b.where(on_diagonal, elements, b.scalar(op.dtype_of(x), std::int64_t{0}));
}

// The same for a dynamic offset: the element's index on the diagonal is the smaller of row and column.
Value* matrix_with_open_diagonal(Op& op, Value* x, Value* offset) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  Dims pads(static_cast<std::size_t>(2 * rank), 0);
  pads.back() = 1;
  Value* count = b.size_scalar(x, -1);
  Value* places = b.range(b.add(count, b.op("Abs", {offset})));
  Value* rows = b.unsqueeze(places, {1});
  Value* columns = b.unsqueeze(places, {0});
  Value* on_diagonal = equal(b, b.add(rows, offset), columns);
  Value* smaller = b.where(less(b, rows, columns), rows, columns);
  Value* elements = b.gather(b.pad(x, pads), b.where(on_diagonal, smaller, count), rank - 1);
  return b.where(on_diagonal, elements, b.scalar(op.dtype_of(x), std::int64_t{0}));
}

Value* matrix_with_diagonal(Op& op, Value* x, const char* argument) {
  if (op.is_constant(argument)) return matrix_with_diagonal(op, x, op.integer(argument));
  return matrix_with_open_diagonal(op, x, op.scalar(argument, DType::Int64));
}

Outputs diag_embed(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t rank = op.rank_of(x) + 1;
  const std::int64_t first = op.wrap_axis(op.integer("dim1"), rank), second = op.wrap_axis(op.integer("dim2"), rank);
  Value* y = matrix_with_diagonal(op, x, "offset");
  return op->transpose(y, inverse_order(order_with_back(rank, {first, second})));
}

Outputs diag(Op& op) {
  Value* x = op.tensor("self");
  if (op.rank_of(x) == 2 && !op.is_constant("diagonal"))
    return diagonal_from(op, x, op.scalar("diagonal", DType::Int64), 0, 1);
  return op.rank_of(x) == 1 ? matrix_with_diagonal(op, x, "diagonal")
                            : diagonal_of(op, x, op.integer("diagonal"), 0, 1);
}

Outputs diagflat(Op& op) { return matrix_with_diagonal(op, op->flatten_to_vector(op.tensor("self")), "offset"); }

Outputs trace(Op& op) {
  Value* y = diagonal_of(op, op.tensor("self"), 0, 0, 1);
  if (op.result().dtype != DType::Undefined) y = op->cast(y, op.result().dtype);
  if (op.dtype_of(y) == DType::Int64) return whole_sum(op.builder(), y, Dims{0}, false);
  return op->reduce("ReduceSum", y, Dims{0}, false);
}

Dims pair(Op& op, std::string_view argument) {
  Dims list = op.integers(argument);
  if (list.size() == 1) list.push_back(list.front());
  if (list.size() != 2) op.refuse_argument(argument, "must be two numbers");
  return list;
}

Values open_pair(Op& op, std::string_view argument) {
  auto numbers = listed_numbers(op, argument);
  if (!numbers || numbers->empty() || numbers->size() > 2) op.refuse_argument(argument, "must be two numbers");
  numbers->resize(2, numbers->back());
  return *numbers;
}

// The windows of the batched x, [N, C, kernel, positions, kernel, positions], for dynamic window parameters.
Value* open_columns(Op& op, Value* x) {
  Builder& b = op.builder();
  const Values kernel = open_pair(op, "kernel_size"), dilation = open_pair(op, "dilation"),
               padding = open_pair(op, "padding"), stride = open_pair(op, "stride");
  Value* y = b.pad(x, Dims{0, 0, 0, 0, 0, 0, 1, 1});  // one more element on each axis, for indices outside the image
  for (std::size_t i = 0; i < 2; ++i) {
    Value* size = b.size_scalar(x, 2 + static_cast<std::int64_t>(i));
    Value* offsets = b.mul(b.range(kernel[i]), dilation[i]);
    Value* rest = b.sub(b.add(size, b.mul(b.int64(2), padding[i])),
                        b.add(b.mul(dilation[i], b.sub(kernel[i], b.int64(1))), b.int64(1)));
    Value* starts = b.sub(b.mul(b.range(b.add(b.div(rest, stride[i]), b.int64(1))), stride[i]), padding[i]);
    Value* places = b.add(b.unsqueeze(offsets, {1}), b.unsqueeze(starts, {0}));
    places = b.where(less(b, places, b.int64(0)), size, minimum(b, places, size));
    y = b.take(y, places, 2 + 2 * static_cast<std::int64_t>(i));
  }
  return y;
}

Outputs columns_of(Op& op, Value* windows, bool batched) {
  Value* y = op->transpose(windows, {0, 1, 2, 4, 3, 5});
  y = merge_axes(op, merge_axes(op, y, 4, 2), 1, 3);
  return batched ? y : op->squeeze(y, {0});
}

// im2col: [N, C, H, W] -> [N, C * kernel, positions]
Outputs im2col(Op& op) {
  Value* x = op.tensor("self");
  static constexpr const char* kNumbers[] = {"kernel_size", "dilation", "padding", "stride"};
  if (!std::ranges::all_of(kNumbers, [&](const char* name) { return op.is_constant(name); })) {
    const bool batched = op.rank_of(x) == 4;
    return columns_of(op, open_columns(op, batched ? x : op->unsqueeze(x, {0})), batched);
  }
  const Dims kernel = pair(op, "kernel_size"), dilation = pair(op, "dilation"), padding = pair(op, "padding"),
             stride = pair(op, "stride");
  const bool batched = op.rank_of(x) == 4;
  if (!batched) x = op->unsqueeze(x, {0});
  Value* y = op->pad(x, Dims{0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]});
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t axis = 2 + 2 * static_cast<std::int64_t>(i);
    const std::int64_t span = dilation[i] * (kernel[i] - 1) + 1;
    Value* starts = window_starts(op, op->size_scalar(y, axis), span, stride[i]);
    y = op->take(y, grid(op, steps(op, kernel[i], dilation[i]), starts), axis);
  }
  return columns_of(op, y, batched);
}

// Adds the columns to the image by a transposed convolution whose kernels contain a single one each.
Value* put_back(Op& op, Value* images, const Dims& kernel, const Dims& dilation, const Dims& stride) {
  const std::int64_t taps = kernel[0] * kernel[1];
  std::vector<float> weights(static_cast<std::size_t>(taps * taps), 0.0F);
  for (std::int64_t i = 0; i < taps; ++i) weights[static_cast<std::size_t>(i * taps + i)] = 1.0F;
  const ir::Tensor table = ir::Tensor::from_bytes(DType::Float32, {taps, 1, kernel[0], kernel[1]}, weights.data(),
                                                  weights.size() * sizeof(float));
  Value* kernels = op->cast(op->constant(table), op.dtype_of(images));
  if (lacks_convolution(op.builder(), true, images))
    return convolution_by_product(op, true, images, kernels, {stride, Dims(4), dilation, Dims(2), 1});
  return op->op("ConvTranspose", {images, kernels},
                {{"strides", stride}, {"dilations", dilation}, {"kernel_shape", kernel}});
}

// The same for a dynamic image size; less than one step at the end is not covered by windows.
Value* columns_to_open_image(Op& op, Value* x, const Dims& kernel, const Dims& dilation, const Dims& padding,
                             const Dims& stride) {
  Builder& b = op.builder();
  const std::int64_t taps = kernel[0] * kernel[1];
  const auto channels = op.fixed_size(x, 1);
  if (!channels) op.refuse("the number of channels must be known");
  Value* image = op.int_vector("output_size");
  Dims around(2);
  for (std::size_t i = 0; i < 2; ++i) around[i] = 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1;
  Value* positions = b.add(b.div(b.add(image, b.int64s(around)), b.int64s(stride)), b.int64s({1, 1}));
  Value* y = put_back(op, b.reshape(x, b.concat({b.int64s({-1, taps}), positions}, 0)), kernel, dilation, stride);
  y = b.pad(y, Dims{0, 0, 0, 0, 0, 0, stride[0] - 1, stride[1] - 1});
  y = b.slice(y, b.int64s(padding), b.add(image, b.int64s(padding)), b.int64s({2, 3}));
  return b.reshape(y, b.concat({b.int64s({-1, *channels / taps}), image}, 0));
}

Value* columns_to_image(Op& op, Value* x, const Dims& image, const Dims& kernel, const Dims& dilation,
                        const Dims& padding, const Dims& stride) {
  Builder& b = op.builder();
  const std::int64_t taps = kernel[0] * kernel[1];
  Dims positions(2), rest(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t span = dilation[i] * (kernel[i] - 1) + 1;
    positions[i] = (image[i] + 2 * padding[i] - span) / stride[i] + 1;
    rest[i] = image[i] + 2 * padding[i] - span - (positions[i] - 1) * stride[i];
  }
  const auto channels = op.fixed_size(x, 1);
  if (!channels) op.refuse("the number of channels must be known");
  Value* y = put_back(op, b.reshape(x, {-1, taps, positions[0], positions[1]}), kernel, dilation, stride);
  // Elements that no window covers are zero; then the padding is removed.
  y = b.pad(y, Dims{0, 0, 0, 0, 0, 0, rest[0], rest[1]});
  for (std::size_t i = 0; i < 2; ++i)
    y = b.slice(y, 2 + static_cast<std::int64_t>(i), padding[i], padding[i] + image[i]);
  return b.reshape(y, {-1, *channels / taps, image[0], image[1]});
}

Outputs col2im(Op& op) {
  Value* x = op.tensor("self");
  const Dims kernel = pair(op, "kernel_size"), dilation = pair(op, "dilation"), padding = pair(op, "padding"),
             stride = pair(op, "stride");
  const bool batched = op.rank_of(x) == 3;
  if (!batched) x = op->unsqueeze(x, {0});
  Value* y = nullptr;
  if (op.opset() >= 18 && op->serves("Col2Im", x)) {
    y = op->op(
        "Col2Im", {x, op.int_vector("output_size"), op->int64s(kernel)},
        {{"dilations", dilation}, {"pads", Dims{padding[0], padding[1], padding[0], padding[1]}}, {"strides", stride}});
  } else if (op.is_constant("output_size")) {
    y = columns_to_image(op, x, pair(op, "output_size"), kernel, dilation, padding, stride);
  } else {
    if (op.opset() < 10) op.needs_opset(10, "an image of a size known at run time only");
    y = columns_to_open_image(op, x, kernel, dilation, padding, stride);
  }
  return batched ? y : op->squeeze(y, {0});
}

constexpr Row kSlicingRows[] = {
    {"aten::select", 7, select_index},
    {"aten::select.int", 7, select_index},
    {"aten::select_copy", 7, select_index},
    {"aten::slice.Tensor", 7, slice},
    {"aten::slice_copy", 7, slice},
    {"aten::narrow", 7, narrow},
    {"aten::narrow_copy", 7, narrow},
    {"aten::unfold", 7, windows},
    {"aten::unfold_copy", 7, windows},
    {"aten::as_strided", 7, as_strided},
    {"aten::as_strided_copy", 7, as_strided},
    {"aten::diagonal", 7, diagonal},
    {"aten::diagonal_copy", 7, diagonal},
    {"aten::linalg_diagonal", 7, linalg_diagonal},
    {"aten::diag_embed", 7, diag_embed},
    {"aten::diag", 7, diag},
    {"aten::diagflat", 7, diagflat},
    {"aten::trace", 7, trace},
    {"aten::im2col", 7, im2col},
    {"aten::col2im", 7, col2im},
};

}  // namespace

std::span<const Row> slicing_rows() { return kSlicingRows; }

}  // namespace tonnx::lower
