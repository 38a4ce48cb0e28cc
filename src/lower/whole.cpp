#include "lower/whole.h"

#include <algorithm>
#include <numeric>

#include "lower/elementwise.h"
#include "lower/emptiness.h"
#include "lower/known.h"
#include "lower/loop.h"

namespace tonnx::lower {
namespace {

// True if the magnitudes of all elements are known to be below 2^32, because a narrower dtype was cast.
bool is_small(const Value* x) {
  const ir::Node* node = x->node();
  if (!node || !node->is("onnx::Cast")) return false;
  const DType from = node->input(0)->facts().dtype;
  return from == DType::Bool || (from != DType::Undefined && !ir::is_floating(from) && ir::size_of(from) < 8);
}

bool is_bool(const Value* x) {
  const ir::Node* node = x->node();
  return node && node->is("onnx::Cast") && node->input(0)->facts().dtype == DType::Bool;
}

// The product along one axis, which is kept with size 1: multiplies halves until one element is left.
Value* product_of_halves(Builder& b, Value* x, std::int64_t axis, std::int64_t size) {
  while (size > 1) {
    const std::int64_t half = size / 2;
    Value* y = b.mul(b.slice(x, axis, 0, half), b.slice(x, axis, half, 2 * half));
    x = size % 2 == 0 ? y : b.concat({y, b.slice(x, axis, size - 1, size)}, axis);
    size -= half;
  }
  return x;
}

// Ones of the shape of x without the axis.
Value* ones_across(Op& op, Value* x, std::int64_t axis) {
  Values sizes;
  for (std::int64_t i = 0; i < op.rank_of(x); ++i)
    if (i != axis) sizes.push_back(op->size(x, i));
  return sizes.empty() ? op->int64(1) : op->constant_of_shape(op->join_sizes(sizes), DType::Int64, 1);
}

Value* product_in_loop(Op& op, Value* x, std::int64_t axis) {
  Builder& b = op.builder();
  const auto pass = [&](Value* i, const Values& state) { return Pass{nullptr, {b.mul(state[0], b.take(x, i, axis))}}; };
  return b.unsqueeze(loop(b, b.size_scalar(x, axis), nullptr, {ones_across(op, x, axis)}, pass)[0], {axis});
}

}  // namespace

// Each element is q 2^32 + r. The sums of q and of r are exact in float64; they are combined in int64.
Value* whole_sum(Builder& b, Value* x, std::span<const std::int64_t> axes, bool keep_dims) {
  if (is_small(x) || !b.avoids(ir::Defect::IntegerSumRounding)) return b.reduce("ReduceSum", x, axes, keep_dims);
  Value* part = b.int64(std::int64_t{1} << 32);
  Value* high = b.div(x, part);
  Value* low = b.sub(x, b.mul(high, part));
  return b.add(b.mul(b.reduce("ReduceSum", high, axes, keep_dims), part), b.reduce("ReduceSum", low, axes, keep_dims));
}

Value* sum_in_dtype(Builder& b, Value* x, std::span<const std::int64_t> axes, bool keep_dims) {
  const DType dtype = x->facts().dtype;
  if (!ir::is_integral(dtype) || dtype == DType::UInt64 || !b.avoids(ir::Defect::NarrowSumSaturation, dtype))
    return b.reduce("ReduceSum", x, axes, keep_dims);
  return b.cast(whole_sum(b, b.cast(x, DType::Int64), axes, keep_dims), dtype);
}

Value* whole_product(Op& op, Value* x, Dims axes, bool keep_dims) {
  Builder& b = op.builder();
  if (axes.empty()) {
    axes.resize(static_cast<std::size_t>(op.rank_of(x)));
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (is_bool(x) || !b.avoids(ir::Defect::IntegerProductRounding)) return b.reduce("ReduceProd", x, axes, keep_dims);
  for (const std::int64_t axis : axes) {
    const auto size = op.fixed_size(x, axis);
    x = size && *size > 0 ? product_of_halves(b, x, axis, *size) : product_in_loop(op, x, axis);
  }
  return keep_dims ? x : b.squeeze(x, axes);
}

Value* running_whole_product(Op& op, Value* x, std::int64_t axis) {
  Builder& b = op.builder();
  if (const auto size = op.fixed_size(x, axis)) {
    for (std::int64_t step = 1; step < *size; step *= 2) {
      Value* before = b.slice(x, axis, 0, *size - step);
      x = b.concat({b.slice(x, axis, 0, step), b.mul(b.slice(x, axis, step, *size), before)}, axis);
    }
    return x;
  }
  const auto pass = [&](Value* i, const Values& state) {
    Value* product = b.mul(state[0], b.take(x, i, axis));
    return Pass{nullptr, {product}, {product}};
  };
  Value* y = loop(b, b.size_scalar(x, axis), nullptr, {ones_across(op, x, axis)}, pass)[1];
  Dims order;
  for (std::int64_t i = 1; i < op.rank_of(x); ++i) order.push_back(i);
  order.insert(order.begin() + axis, 0);
  return b.transpose(y, order);
}

namespace {

// True if some run may have an empty axis.
bool may_be_empty(const Value* x) {
  return std::ranges::any_of(*x->facts().dims, [](const ir::Dim& d) { return !d.is_fixed() || d.size() == 0; });
}

// True if both have the same batch axes.
bool has_batch_of(const Value* x, const Value* y) {
  const auto &a = *x->facts().dims, &b = *y->facts().dims;
  const auto same = [](const ir::Dim& p, const ir::Dim& q) { return p.same(q); };
  return a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin(), same);
}

// Zeros of the shape of the product of two batches.
Value* zeros_of_product(Builder& b, Value* x, Value* y) {
  const auto batch = [&](Value* v) {
    return b.constant_of_shape(b.slice(b.shape(v), 0, 0, v->facts().rank() - 2), DType::Bool, 0);
  };
  Value* rows = b.size(x, x->facts().rank() - 2);
  Value* shape = b.join_sizes({b.broadcast_shape({batch(x), batch(y)}), rows, b.size(y, y->facts().rank() - 1)});
  return b.constant_of_shape(shape, x->facts().dtype, 0);
}

// True if the summed axis may be empty in some run. Attention with a dynamic number of queries over no keys is assumed
// not to happen; it is not worth a branch.
bool may_add_nothing(const Op& op, const Value* x, const Value* y) {
  const std::int64_t rank_x = x->facts().rank(), rank_y = y->facts().rank();
  const auto is_open = [](const Value* v, std::int64_t axis) {
    return !(*v->facts().dims)[static_cast<std::size_t>(axis)].is_fixed();
  };
  if (op.is_never_empty(x, rank_x - 1) || op.is_never_empty(y, rank_y - 2)) return false;
  if (is_open(x, rank_x - 2) && is_attention_along(x, rank_x - 1)) return false;
  if (is_open(y, rank_y - 1) && is_attention_along(y, rank_y - 2)) return false;
  return may_be_emptied(x, rank_x - 1) && may_be_emptied(y, rank_y - 2);
}

// For Defect::EmptyMatMul: zeros if the summed axis is empty.
Value* product_of_batches(Builder& b, Value* x, Value* y, Batches batches) {
  const std::int64_t rank_x = x->facts().rank();
  if (rank_x != 2 && batches == Batches::Broadcast && !has_batch_of(x, y)) {
    Value* elements = b.mul(b.op("Size", {x}), b.op("Size", {y}));
    return either(
        b, equal(b, elements, b.int64(0)), [&] { return zeros_of_product(b, x, y); }, [&] { return b.matmul(x, y); });
  }
  Value* nothing = equal(b, b.size_scalar(x, rank_x - 1), b.int64(0));
  Value* product = b.matmul(x, y);
  return b.where(nothing, b.scalar_like(product, 0), product);
}

// ONNX Runtime refuses an empty batch times a vector. It also fuses a Transpose before a product of floats, even one
// that it moved there, and then multiplies the vector by the original matrix.
Value* batch_by_vector(Builder& b, Value* x, Value* y) {
  return b.squeeze(b.matmul(x, b.unsqueeze(y, {1})), {x->facts().rank() - 1});
}

// For Defect::EmptyMatMul: the summed axis of a vector may be empty.
Value* vector_by_batch(Builder& b, Value* x, Value* y) {
  const std::int64_t rank = y->facts().rank();
  if (!ir::is_integral(y->facts().dtype))
    return b.reduce("ReduceSum", b.mul(b.unsqueeze(x, {1}), y), Dims{rank - 2}, false);
  return b.squeeze(b.matmul(b.swap_axes(y, -1, -2), b.unsqueeze(x, {1})), {rank - 1});
}

// MatMul, or a few nodes that also support sizes of 0.
Value* product_of_any_sizes(const Op& op, Value* x, Value* y, Batches batches) {
  Builder& b = op.builder();
  const bool is_plain = !b.avoids(ir::Defect::EmptyMatMul);
  if (is_plain || !x->facts().has_rank() || !y->facts().has_rank()) return b.matmul(x, y);
  const std::int64_t rank_x = x->facts().rank(), rank_y = y->facts().rank();
  if (rank_y == 1 && rank_x > 1 && (may_be_empty(x) || !ir::is_integral(y->facts().dtype)))
    return batch_by_vector(b, x, y);
  if (rank_x == 1 && rank_y > 2 && may_be_empty(y)) return vector_by_batch(b, x, y);
  if (rank_x > 1 && rank_y > 2 && b.opset() >= 9 && may_add_nothing(op, x, y))
    return product_of_batches(b, x, y, batches);
  return b.matmul(x, y);
}

}  // namespace

Value* product_of_matrices(const Op& op, Value* x, Value* y, Batches batches) {
  Builder& b = op.builder();
  const DType dtype = x->facts().dtype;
  // Below opset 9 MatMul accepts floats only, which cannot represent every int64.
  if (b.opset() >= 9 || !ir::is_integral(dtype)) return product_of_any_sizes(op, x, y, batches);
  if (!x->facts().has_rank() || !y->facts().has_rank())
    throw Refusal("a product of integers needs known ranks below opset 9");
  const bool is_row = x->facts().rank() == 1, is_column = y->facts().rank() == 1;
  if (is_row) x = b.unsqueeze(x, {0});
  if (is_column) y = b.unsqueeze(y, {1});
  const std::int64_t rank_x = x->facts().rank(), rank_y = y->facts().rank(), rank = std::max(rank_x, rank_y);
  Value* terms =
      b.mul(b.unsqueeze(b.cast(x, DType::Int64), {rank_x}), b.unsqueeze(b.cast(y, DType::Int64), {rank_y - 2}));
  Value* sums = b.cast(whole_sum(b, terms, Dims{rank - 1}, false), dtype);
  Dims gone;
  if (is_row) gone.push_back(rank - 2);
  if (is_column) gone.push_back(rank - 1);
  return b.squeeze(sums, gone);
}

}  // namespace tonnx::lower
