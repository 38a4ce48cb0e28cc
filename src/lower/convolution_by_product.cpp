#include <algorithm>
#include <numeric>

#include "lower/convolution.h"
#include "lower/known.h"
#include "lower/sizes.h"
#include "lower/whole.h"

namespace tonnx::lower {
namespace {

// The spatial sizes of the kernel.
Dims kernel_of(const Op& op, Value* weight) {
  Dims sizes;
  for (std::int64_t axis = 2; axis < op.rank_of(weight); ++axis) {
    const auto size = op.fixed_size(weight, axis);
    if (!size)
      op.refuse_argument("weight", "must have fixed spatial sizes, because ONNX has no convolution of this dtype");
    sizes.push_back(*size);
  }
  return sizes;
}

Value* groups_of(Builder& b, const Geometry& g) { return g.open_groups ? g.open_groups : b.int64(g.groups); }

// The number of channels in one group.
Value* in_group(Builder& b, Value* channels, Value* groups) {
  const auto count = known_integer(channels), by = known_integer(groups);
  return count && by ? b.int64(*count / *by) : b.div(channels, groups);
}

Value* as_part(Builder& b, Value* size) {
  const auto known = known_integer(size);
  return known ? b.int64s({*known}) : b.reshape(size, {1});
}

Dims padded_by(const Dims& pads) {
  const std::size_t n = pads.size() / 2;
  Dims all(2 * (n + 2), 0);
  std::copy(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n), all.begin() + 2);
  std::copy(pads.begin() + static_cast<std::ptrdiff_t>(n), pads.end(),
            all.begin() + static_cast<std::ptrdiff_t>(n) + 4);
  return all;
}

Value* padded(Op& op, Value* x, const Dims& pads) {
  const bool none = std::ranges::all_of(pads, [](std::int64_t n) { return n == 0; });
  return none ? x : op->pad(x, padded_by(pads));
}

// The input indices along an axis of this size that each kernel element reads for each output element: (kernel,
// output).
Value* places(Op& op, Value* size, std::int64_t kernel, std::int64_t stride, std::int64_t dilation, Value** count) {
  Builder& b = op.builder();
  Value* room = add_sizes(b, size, b.int64(stride - 1 - dilation * (kernel - 1)));
  const auto known = known_integer(room);
  *count = known ? b.int64(*known / stride) : b.div(room, b.int64(stride));
  Dims offsets;
  for (std::int64_t k = 0; k < kernel; ++k) offsets.push_back(k * dilation);
  return b.add(b.unsqueeze(b.int64s(offsets), {1}), b.unsqueeze(b.mul(b.range(*count), b.int64(stride)), {0}));
}

// Inserts zeros between the elements of the spatial axes, so that they are a stride apart.
Value* spread(Op& op, Value* x, const Dims& stride) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  for (std::int64_t axis = 2; axis < rank; ++axis) {
    const std::int64_t step = stride[static_cast<std::size_t>(axis - 2)];
    if (step == 1) continue;
    Dims pads(static_cast<std::size_t>(2 * (rank + 1)), 0);
    pads[static_cast<std::size_t>(rank + 1 + axis + 1)] = step - 1;
    Values sizes;
    for (std::int64_t i = 0; i < rank; ++i) {
      Value* size = b.size_scalar(x, i);
      sizes.push_back(b.reshape(i == axis ? multiply_sizes(b, size, b.int64(step)) : size, {1}));
    }
    x = b.reshape_exactly(b.pad(b.unsqueeze(x, {axis + 1}), pads), b.join_sizes(sizes));
    x = b.slice(x, axis, 0, 1 - step);
  }
  return x;
}

// The kernel that a transposed convolution applies to the spread input: flipped, with input and output channels
// swapped.
Value* turned_kernel(Op& op, Value* weight, const Dims& kernel, Value* groups) {
  Builder& b = op.builder();
  Value* given = b.size_scalar(weight, 0);
  Value* made = b.size_scalar(weight, 1);
  Value* each = as_part(b, in_group(b, given, groups));
  Value* sizes = b.int64s(kernel);
  Dims order(kernel.size() + 3);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[1], order[2]);
  weight = b.reshape(weight, b.join_sizes({as_part(b, groups), each, as_part(b, made), sizes}));
  weight =
      b.reshape(b.transpose(weight, order), b.join_sizes({as_part(b, multiply_sizes(b, groups, made)), each, sizes}));
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    Dims back(static_cast<std::size_t>(kernel[i]));
    std::iota(back.rbegin(), back.rend(), 0);
    weight = b.take(weight, b.int64s(back), static_cast<std::int64_t>(i) + 2);
  }
  return weight;
}

Value* forward(Op& op, Value* x, Value* weight, const Geometry& g) {
  Builder& b = op.builder();
  const Dims kernel = kernel_of(op, weight);
  const auto n = static_cast<std::int64_t>(kernel.size());
  Value* groups = groups_of(b, g);
  Value* made = b.size_scalar(weight, 0);
  x = padded(op, x, g.pads);
  Value* count = b.size_scalar(x, 0);
  // Below opset 14 a batch of size 0 would copy another axis in Reshape.
  Value* inferred = op.opset() < 14 && !op.fixed_size(x, 0) ? b.int64s({-1}) : nullptr;
  Values result{as_part(b, made), inferred ? inferred : b.size(x, 0)};
  Dims order{1};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t axis = 2 + 2 * i;
    Value* along = nullptr;
    Value* taken = places(op, b.size_scalar(x, axis), kernel[at], g.stride[at], g.dilation[at], &along);
    x = b.take(x, taken, axis);
    result.push_back(as_part(b, along));
    count = multiply_sizes(b, count, along);
    order.push_back(axis);
  }
  order.push_back(0);
  for (std::int64_t i = 0; i < n; ++i) order.push_back(3 + 2 * i);
  Value* depth = b.size_scalar(weight, 1);
  for (const std::int64_t size : kernel) depth = multiply_sizes(b, depth, b.int64(size));
  // The batch axis goes after the channels, because some runtimes cannot broadcast a matrix over an empty batch.
  x = b.reshape_exactly(b.transpose(x, order),
                        b.join_sizes({as_part(b, groups), as_part(b, depth), inferred ? inferred : as_part(b, count)}));
  weight =
      b.reshape(weight, b.join_sizes({as_part(b, groups), as_part(b, in_group(b, made, groups)), as_part(b, depth)}));
  return b.swap_axes(b.reshape_exactly(product_of_matrices(op, weight, x), b.join_sizes(result)), 0, 1);
}

}  // namespace

bool lacks_convolution(const Builder& b, bool transposed, const Value* x) {
  return ir::is_integral(x->facts().dtype) || !b.serves(transposed ? "ConvTranspose" : "Conv", x);
}

Value* convolution_by_product(Op& op, bool transposed, Value* x, Value* weight, const Geometry& g) {
  if (!transposed) return forward(op, x, weight, g);
  const Dims kernel = kernel_of(op, weight);
  const std::size_t n = kernel.size();
  Geometry plain{Dims(n, 1), Dims(2 * n), g.dilation, {}, g.groups, g.open_groups};
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t reach = g.dilation[i] * (kernel[i] - 1);
    plain.pads[i] = reach - g.pads[i];
    plain.pads[n + i] = reach - g.pads[n + i] + g.output_padding[i];
  }
  return forward(op, spread(op, x, g.stride), turned_kernel(op, weight, kernel, groups_of(op.builder(), g)), plain);
}

}  // namespace tonnx::lower
