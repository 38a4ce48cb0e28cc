#include <bit>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/promotion.h"

// Counts: bincount, histograms, membership, runs of equal elements.
namespace tonnx::lower {
namespace {

// Sums `weights` (null: ones of `dtype`) in each of `count` bins; `bins` is an int64 vector of bin indices.
Value* sums_by_bin(Op& op, Value* bins, Value* weights, DType dtype, Value* count) {
  Builder& b = op.builder();
  const Term places{b, b.range(count)};
  const Term member = places.with(b.unsqueeze(bins, {1})) == places;
  const DType summed = ir::is_floating(dtype) ? dtype : DType::Int64;
  Term parts = member.cast(summed);
  if (weights) parts = where(member, parts.with(b.unsqueeze(b.cast(weights, summed), {1})), parts.number(0));
  return b.cast(b.reduce("ReduceSum", parts.value(), Dims{0}, false), dtype);
}

Outputs bincount(Op& op) {
  Builder& b = op.builder();
  Value* given = op.tensor("self");
  if (ir::is_floating(op.dtype_of(given)))
    op.refuse_argument("self", "must hold integers, not " + std::string(ir::name_of(op.dtype_of(given))));
  Value* x = b.cast(given, DType::Int64);
  Value* weights = op.optional_tensor("weights");
  DType dtype = DType::Int64;
  if (weights) dtype = op.dtype_of(weights) == DType::Float32 ? DType::Float32 : DType::Float64;
  const Term least{b, op.scalar("minlength", DType::Int64)};
  const Term bound{b, b.reduce("ReduceMax", b.concat({x, b.int64s({-1})}, 0), {}, false)};
  Value* count = max(bound + 1, least).value();
  return sums_by_bin(op, b.may_be_negative(x) ? b.element_index(x, count) : x, weights, dtype, count);
}

struct Range {
  Term low, high;  // rank 0
};

// The requested range, or that of the data (0 to 1 if there is none). An empty range is widened by `slack` at both
// ends.
Range range_of(Op& op, Term x, std::optional<std::pair<double, double>> asked, double slack) {
  if (asked) {
    const double more = asked->first == asked->second ? slack : 0;
    return {x.number(asked->first - more), x.number(asked->second + more)};
  }
  Term low = x.with(op->reduce("ReduceMin", x.value(), {}, false));
  Term high = x.with(op->reduce("ReduceMax", x.value(), {}, false));
  if (!op.fixed_size(x.value(), 0)) {
    const Term nothing = x.with(op->size_scalar(x.value(), 0)) == 0;
    low = where(nothing, 0, low);
    high = where(nothing, 1, high);
  }
  const Term more = where(low == high, x.number(slack), x.number(0));
  return {low - more, high + more};
}

Outputs histc(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0});
  const Term x{b, b.flatten_to_vector(in_full_precision(b, b.cast(op.tensor("self"), dtype)))};
  const std::int64_t bins = op.integer("bins");
  const double low = op.number("min"), high = op.number("max");
  if (low > high) op.refuse_argument("max", "must not be below min");
  const bool empty = op.fixed_size(x.value(), 0) == 0;
  if (empty) return b.constant_of_shape(b.int64s({bins}), dtype, 0);
  const bool of_data = low == high;
  const Range range = range_of(op, x, of_data && low == 0 ? std::nullopt : std::optional(std::pair(low, high)), 1);
  const Term within = x >= range.low && x <= range.high;
  Term bin = floor((x - range.low) / (range.high - range.low) * static_cast<double>(bins));
  bin = where(within, min(bin, static_cast<double>(bins - 1)), -1);
  return sums_by_bin(op, bin.cast(DType::Int64).value(), nullptr, op.dtype_of(x.value()), b.int64(bins));
}

// Bin edges, (bins + 1): of equal bins, or specified by the caller, possibly known to ascend.
enum class Order { Unknown, Ascending, Equal };
struct Edges {
  Value* value;
  Order order;
};

Edges given_edges(Value* value) {
  const ir::Tensor* known = known_tensor(value);
  bool ascend = known != nullptr;
  for (std::int64_t i = 1; ascend && i < known->numel(); ++i) ascend = known->as_double(i - 1) <= known->as_double(i);
  return {value, ascend ? Order::Ascending : Order::Unknown};
}

