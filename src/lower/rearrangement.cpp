#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/promotion.h"
#include "lower/whole.h"

// Shifts to and from a centre, channel and pixel shuffles, and sums to the shape of a broadcast operand.
namespace tonnx::lower {
namespace {

// Rolls each axis so that its element `first` comes first.
template <bool kToCentre>
Outputs shift(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Dims axes = op.is_none("dim") ? order_with_front(op.rank_of(x), {}) : op.axes("dim", x);
  for (const std::int64_t axis : axes) {
    const Term size{b, b.size_scalar(x, axis)};
    const auto fixed = op.fixed_size(x, axis);
    Value* first = fixed ? b.int64((*fixed + kToCentre) / 2) : ((size + (kToCentre ? 1 : 0)) / 2).value();
    x = b.concat({slice_between(op, x, axis, first, nullptr), slice_between(op, x, axis, nullptr, first)}, axis);
  }
  return x;
}

// aten::sum_to_size: removes leading axes by sums; axes of size 1 keep their sum
Outputs sum_to_size(Op& op) {
  Value* x = op->cast(op.tensor("self"), op.result_dtype());  // sums of integers are int64
  const Dims sizes = op.integers("size");
  const std::int64_t leading = op.rank_of(x) - static_cast<std::int64_t>(sizes.size());
  if (leading < 0) op.refuse_argument("size", "has more axes than the tensor");
  Dims gone, kept;
  for (std::int64_t i = 0; i < leading; ++i) gone.push_back(i);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t axis = leading + static_cast<std::int64_t>(i);
    if (sizes[i] == 1 && op.fixed_size(x, axis) != 1) kept.push_back(axis);
  }
  const auto sum = [&](const Dims& axes, bool keep) {
    return op.dtype_of(x) == DType::Int64 ? whole_sum(op.builder(), x, axes, keep)
                                          : op->reduce("ReduceSum", x, axes, keep);
  };
  if (!kept.empty()) x = sum(kept, true);
  return gone.empty() ? x : sum(gone, false);
}

Outputs isreal(Op& op) {
  Value* x = op.tensor("self");
  return op->constant_of_shape(op->shape(x), DType::Bool, 1);
}

// (..., channels, height, width) as (batch, channels, height, width).
Value* to_images(Builder& b, Value* x, std::int64_t rank) {
  if (rank == 4) return x;
  if (rank == 3) return b.unsqueeze(x, {0});
  return b.reshape(x, b.concat({b.int64s({-1}), b.slice(b.shape(x), 0, rank - 3, rank)}, 0));
}

Value* from_images(Builder& b, Value* y, Value* x, std::int64_t rank) {
  if (rank == 4) return y;
  if (rank == 3) return b.squeeze(y, {0});
  return b.reshape(y, b.concat({b.slice(b.shape(x), 0, 0, rank - 3), b.slice(b.shape(y), 0, 1, 4)}, 0));
}

// Products of sizes, as vectors of one element; constant if both operands are.
Value* times(Builder& b, Value* size, Value* factor) {
  const ir::Constant *n = size->constant(), *f = factor->constant();
  return n && f ? b.int64s({n->as_int64() * f->as_int64()}) : b.mul(size, factor);
}

Value* over(Builder& b, Value* size, Value* divisor) {
  const ir::Constant *n = size->constant(), *d = divisor->constant();
  return n && d ? b.int64s({n->as_int64() / d->as_int64()}) : b.div(size, divisor);
}

// Images without elements, of these sizes after the batch axes of x.
Value* nothing(Builder& b, Value* x, std::int64_t rank, const Values& sizes) {
  Values all;
  for (std::int64_t i = 0; i < rank - 3; ++i) all.push_back(b.size(x, i));
  all.insert(all.end(), sizes.begin(), sizes.end());
  return b.constant_of_shape(b.join_sizes(all), x->facts().dtype, 0);
}

Outputs pixel_shuffle(Op& op) {
  Builder& b = op.builder();
  Value* source = op.tensor("self");
  const std::int64_t rank = op.rank_of(source);
  Value *factor = op.int_vector("upscale_factor"), *square = times(b, factor, factor);
  if (is_known_empty(source))
    return nothing(b, source, rank,
                   {over(b, b.size(source, -3), square), times(b, b.size(source, -2), factor),
                    times(b, b.size(source, -1), factor)});
  Value* x = to_images(b, source, rank);
  if (op.opset() >= 11 && op.dtype_of(x) != DType::Int64 && op.is_constant("upscale_factor")) {
    Value* y = b.op("DepthToSpace", {x}, {{"blocksize", op.integer("upscale_factor")}, {"mode", std::string("CRD")}});
    return from_images(b, y, source, rank);
  }
  Value *batch = b.size(x, 0), *channels = over(b, b.size(x, 1), square), *height = b.size(x, 2), *width = b.size(x, 3);
  Value* y = b.reshape(x, b.join_sizes({batch, channels, factor, factor, height, width}));
  y = b.transpose(y, {0, 1, 4, 2, 5, 3});
  y = b.reshape(y, b.join_sizes({batch, channels, times(b, height, factor), times(b, width, factor)}));
  return from_images(b, y, source, rank);
}

Outputs pixel_unshuffle(Op& op) {
  Builder& b = op.builder();
  Value* source = op.tensor("self");
  const std::int64_t rank = op.rank_of(source);
  Value *factor = op.int_vector("downscale_factor"), *square = times(b, factor, factor);
  if (is_known_empty(source))
    return nothing(b, source, rank,
                   {times(b, b.size(source, -3), square), over(b, b.size(source, -2), factor),
                    over(b, b.size(source, -1), factor)});
  Value* x = to_images(b, source, rank);
  Value *batch = b.size(x, 0), *channels = b.size(x, 1);
  Value *height = over(b, b.size(x, 2), factor), *width = over(b, b.size(x, 3), factor);
  Value* y = b.reshape(x, b.join_sizes({batch, channels, height, factor, width, factor}));
  y = b.transpose(y, {0, 1, 3, 5, 2, 4});
  y = b.reshape(y, b.join_sizes({batch, times(b, channels, square), height, width}));
  return from_images(b, y, source, rank);
}

Outputs channel_shuffle(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* groups = op.int_vector("groups");
  // For an empty batch a reshape cannot infer -1.
  std::int64_t area = 1;
  for (std::int64_t axis = 2; axis < op.rank_of(x); ++axis) area *= op.fixed_size(x, axis).value_or(0);
  Value* pixels =
      area > 0 ? b.int64s({area}) : b.reduce("ReduceProd", b.slice(b.shape(x), 0, 2, op.rank_of(x)), Dims{0}, true);
  Value* shape = b.join_sizes({b.size(x, 0), groups, over(b, b.size(x, 1), groups), pixels});
  return b.reshape(b.transpose(b.reshape(x, shape), {0, 2, 1, 3}), b.shape(x));
}

constexpr Row kRearrangementRows[] = {
    {"aten::fft_fftshift", 7, shift<true>},        {"aten::fft_ifftshift", 7, shift<false>},
    {"aten::pixel_shuffle", 7, pixel_shuffle},     {"aten::pixel_unshuffle", 7, pixel_unshuffle},
    {"aten::channel_shuffle", 7, channel_shuffle}, {"aten::native_channel_shuffle", 7, channel_shuffle},
    {"aten::sum_to_size", 7, sum_to_size},         {"aten::isreal", 9, isreal},
};

}  // namespace

std::span<const Row> rearrangement_rows() { return kRearrangementRows; }

}  // namespace tonnx::lower
