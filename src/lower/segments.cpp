#include <limits>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/spatial.h"

// aten::segment_reduce: one result for each segment of elements along an axis; a tensor contains the lengths or bounds
// of the segments.
namespace tonnx::lower {
namespace {

struct Bounds {
  Term first, last;  // (batch..., segments), int64
};

// The axes before `axis` are also those of lengths and offsets.
Bounds bounds_of(Op& op, std::int64_t axis) {
  Builder& b = op.builder();
  if (!op.is_none("lengths")) {
    const Term lengths{b, b.cast(op.tensor("lengths"), DType::Int64)};
    const Term last = lengths.with(b.op("CumSum", {lengths.value(), b.int64(axis)}));
    return {last - lengths, last};
  }
  if (op.is_none("offsets")) op.refuse("it needs lengths or offsets");
  Value* offsets = b.cast(op.tensor("offsets"), DType::Int64);
  return {{b, b.slice(offsets, axis, 0, -1)}, {b, b.slice(offsets, axis, 1, INT64_MAX)}};
}

struct Reduction {
  std::string_view name;
  double neutral;
};

Reduction reduction_of(Op& op) {
  const std::string name = op.text("reduce");
  if (name == "sum" || name == "mean") return {"ReduceSum", 0};
  if (name == "max") return {"ReduceMax", -kInfinity};
  if (name == "min") return {"ReduceMin", kInfinity};
  if (name == "prod") return {"ReduceProd", 1};
  op.refuse_argument("reduce", "'" + name + "' is not a reduction that segment_reduce supports");
}

Outputs segment_reduce(Op& op) {
  Builder& b = op.builder();
  const Reduction reduction = reduction_of(op);
  const Term data{b, in_full_precision(b, op.tensor("data"))};
  const std::int64_t axis = op.axis("axis", data.value()), rank = op.rank_of(data.value());
  const Bounds bounds = bounds_of(op, axis);
  // (batch..., segments, elements), then an axis of size 1 for each axis of an element
  const auto spread = [&](Term x, std::int64_t at) { return x.with(b.unsqueeze(x.value(), {at})); };
  const Term place{b, b.range(b.size_scalar(data.value(), axis))};
  Term member = place >= spread(bounds.first, axis + 1) && place < spread(bounds.last, axis + 1);
  for (std::int64_t i = axis + 1; i < rank; ++i) member = spread(member, i + 1);
  const Term values = where(member, spread(data, axis), data.number(reduction.neutral));
  Term result = data.with(b.reduce(reduction.name, values.value(), Dims{axis + 1}, false));
  const auto initial = op.maybe_number("initial");
  if (initial) {
    if (reduction.name == "ReduceSum") result = result + *initial;
    if (reduction.name == "ReduceProd") result = result * *initial;
    if (reduction.name == "ReduceMax") result = max(result, *initial);
    if (reduction.name == "ReduceMin") result = min(result, *initial);
  }
  if (op.text("reduce") != "mean") return result.value();
  Term count = bounds.last - bounds.first;
  for (std::int64_t i = axis + 1; i < rank; ++i) count = spread(count, i);
  const Term divisor = initial ? max(count, 1) : count;
  return (result / divisor.cast(op.dtype_of(result.value()))).value();
}

constexpr Row kSegmentsRows[] = {
    {"aten::segment_reduce", 11, rounded<segment_reduce>},
};

}  // namespace

std::span<const Row> segments_rows() { return kSegmentsRows; }

}  // namespace tonnx::lower
