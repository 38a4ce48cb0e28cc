#include "lower/families.h"
#include "lower/formula.h"
#include "lower/matrix.h"
#include "lower/sizes.h"

// torchvision::deform_conv2d: a convolution that reads each element at its own, interpolated position.
namespace tonnx::lower {
namespace {

struct Geometry {
  std::int64_t stride, padding, dilation;
};

struct Window {
  std::int64_t height, width;
  std::int64_t size() const { return height * width; }
};

Window window_of(Op& op, Value* weight) {
  const auto height = op.fixed_size(weight, 2), width = op.fixed_size(weight, 3);
  if (!height || !width) op.refuse_argument("weight", "must have a kernel of fixed size");
  return {*height, *width};
}

// The elements before and after a position along one axis: their indices and weights.
struct Neighbours {
  Term before, after;                // int64, clamped to the axis
  Term before_weight, after_weight;  // zero outside the axis
};

Neighbours neighbours_of(Term place, Value* size) {
  Builder& b = place.builder();
  const Term last = place.with(b.cast(size, place.value()->facts().dtype)) - 1;
  const Term below = floor(place), above = below + 1;
  const auto position = [&](Term x) { return min(max(x, 0), last).cast(DType::Int64); };
  const auto weight = [&](Term x, Term w) { return where(x >= 0 && x <= last, w, 0); };
  return {position(below), position(above), weight(below, above - place), weight(above, place - below)};
}

// The positions that the kernel elements read along one axis, (batch, groups, kernel, height, width). `outputs` is the
// range of output indices and `kernel` that of kernel indices, each reshaped to its axes.
Term places(Term offset, Value* outputs, Value* kernel, const Geometry& g) {
  const DType dtype = offset.value()->facts().dtype;
  const Term start = Term{offset.builder(), outputs} * static_cast<double>(g.stride) - static_cast<double>(g.padding);
  const Term step = Term{offset.builder(), kernel} * static_cast<double>(g.dilation);
  return (start + step).cast(dtype) + offset;
}

Value* deform_by_reading(Op& op, const Geometry& vertical, const Geometry& horizontal) {
  Builder& b = op.builder();
  if (op.opset() < 11) op.needs_opset(11, "reading elements at computed places");
  Value* x = in_full_precision(b, op.tensor("input"));
  Value* weight = in_full_precision(b, op.tensor("weight"));
  Value* offset = in_full_precision(b, op.tensor("offset"));
  const Window window = window_of(op, weight);
  const std::int64_t offset_groups = op.integer("offset_groups"), groups = op.integer("groups");
  const auto channels = op.fixed_size(x, 1), filters = op.fixed_size(weight, 0);
  if (!channels || !filters) op.refuse_argument("input", "must have a fixed number of channels");
  Value *batch = b.size(x, 0), *rows = b.size(offset, 2), *columns = b.size(offset, 3);
  const auto shaped = [&](Value* v, std::initializer_list<Value*> sizes) {
    return Term{b, b.reshape_exactly(v, b.join_sizes(sizes))};
  };

  const Term offsets = shaped(offset, {batch, b.int64s({offset_groups, window.size(), 2}), rows, columns});
  const auto offset_along = [&](std::int64_t i) {
    return squeezed(offsets.with(b.slice(offsets.value(), 3, i, i + 1)), 3);
  };
  Dims down, across;
  for (std::int64_t i = 0; i < window.size(); ++i) {
    down.push_back(i / window.width);
    across.push_back(i % window.width);
  }
  const auto of_kernel = [&](const Dims& steps) { return b.reshape(b.int64s(steps), {window.size(), 1, 1}); };
  const auto spread = [&](Value* count, std::int64_t axis) { return b.unsqueeze(b.range(count), {axis}); };
  const Term y = places(offset_along(0), spread(b.size_scalar(offset, 2), 1), of_kernel(down), vertical);
  const Term z = places(offset_along(1), spread(b.size_scalar(offset, 3), 0), of_kernel(across), horizontal);
  const Neighbours in_rows = neighbours_of(y, b.size_scalar(x, 2)), in_columns = neighbours_of(z, b.size_scalar(x, 3));

  const std::int64_t each = *channels / offset_groups;
  Value* flat = shaped(x, {batch, b.int64s({offset_groups, each, -1})}).value();
  Value* width = b.size(x, 3);
  Value* taken = b.mul(b.mul(b.int64s({window.size()}), rows), columns);
  const auto as_line = [&](Term v) { return shaped(v.value(), {batch, b.int64s({offset_groups, 1}), taken}); };
  const auto read = [&](Term row, Term column, Term w) {
    Value* position = b.expand(as_line(row * row.with(width) + column).value(), b.int64s({1, 1, each, 1}));
    return Term{b, b.gather_elements(flat, position, 3)} * as_line(w);
  };
  const Neighbours &r = in_rows, &c = in_columns;
  Term values = read(r.before, c.before, r.before_weight * c.before_weight) +
                read(r.before, c.after, r.before_weight * c.after_weight) +
                read(r.after, c.before, r.after_weight * c.before_weight) +
                read(r.after, c.after, r.after_weight * c.after_weight);
  if (op.flag("use_mask")) values = values * as_line({b, in_full_precision(b, op.tensor("mask"))});

  const std::int64_t depth = *channels / groups * window.size();
  const Term patches = shaped(values.value(), {batch, b.int64s({groups, depth}), b.mul(rows, columns)});
  const Term kernels{b, b.reshape(weight, {groups, *filters / groups, depth})};
  const Term sums = shaped(matmul(kernels, patches).value(), {batch, b.int64s({*filters}), rows, columns});
  return (sums + Term{b, b.unsqueeze(in_full_precision(b, op.tensor("bias")), {1, 2})}).value();
}

Outputs deform_conv2d(Op& op) {
  const auto along = [&](const char* stride, const char* padding, const char* dilation) -> Geometry {
    return {op.integer(stride), op.integer(padding), op.integer(dilation)};
  };
  const Geometry v = along("stride_h", "pad_h", "dilation_h"), h = along("stride_w", "pad_w", "dilation_w");
  if (op.opset() < 19) return round_results(op, deform_by_reading(op, v, h));
  Value* weight = op.tensor("weight");
  const Window window = window_of(op, weight);
  return op->op("DeformConv",
                {op.tensor("input"), weight, op.tensor("offset"), op.tensor("bias"),
                 op.flag("use_mask") ? op.tensor("mask") : nullptr},
                {{"kernel_shape", Dims{window.height, window.width}},
                 {"strides", Dims{v.stride, h.stride}},
                 {"pads", Dims{v.padding, h.padding, v.padding, h.padding}},
                 {"dilations", Dims{v.dilation, h.dilation}},
                 {"group", op.integer("groups")},
                 {"offset_group", op.integer("offset_groups")}});
}

constexpr Row kDeformableRows[] = {
    {"torchvision::deform_conv2d", 11, deform_conv2d},
};

}  // namespace

std::span<const Row> deformable_rows() { return kDeformableRows; }

}  // namespace tonnx::lower