// The number of edges below each value, (n). Edges that do not ascend are searched by bisection, as in LibTorch.
Term edges_passed(Op& op, Term x, const Edges& edges) {
  Builder& b = op.builder();
  if (edges.order != Order::Unknown) {
    const Term passed = x.with(b.unsqueeze(x.value(), {1})) >= x.with(edges.value);
    return x.with(b.reduce("ReduceSum", passed.cast(DType::Int64).value(), Dims{1}, false));
  }
  const Term count{b, b.size_scalar(edges.value, 0)};
  const auto size = op.fixed_size(edges.value, 0);
  const int steps = size ? std::bit_width(static_cast<std::uint64_t>(*size)) : 32;
  Term first{b, b.int64(0)}, left = count;
  for (int i = 0; i < steps; ++i) {
    const Term half = left / 2, middle = first + half;
    const Term edge = x.with(b.take(edges.value, min(middle, count - 1).value(), 0));
    const Term below = x < edge || left == 0;
    first = where(below, first, middle + 1);
    left = where(below, half, left - half - 1);
  }
  return first;
}

// The bin of each value, (n); -1 outside the first and last edge. The last bin includes its upper edge. Equal bins are
// found from the value's position in the range, corrected by one bin if edges are rounded.
Term bins_of(Op& op, Term x, const Edges& edges) {
  Builder& b = op.builder();
  const Term start = x.with(b.slice(edges.value, 0, 0, 1)), end = x.with(b.slice(edges.value, 0, -1, INT64_MAX));
  const Term within = x >= start && x <= end;
  const Term last{b, b.sub(b.size_scalar(edges.value, 0), b.int64(2))};
  Term passed = edges_passed(op, x, edges);
  if (edges.order == Order::Equal) {
    const Term share = (x - start) * (last + 1).cast(op.dtype_of(x.value())) / (end - start);
    const Term guess = where(within, share, 0).cast(DType::Int64);
    passed = max(min(passed, min(guess + 2, last + 2)), max(guess - 1, 0));
  }
  return where(within, min(passed - 1, last), -1);
}

// The edges of equal bins, computed from both ends to the middle, as LibTorch's linspace rounds.
Value* equal_edges(Op& op, const Range& range, std::int64_t bins) {
  Builder& b = op.builder();
  Dims from_low, from_high;
  for (std::int64_t i = 0; i <= bins; ++i)
    (i < (bins + 1) / 2 ? from_low : from_high).push_back(i < (bins + 1) / 2 ? i : bins - i);
  const Term step = (range.high - range.low) / static_cast<double>(bins);
  const auto steps = [&](const Dims& numbers) {
    return step.with(b.int64s(numbers)).cast(op.dtype_of(step.value())) * step;
  };
  const Term falling = range.high - steps(from_high);
  return from_low.empty() ? falling.value() : b.concat({(range.low + steps(from_low)).value(), falling.value()}, 0);
}

// The argument "range": the lowest and highest value of each of `axes`; empty for None.
std::vector<std::pair<double, double>> asked_ranges(Op& op, std::size_t axes) {
  if (op.is_none("range")) return {};
  const ir::Constant* c = op.constant("range");
  const ir::Constant::List* list = c ? c->get<ir::Constant::List>() : nullptr;
  if (!list || list->items.size() != 2 * axes)
    op.refuse_argument("range", "must be two constant numbers for each axis");
  std::vector<std::pair<double, double>> ranges;
  for (std::size_t i = 0; i < axes; ++i)
    ranges.emplace_back(list->items[2 * i].as_double(), list->items[2 * i + 1].as_double());
  return ranges;
}

// The counts between the edges, and the edges.
Outputs histogram_between(Op& op, Term x, const Edges& edges) {
  Builder& b = op.builder();
  Value* weights = op.optional_tensor("weight");
  if (weights) weights = b.flatten_to_vector(weights);
  Value* count = b.sub(b.size_scalar(edges.value, 0), b.int64(1));
  Term sums = x.with(sums_by_bin(op, bins_of(op, x, edges).value(), weights, op.dtype_of(x.value()), count));
  if (op.flag("density")) {
    const Term from = x.with(b.slice(edges.value, 0, 0, -1)), to = x.with(b.slice(edges.value, 0, 1, INT64_MAX));
    sums = sums / sums.with(b.reduce("ReduceSum", sums.value(), Dims{0}, true)) / (to - from);
  }
  return {sums.value(), edges.value};
}

