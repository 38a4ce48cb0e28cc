#include "lower/elementwise.h"
#include "lower/families.h"

namespace tonnx::lower {
namespace {

Outputs grid_sampler(Op& op) {
  static constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  static constexpr const char* kNewModes[] = {"linear", "nearest", "cubic"};
  static constexpr const char* kPadding[] = {"zeros", "border", "reflection"};
  Value* x = op.tensor("input");
  if (op.rank_of(x) == 5 && op.opset() < 20) op.needs_opset(20, "sampling a volume by a grid");
  const std::size_t mode = static_cast<std::size_t>(op.integer("interpolation_mode"));
  const std::size_t padding = static_cast<std::size_t>(op.integer("padding_mode"));
  if (mode > 2) op.refuse_argument("interpolation_mode", "must be 0, 1 or 2");
  if (padding > 2) op.refuse_argument("padding_mode", "must be 0, 1 or 2");
  return op->op("GridSample", {x, op.tensor("grid")},
                {{"mode", std::string(op.opset() >= 20 ? kNewModes[mode] : kModes[mode])},
                 {"padding_mode", std::string(kPadding[padding])},
                 {"align_corners", std::int64_t{op.flag("align_corners")}}});
}

// Centres of `count` cells between -1 and 1, or with align_corners the corners: one number an index.
Value* grid_line(Builder& b, Value* count, bool align_corners, DType dtype) {
  Value* i = b.cast(b.range(count), dtype);
  Value* n = b.cast(count, dtype);
  Value* one = b.scalar(dtype, 1.0);
  Value* two = b.scalar(dtype, 2.0);
  if (!align_corners) return b.sub(b.div(b.add(b.mul(i, two), one), n), one);
  // A single point stands at 0.
  Value* spaces = maximum(b, b.sub(n, one), one);
  Value* extent = minimum(b, b.sub(n, one), one);
  return b.sub(b.div(b.mul(i, two), spaces), extent);
}

Outputs affine_grid_generator(Op& op) {
  Builder& b = op.builder();
  Value* theta = op.tensor("theta");
  const bool align = op.flag("align_corners");
  Value* size = op.int_vector("size");
  const auto count = op.fixed_size(size, 0);
  if (count != 4 && count != 5) op.refuse_argument("size", "must have four or five numbers");
  const DType dtype = theta->facts().dtype;
  const std::int64_t axes = *count - 2;
  const auto at = [&](std::int64_t i) -> Value* {
    if (op.is_constant("size")) return b.int64(op.integers("size").at(static_cast<std::size_t>(i)));
    return b.gather(size, b.int64(i), 0);
  };
  // The homogeneous coordinates (x, y, [z,] 1) of every point, x along the last axis.
  Values ends;
  for (std::int64_t k = 0; k < axes; ++k)
    ends.push_back(op.is_constant("size") ? b.int64s({op.integers("size").at(static_cast<std::size_t>(k + 2))})
                                          : b.reshape(at(k + 2), {1}));
  Value* spatial = b.join_sizes(ends);
  Values columns;
  for (std::int64_t k = axes - 1; k >= 0; --k) {
    Value* line = grid_line(b, at(k + 2), align, dtype);
    Dims behind;
    for (std::int64_t j = 1; j < axes - k; ++j) behind.push_back(j);
    Value* spread = b.expand(b.unsqueeze(line, behind), spatial);
    columns.push_back(b.reshape(spread, {-1, 1}));
  }
  columns.push_back(b.add(b.mul(columns[0], b.scalar(dtype, 0.0)), b.scalar(dtype, 1.0)));
  Value* points = b.matmul(b.concat(columns, 1), b.transpose(theta, {0, 2, 1}));
  return b.reshape(points, b.concat({b.size(theta, 0), spatial, b.int64s({axes})}, 0));
}

constexpr Row kRows[] = {
    {"aten::grid_sampler", 16, grid_sampler},
    {"aten::grid_sampler_2d", 16, grid_sampler},
    {"aten::grid_sampler_3d", 20, grid_sampler},
    {"aten::_grid_sampler_2d_cpu_fallback", 16, grid_sampler},
    {"aten::affine_grid_generator", 7, affine_grid_generator},
};

}  // namespace

std::span<const Row> grid_rows() { return kRows; }

}  // namespace tonnx::lower
