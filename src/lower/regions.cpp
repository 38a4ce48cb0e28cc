#include "lower/regions.h"

#include "lower/families.h"
#include "lower/matrix.h"

namespace tonnx::lower {
namespace {

// 0, 1, ... in the dtype of `like`.
Term numbers(Term like, Value* count) {
  Builder& b = like.builder();
  return like.with(b.cast(b.range(count), like.value()->facts().dtype));
}

// 0, 1, ..., cells - 1 as (cells, 1).
Term cell_numbers(Term like, std::int64_t cells) { return unsqueezed(numbers(like, like.builder().int64(cells)), 1); }

}  // namespace

Regions regions_of(Op& op) {
  Builder& b = op.builder();
  Value* rois = in_full_precision(b, op.tensor("rois"));
  const auto column = [&](std::int64_t i) { return b.slice(rois, 1, i, i + 1); };
  Value* scale = op.scalar("spatial_scale", op.dtype_of(rois));
  const auto side = [&](std::int64_t i) { return Term{b, b.mul(column(i), scale)}; };
  return {b.squeeze(b.cast(column(0), DType::Int64), {1}), side(1), side(2), side(3), side(4)};
}

Samples samples_of(Op& op, const Span& span, Value* size, std::int64_t cells, std::int64_t ratio) {
  Builder& b = op.builder();
  const Term cell = span.extent / static_cast<double>(cells);
  const Term count =
      ratio > 0 ? cell.with(b.unsqueeze(cell.number(static_cast<double>(ratio)).value(), {0, 1})) : cell.apply("Ceil");
  Value* most = b.int64(ratio);
  if (ratio <= 0) {
    Value* counts = b.concat({b.flatten_to_vector(b.cast(count.value(), DType::Int64)), b.int64s({0})}, 0);
    most = b.reduce("ReduceMax", counts, Dims{0}, false);
  }
  const auto spread = [](Term x) { return unsqueezed(x, 2); };
  const Term step = numbers(cell, most);
  const Term place =
      spread(span.first) + cell_numbers(cell, cells) * spread(cell) + (step + 0.5) * spread(cell) / spread(count);
  const Term end{b, b.cast(size, op.dtype_of(cell.value()))};
  const Term counted = step < spread(count) && place >= -1 && place <= end;
  const Term inside = unsqueezed(min(max(place, 0), end - 1), 3);
  const Term near = max(1 - abs(inside - numbers(cell, size)), 0);
  const Term weights = where(unsqueezed(counted, 3), near, 0);
  return {weights.with(b.reduce("ReduceSum", weights.value(), Dims{2}, false)), count};
}

Cells cells_of(Op& op, const Span& span, Value* size, std::int64_t cells, Term last) {
  Builder& b = op.builder();
  const Term extent = span.extent / static_cast<double>(cells);
  const Term number = numbers(extent, b.int64(cells));
  const auto bounded = [&](Term x) { return min(max(x + span.first, 0), last); };
  const Term begin = bounded(floor(number * extent));
  const Term end = bounded(((number + 1) * extent).apply("Ceil"));
  const Term element = numbers(extent, size);
  return {element >= unsqueezed(begin, 2) && element < unsqueezed(end, 2), max(end - begin, 0)};
}

Term round_from_zero(Term x) {
  const Term size = abs(x);
  const Term whole = floor(size);
  const Term rounded = whole + (size - whole >= 0.5).cast(x.value()->facts().dtype);
  return where(x < 0, -rounded, rounded);
}

Value* images_of(Op& op, const Regions& regions) {
  return op->take(in_full_precision(op.builder(), op.tensor("input")), regions.image, 0);
}

}  // namespace tonnx::lower