Outputs histogram(Op& op) {
  Builder& b = op.builder();
  const Term x{b, b.flatten_to_vector(op.tensor("self"))};
  if (!op.has("range")) return histogram_between(op, x, given_edges(op.tensor("bins")));
  const std::int64_t bins = op.integer("bins");
  std::optional<std::pair<double, double>> asked;
  if (const auto ranges = asked_ranges(op, 1); !ranges.empty()) {
    asked = ranges[0];
  } else if (op.fixed_size(x.value(), 0) == 0) {
    asked = std::pair(0.0, 1.0);
  }
  return histogram_between(op, x, {equal_edges(op, range_of(op, x, asked, 0.5), bins), Order::Equal});
}

// A histogram of points; the last axis of `self` contains the coordinates.
struct Points {
  Term rows;               // (points, axes)
  std::vector<Term> axes;  // (points) each
};

Points points_of(Op& op) {
  Builder& b = op.builder();
  Value* self = op.tensor("self");
  const auto size = op.fixed_size(self, -1);
  if (!size || *size == 0) op.refuse_argument("self", "must have a fixed number of coordinates");
  Points p{{b, b.reshape(self, {-1, *size})}, {}};
  for (std::int64_t i = 0; i < *size; ++i)
    p.axes.push_back(p.rows.with(b.squeeze(b.slice(p.rows.value(), 1, i, i + 1), {1})));
  return p;
}

// The edges along each axis: as specified, or of equal bins.
Values edges_of_points(Op& op, const Points& points) {
  if (op.source("bins")->type().is_tensor_list()) return op.tensors("bins");
  const std::size_t axes = points.axes.size();
  Dims bins = op.integers("bins");
  if (bins.size() == 1) bins.resize(axes, bins[0]);
  if (bins.size() != axes) op.refuse_argument("bins", "must have one number for each axis");
  auto ranges = asked_ranges(op, axes);
  const auto count = op.fixed_size(points.rows.value(), 0);
  if (ranges.empty() && count == 0) ranges.assign(axes, {0.0, 1.0});
  Values edges;
  for (std::size_t i = 0; i < axes; ++i)
    edges.push_back(equal_edges(
        op, range_of(op, points.axes[i], ranges.empty() ? std::nullopt : std::optional(ranges[i]), 0.5), bins[i]));
  return edges;
}

// The number of points in each cell, or the sum of their weights.
Value* counts_of_points(Op& op, const Points& points, const Values& edges) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(points.rows.value());
  const bool given = op.source("bins")->type().is_tensor_list();
  const auto count_of = [&](Value* along) { return Term{b, b.size_scalar(along, 0)} - 1; };
  Term cell{b, b.int64(0)}, inside = cell == 0, total = cell + 1;
  Values sizes;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Term bins = count_of(edges[i]);
    const Term place = bins_of(op, points.axes[i], given ? given_edges(edges[i]) : Edges{edges[i], Order::Equal});
    cell = cell * bins + place;
    inside = inside && place >= 0;
    total = total * bins;
    sizes.push_back(b.sub(b.size(edges[i], 0), b.int64s({1})));
  }
  Value* weights = op.optional_tensor("weight");
  if (weights) weights = b.flatten_to_vector(weights);
  Term sums{b, b.reshape(sums_by_bin(op, where(inside, cell, -1).value(), weights, dtype, total.value()),
                         b.join_sizes(sizes))};
  if (!op.flag("density")) return sums.value();
  Dims all;
  for (std::size_t i = 0; i < edges.size(); ++i) all.push_back(static_cast<std::int64_t>(i));
  sums = sums / sums.with(b.reduce("ReduceSum", sums.value(), all, true));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Term width = sums.with(b.slice(edges[i], 0, 1, INT64_MAX)) - sums.with(b.slice(edges[i], 0, 0, -1));
    Dims shape(edges.size(), 1);
    shape[i] = -1;
    sums = sums / width.with(b.reshape(width.value(), shape));
  }
  return sums.value();
}

Outputs histogram_of_points(Op& op) {
  const Points points = points_of(op);
  const Values edges = edges_of_points(op, points);
  return Outputs(
      std::vector<Lowered>{Outputs(counts_of_points(op, points, edges)).items[0], Outputs::list(edges).items[0]});
}
Outputs edges_alone(Op& op) { return Outputs::list(edges_of_points(op, points_of(op))); }
Outputs counts_alone(Op& op) {
  const Points points = points_of(op);
  return counts_of_points(op, points, edges_of_points(op, points));
}

