#include <numeric>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/missing.h"
#include "lower/spatial.h"

// Unpooling, and fractional pooling over random windows.
namespace tonnx::lower {
namespace {

// aten::max_unpool: writes the elements at the indices that the pooling returned; the rest is zero.
Outputs unpool(Op& op, std::int64_t spatial) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const std::int64_t kept = op.rank_of(x) - spatial;
  if (kept < 1 || kept > 2) op.refuse_argument("self", "must have the rank of one sample or of a batch");
  Value* sizes = op.int_vector("output_size");
  Value* area = b.reduce("ReduceProd", sizes, {}, true);
  Value* front = sizes_between(op, x, 0, kept);
  const auto flat = [&](Value* v) { return merge_axes(op, v, kept, spatial); };
  Value* zeros = b.constant_of_shape(b.concat({front, area}, 0), op.dtype_of(x), 0);
  Value* indices = b.element_index(b.cast(op.tensor("indices"), DType::Int64));
  Value* y = b.op("ScatterElements", {zeros, flat(indices), flat(x)}, {{"axis", kept}});
  return reshape_to_result(op, y, [&] { return b.concat({front, sizes}, 0); });
}

Outputs max_unpool2d(Op& op) { return unpool(op, 2); }
Outputs max_unpool3d(Op& op) { return unpool(op, 3); }

// max_pool2d_with_indices_backward: adds every gradient to the element that was the maximum
Outputs max_pool_backward(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* grad = op.tensor("grad_output");
  const std::int64_t kept = op.rank_of(x) - 2;
  const auto flat = [&](Value* v) { return merge_axes(op, v, kept, 2); };
  Value* like = flat(x);
  grad = in_full_precision(b, grad);
  Value* zeros = b.constant_of_shape(b.shape(like), op.dtype_of(grad), 0);
  Value* y = b.op("ScatterElements", {zeros, flat(b.cast(op.tensor("indices"), DType::Int64)), flat(grad)},
                  {{"axis", kept}, {"reduction", std::string("add")}});
  return reshape_to_result(op, y, [&] { return b.shape(x); });
}

// The first index of each window along one axis, (batch, channel, window): LibTorch's intervals, with the last window
// at the end.
Value* window_starts(Op& op, Term samples, Value* size, std::int64_t windows, std::int64_t window) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(samples.value());
  const Term last = Term{b, size} - window;
  if (windows == 1) {
    Value* shape = b.shape(samples.value());
    return op->expand(last.value(), shape);
  }
  const Term alpha = last.cast(dtype) / static_cast<double>(windows - 1);
  Dims numbers(static_cast<std::size_t>(windows - 1));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  const Term places = samples.with(b.cast(b.int64s(numbers), dtype));
  const auto whole = [&](Term v) { return v.with(truncate(b, v.value())); };
  const Term starts = whole((places + samples) * alpha) - whole(samples * alpha);
  Value* end = op->expand(last.value(), b.shape(samples.value()));
  return b.concat({starts.cast(DType::Int64).value(), end}, 2);
}

// fractional_max_pool: `random_samples`, (batch, channel, axis), determine the starts of the windows, the last axis
// first
Outputs fractional_max_pool(Op& op, std::int64_t spatial) {
  Builder& b = op.builder();
  Value* given = op.tensor("self");
  const BatchAxis batch(op, given, spatial + 2);
  Value* x = batch.add(given);
  const Dims window = per_axis(op, "kernel_size", spatial);
  const Dims count = per_axis(op, "output_size", spatial);
  const Term samples{b, op.tensor("random_samples")};

  // The flat index of every element of every window: (batch, channel, windows..., elements...)
  Term flat{b, nullptr};
  for (std::int64_t i = 0; i < spatial; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    Value* size = b.size_scalar(x, 2 + i);
    // LibTorch's samples are in the order depth, height, width for three axes, but width, height for two.
    const std::int64_t which = spatial == 2 ? 1 - i : i;
    Value* starts =
        window_starts(op, samples.with(b.slice(samples.value(), 2, which, which + 1)), size, count[axis], window[axis]);
    Dims shape(static_cast<std::size_t>(2 * spatial), 1);
    shape[axis] = count[axis];
    Dims for_starts{0, 0}, for_offsets(static_cast<std::size_t>(2 * spatial), 1);
    for_starts.insert(for_starts.end(), shape.begin(), shape.end());
    for_offsets[axis + static_cast<std::size_t>(spatial)] = window[axis];
    Dims offsets(static_cast<std::size_t>(window[axis]));
    for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = static_cast<std::int64_t>(k);
    const Term place =
        Term{b, b.reshape_keeping(starts, for_starts)} + Term{b, b.reshape(b.int64s(offsets), for_offsets)};
    flat = i == 0 ? place : flat * place.with(size) + place;
  }
  std::int64_t windows = 1, elements = 1;
  for (const std::int64_t n : count) windows *= n;
  for (const std::int64_t n : window) elements *= n;
  Value* places = b.reshape_keeping(flat.value(), {0, 0, windows * elements});
  Value* read = b.gather_elements(merge_axes(op, x, 2, spatial), places, 2);
  const Term values{b, b.reshape_keeping(read, {0, 0, windows, elements})};
  Value* best = b.op("ArgMax", {values.value()}, {{"axis", std::int64_t{3}}, {"keepdims", std::int64_t{1}}});
  if (may_hold_nan(op.builder(), x)) {
    // The last NaN of a window wins.
    Dims order(static_cast<std::size_t>(elements));
    std::iota(order.begin(), order.end(), 0);
    Value* place = b.where(is_nan(b, values.value()), b.int64s(order), b.int64(-1));
    Value* last = b.reduce("ReduceMax", place, Dims{3}, true);
    best = b.where(less(b, last, b.int64(0)), best, last);
  }
  const auto pick = [&](Value* v) {
    Dims shape{0, 0};
    shape.insert(shape.end(), count.begin(), count.end());
    return batch.remove(b.reshape_keeping(b.gather_elements(v, best, 3), shape));
  };
  return {pick(values.value()), pick(b.reshape_keeping(places, {0, 0, windows, elements}))};
}

Outputs fractional_max_pool2d(Op& op) { return fractional_max_pool(op, 2); }
Outputs fractional_max_pool3d(Op& op) { return fractional_max_pool(op, 3); }

constexpr Row kUnpoolingRows[] = {
    {"aten::max_unpool2d", 11, max_unpool2d},
    {"aten::max_unpool3d", 11, max_unpool3d},
    {"aten::max_pool2d_with_indices_backward", 16, rounded<max_pool_backward>},
    {"aten::fractional_max_pool2d", 11, fractional_max_pool2d},
    {"aten::fractional_max_pool3d", 11, fractional_max_pool3d},
};

}  // namespace

std::span<const Row> unpooling_rows() { return kUnpoolingRows; }

}  // namespace tonnx::lower
