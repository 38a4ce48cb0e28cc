#include <algorithm>

#include "lower/dtype_support.h"
#include "lower/families.h"
#include "lower/loop.h"
#include "lower/matrix.h"
#include "lower/regions.h"

// Region pooling of torchvision: by the mean of samples (align) or the maximum and mean of elements (pool); over every
// channel, or over one channel for each cell (position-sensitive).
namespace tonnx::lower {
namespace {

struct Grid {
  std::int64_t height, width;
};

Grid grid_of(Op& op) { return {op.integer("pooled_height"), op.integer("pooled_width")}; }

Value* input_size(Op& op, std::int64_t axis) { return op->size_scalar(op.tensor("input"), axis); }

// (regions, 1, ...) with more axes of size 1 up to `rank`
Term spread_to(Term x, std::int64_t rank) {
  for (std::int64_t i = 2; i < rank; ++i) x = unsqueezed(x, i);
  return x;
}

// Spans for samples: shifted by half an element if `half`, and at least one element long if `enlarge`.
struct Spans {
  Span vertical, horizontal;
};
Spans spans_of(const Regions& r, bool half, bool enlarge) {
  const auto moved = [&](Term x) { return half ? x - 0.5 : x; };
  const auto span = [&](Term first, Term last) -> Span {
    const Term from = moved(first), extent = moved(last) - from;
    return {from, enlarge ? max(extent, 1) : extent};
  };
  return {span(r.top, r.bottom), span(r.left, r.right)};
}

// Spans for elements, rounded: `more` elements longer than the difference of the bounds, and at least one element long.
Spans whole_spans_of(const Regions& r, double more) {
  const auto span = [&](Term first, Term last) -> Span {
    const Term from = round_from_zero(first);
    const Term extent = round_from_zero(last) - from;
    return {from, max(more == 0 ? extent : extent + more, 1)};
  };
  return {span(r.top, r.bottom), span(r.left, r.right)};
}

// The sums of the samples of all regions at once, with a copy of the image for each region.
Term sums_of_images(Op& op, const Regions& regions, const Samples& rows, const Samples& columns) {
  const Term images{op.builder(), images_of(op, regions)};
  return matmul(matmul(unsqueezed(rows.weights, 1), images), unsqueezed(transposed(columns.weights), 1));
}

// The first element that the samples of a span read, and the one after the last, (regions), int64.
struct Part {
  Value *first, *end;
};
Part part_of(Builder& b, const Span& span, Value* size) {
  const Term last = span.first.with(b.cast(size, span.first.value()->facts().dtype)) - 1;
  const auto bounded = [&](Term x) { return min(max(floor(x), 0), last); };
  const auto whole = [&](Term x) { return b.squeeze(x.cast(DType::Int64).value(), {1}); };
  const Term other = span.first + span.extent;  // a region may be reversed
  return {whole(bounded(min(span.first, other))), whole(bounded(max(span.first, other) + 1) + 1)};
}

// The same sums, one region at a time, on the part of the image that its samples read.
Term sums_of_parts(Op& op, const Regions& regions, const Spans& spans, const Samples& rows, const Samples& columns) {
  Builder& b = op.builder();
  Value* x = in_full_precision(b, op.tensor("input"));
  const Part down = part_of(b, spans.vertical, input_size(op, 2)),
             across = part_of(b, spans.horizontal, input_size(op, 3));
  Value *width = transposed(columns.weights).value(), *axes = b.int64s({0, 2, 3});
  const auto of_region = [&](Value* i, const Values&) -> Pass {
    const auto at = [&](Value* of_all) { return b.unsqueeze(b.take(of_all, i, 0), {0}); };
    Value *image = at(regions.image), *top = at(down.first), *bottom = at(down.end), *left = at(across.first),
          *right = at(across.end);
    Value* after = b.add(image, b.int64s({1}));
    Value* part =
        b.squeeze(b.slice(x, b.concat({image, top, left}, 0), b.concat({after, bottom, right}, 0), axes), {0});
    Value* of_rows = b.slice(b.take(rows.weights.value(), i, 0), top, bottom, b.int64s({1}));
    Value* of_columns = b.slice(b.take(width, i, 0), left, right, b.int64s({0}));
    return {nullptr, {}, {b.matmul(b.matmul(of_rows, part), of_columns)}};
  };
  Value* count = b.size_scalar(regions.image, 0);
  Value* sums = loop(b, count, b.scalar(DType::Bool, std::int64_t{1}), {}, of_region)[0];
  // Without regions the loop cannot infer the sizes.
  const Grid grid = grid_of(op);
  Value* cells = b.int64s({grid.height, grid.width});
  return rows.weights.with(b.reshape_exactly(sums, b.join_sizes({b.shape(regions.image), b.size(x, 1), cells})));
}

Value* roi_align_by_products(Op& op) {
  const Grid grid = grid_of(op);
  const Regions regions = regions_of(op);
  const bool aligned = op.flag("aligned");
  const Spans spans = spans_of(regions, aligned, !aligned);
  const std::int64_t ratio = op.integer("sampling_ratio");
  const Samples rows = samples_of(op, spans.vertical, input_size(op, 2), grid.height, ratio);
  const Samples columns = samples_of(op, spans.horizontal, input_size(op, 3), grid.width, ratio);
  const bool has_open_slices = op.opset() >= 10;
  const Term sums =
      has_open_slices ? sums_of_parts(op, regions, spans, rows, columns) : sums_of_images(op, regions, rows, columns);
  return (sums / spread_to(max(rows.count * columns.count, 1), 4)).value();
}

// The tensor and the factor of `spatial_scale`; a dynamic factor, or one that an attribute rounds, is multiplied here.
struct Scaled {
  Value* regions;
  double scale;
};
Scaled scaled(Op& op, Value* regions) {
  const bool is_attribute =
      op.is_constant("spatial_scale") && holds_attribute(op.dtype_of(regions), op.number("spatial_scale"));
  if (is_attribute) return {regions, op.number("spatial_scale")};
  return {op->mul(regions, op.scalar("spatial_scale", op.dtype_of(regions))), 1};
}

Outputs roi_align(Op& op) {
  const Grid grid = grid_of(op);
  const bool is_exact = op.opset() >= 16 || (op.opset() >= 10 && !op.flag("aligned"));
  if (!is_exact || !op->has_kernel("RoiAlign", op.dtype_of(op.tensor("input"))))
    return round_results(op, roi_align_by_products(op));
  Value* rois = op.tensor("rois");
  Value* image = op->squeeze(op->cast(op->slice(rois, 1, 0, 1), DType::Int64), {1});
  const Scaled boxes = scaled(op, op->slice(rois, 1, 1, 5));
  Attributes attributes{{"mode", std::string("avg")},
                        {"output_height", grid.height},
                        {"output_width", grid.width},
                        {"sampling_ratio", std::max<std::int64_t>(op.integer("sampling_ratio"), 0)},
                        {"spatial_scale", boxes.scale}};
  if (op.opset() >= 16)
    attributes.push_back(
        {"coordinate_transformation_mode", std::string(op.flag("aligned") ? "half_pixel" : "output_half_pixel")});
  return op->op("RoiAlign", {op.tensor("input"), boxes.regions, image}, std::move(attributes));
}

// The largest element of each cell along one axis, and its index. x: (regions, channels, height, width).
struct Largest {
  Values values, places;
};
Largest largest_along(Op& op, Term x, const Cells& cells, std::int64_t count, std::int64_t axis, double lowest) {
  Builder& b = op.builder();
  Largest found;
  for (std::int64_t i = 0; i < count; ++i) {
    const Term members = cells.members.with(b.slice(cells.members.value(), 1, i, i + 1));
    const Term here = where(unsqueezed(members, axis == 3 ? 1 : 3), x, lowest);
    found.values.push_back(b.reduce("ReduceMax", here.value(), Dims{axis}, true));
    found.places.push_back(b.op("ArgMax", {here.value()}, {{"axis", axis}, {"keepdims", std::int64_t{1}}}));
  }
  return found;
}

// The largest element above the lowest float32, which means "none", and the index of its first occurrence.
Outputs roi_pool_by_axis(Op& op) {
  Builder& b = op.builder();
  const Grid grid = grid_of(op);
  const Regions regions = regions_of(op);
  const Spans spans = whole_spans_of(regions, 1);
  Value *height = input_size(op, 2), *width = input_size(op, 3);
  const auto as_bound = [&](Value* size) { return regions.left.with(b.cast(size, op.dtype_of(regions.left.value()))); };
  const Cells rows = cells_of(op, spans.vertical, height, grid.height, as_bound(height));
  const Cells columns = cells_of(op, spans.horizontal, width, grid.width, as_bound(width));
  const double lowest = -largest(DType::Float32);
  const Term given{b, images_of(op, regions)};
  const Term images = where(given > lowest, given, lowest);

  const Largest in_row = largest_along(op, images, columns, grid.width, 3, lowest);
  const Term of_rows = images.with(b.concat(in_row.values, 3));
  const Largest best = largest_along(op, of_rows, rows, grid.height, 2, lowest);
  const Term values = images.with(b.concat(best.values, 2)), row = values.with(b.concat(best.places, 2));
  const Term column = row.with(b.gather_elements(b.concat(in_row.places, 3), row.value(), 2));

  const Term count = unsqueezed(rows.count, 2) * unsqueezed(columns.count, 1);
  const Term empty = unsqueezed(count == 0, 1);
  const Term none = empty || values == lowest;
  const Term place = where(none, -1, row * row.with(width) + column);
  return {where(empty, 0, values).value(), place.cast(DType::Int32).value()};
}

Outputs roi_pool(Op& op) {
  const Grid grid = grid_of(op);
  Outputs by_axis = roi_pool_by_axis(op);
  const DType dtype = op.dtype_of(op.tensor("input"));
  if (dtype != DType::Float32 || !op->has_kernel("MaxRoiPool", dtype)) return by_axis;
  if (!op.is_constant("spatial_scale")) return by_axis;
  Value* pooled =
      op->op("MaxRoiPool", {op.tensor("input"), op.tensor("rois")},
             {{"pooled_shape", Dims{grid.height, grid.width}}, {"spatial_scale", op.number("spatial_scale")}});
  return {pooled, by_axis.items[1].one};
}

std::int64_t channels_of(Op& op, const Grid& grid) {
  const auto channels = op.fixed_size(op.tensor("input"), 1);
  if (!channels) op.refuse_argument("input", "must have a fixed number of channels");
  return *channels / (grid.height * grid.width);
}

// The sums of each cell over its own channel, (regions, channels, height, width of the grid).
Value* position_sensitive_sums(Op& op, const Regions& regions, const Grid& grid, Term rows, Term columns) {
  Builder& b = op.builder();
  Value* x = op.tensor("input");
  Value* cells = b.int64s({channels_of(op, grid), grid.height, grid.width});
  Value* shape = b.join_sizes({b.shape(regions.image), cells, b.size(x, 2), b.size(x, 3)});
  const Term images{b, b.reshape_exactly(images_of(op, regions), shape)};
  const Term across = rows.with(b.unsqueeze(columns.value(), {1, 2, 5}));
  const Term down = rows.with(b.unsqueeze(rows.value(), {1, 3, 4}));
  return b.squeeze(matmul(down, matmul(images, across)).value(), {4, 5});
}

// The channel from which each cell of each region was pooled.
Value* channels_pooled(Op& op, const Regions& regions, const Grid& grid) {
  Builder& b = op.builder();
  const std::int64_t channels = channels_of(op, grid);
  Value* number = b.cast(b.range(b.int64(channels * grid.height * grid.width)), DType::Int32);
  Value* of_each = b.reshape(number, {1, channels, grid.height, grid.width});
  return b.expand(of_each, b.join_sizes({b.shape(regions.image), b.int64s({1, 1, 1})}));
}

Outputs ps_roi_align(Op& op) {
  const Grid grid = grid_of(op);
  const Regions regions = regions_of(op);
  const Spans spans = spans_of(regions, true, false);
  const std::int64_t ratio = op.integer("sampling_ratio");
  const Samples rows = samples_of(op, spans.vertical, input_size(op, 2), grid.height, ratio);
  const Samples columns = samples_of(op, spans.horizontal, input_size(op, 3), grid.width, ratio);
  const Term sums = rows.weights.with(position_sensitive_sums(op, regions, grid, rows.weights, columns.weights));
  return {(sums / spread_to(rows.count * columns.count, 4)).value(), channels_pooled(op, regions, grid)};
}

Outputs ps_roi_pool(Op& op) {
  Builder& b = op.builder();
  const Grid grid = grid_of(op);
  const Regions regions = regions_of(op);
  const Spans spans = whole_spans_of(regions, 0);
  Value *height = input_size(op, 2), *width = input_size(op, 3);
  const DType dtype = op.dtype_of(regions.left.value());
  const auto last = [&](Value* size) { return regions.left.with(b.cast(size, dtype)) - 1; };
  const Cells rows = cells_of(op, spans.vertical, height, grid.height, last(height));
  const Cells columns = cells_of(op, spans.horizontal, width, grid.width, last(width));
  const Term sums = regions.left.with(
      position_sensitive_sums(op, regions, grid, rows.members.cast(dtype), columns.members.cast(dtype)));
  const Term count = unsqueezed(unsqueezed(rows.count, 2) * unsqueezed(columns.count, 1), 1);
  return {where(count > 0, sums / max(count, 1), 0).value(), channels_pooled(op, regions, grid)};
}

constexpr Row kRegionPoolingRows[] = {
    {"torchvision::roi_align", 7, roi_align},
    {"torchvision::roi_pool", 11, rounded<roi_pool>},
    {"torchvision::ps_roi_align", 7, rounded<ps_roi_align>},
    {"torchvision::ps_roi_pool", 7, rounded<ps_roi_pool>},
};

}  // namespace

std::span<const Row> region_pooling_rows() { return kRegionPoolingRows; }

}  // namespace tonnx::lower