Outputs isin(Op& op) {
  Builder& b = op.builder();
  const DType dtype = promoted_dtype(std::vector<const ir::Value*>{op.node().input(0), op.node().input(1)});
  const DType compared = dtype == DType::Bool ? DType::Int32 : dtype;
  const Term elements{b, operand(op, 0, compared)};
  const Term tests{b, b.flatten_to_vector(operand(op, 1, compared))};
  const std::int64_t rank = op.rank_of(elements.value());
  const Term hits = (elements.with(b.unsqueeze(elements.value(), {rank})) == tests).cast(DType::Int32);
  const Term found = hits.with(b.reduce("ReduceSum", hits.value(), Dims{rank}, false)) > 0;
  return op.flag("invert") ? (!found).value() : found.value();
}

// aten::unique_consecutive: elements, or slices along an axis, that differ from their predecessor
Outputs unique_consecutive(Op& op) {
  Builder& b = op.builder();
  Value* self = op.tensor("self");
  const DType dtype = op.dtype_of(self);
  const bool flat = !op.has("dim") || op.is_none("dim");
  const std::int64_t axis = flat ? 0 : op.axis("dim", self);
  Value* x = dtype == DType::Bool ? b.cast(self, DType::Int32) : self;
  if (flat || op.rank_of(x) == 0) x = b.flatten_to_vector(x);
  const std::int64_t rank = op.rank_of(x);
  const Term later{b, b.slice(x, axis, 1, INT64_MAX)}, earlier{b, b.slice(x, axis, 0, -1)};
  Term changed = (later != earlier).cast(DType::Int64);
  if (rank > 1) {
    Dims others;
    for (std::int64_t i = 0; i < rank; ++i)
      if (i != axis) others.push_back(i);
    changed = (changed.with(b.reduce("ReduceSum", changed.value(), others, false)) > 0).cast(DType::Int64);
  }
  Value* size = b.size(x, axis);
  Value* first = b.constant_of_shape(min(Term{b, size}, 1).value(), DType::Int64, 1);
  Value* starts = b.concat({first, changed.value()}, 0);
  Value* begins = b.cast(starts, DType::Bool);
  Value* values = b.op("Compress", {x, begins}, {{"axis", axis}});
  Value* inverse = b.int64s({});
  Value* counts = b.int64s({});
  if (!flat || op.flag("return_inverse")) {
    inverse = b.sub(b.op("CumSum", {starts, b.int64(0)}), b.int64(1));
    if (flat) inverse = reshape_known(op, inverse, self->facts().dims, [&] { return b.shape(self); });
  }
  if (!flat || op.flag("return_counts")) {
    Value* places = b.squeeze(b.op("NonZero", {b.cast(starts, DType::Float32)}), {0});
    Value* ends = b.slice(b.concat({places, size}, 0), 0, 1, INT64_MAX);
    counts = b.sub(ends, places);
  }
  return {b.cast(values, dtype), inverse, counts};
}

// aten::nonzero_static: the first `size` indices, padded with `fill_value`
Outputs nonzero_static(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const std::int64_t size = op.integer("size"), rank = op.rank_of(x);
  Value* whole = rank == 0 ? b.reshape(x, {1}) : x;
  Value* mask = b.cast(b.cast(whole, DType::Bool), DType::Float32);
  Value* places = b.transpose(b.op("NonZero", {mask}), {1, 0});
  if (rank == 0) places = b.slice(places, 1, 0, 0);
  Value* fill =
      b.constant_of_shape(b.int64s({size, rank}), DType::Int64, static_cast<double>(op.integer("fill_value")));
  return b.slice(b.concat({places, fill}, 0), 0, 0, size);
}

constexpr Row kCountingRows[] = {
    {"aten::bincount", 11, bincount},
    {"aten::histc", 9, rounded<histc>},
    {"aten::histogram", 9, rounded<histogram>},
    {"aten::histogramdd", 9, histogram_of_points},
    {"aten::_histogramdd_bin_edges", 9, edges_alone},
    {"aten::_histogramdd_from_bin_cts", 9, counts_alone},
    {"aten::_histogramdd_from_bin_tensors", 9, counts_alone},
    {"aten::isin", 7, isin},
    {"aten::unique_consecutive", 11, unique_consecutive},
    {"aten::unique_dim_consecutive", 11, unique_consecutive},
    {"aten::nonzero_static", 9, nonzero_static},
};

}  // namespace

std::span<const Row> counting_rows() { return kCountingRows; }

}  // namespace tonnx::lower
