#include "lower/families.h"
#include "lower/formula.h"
#include "lower/promotion.h"

// How often values stand in a tensor: bincount, histograms, membership, runs of equal elements.
namespace tonnx::lower {
namespace {

// Sums of `weights` (null: ones, of `dtype`) over the elements of each of `count` bins; `bins` is a vector of int64.
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
  Value* x = b.cast(op.tensor("self"), DType::Int64);
  Value* weights = op.optional_tensor("weights");
  DType dtype = DType::Int64;
  if (weights) dtype = op.dtype_of(weights) == DType::Float32 ? DType::Float32 : DType::Float64;
  const Term least{b, op.scalar("minlength", DType::Int64)};
  const Term bound{b, b.reduce("ReduceMax", b.concat({x, b.int64s({-1})}, 0), {}, false)};
  return sums_by_bin(op, x, weights, dtype, max(bound + 1, least).value());
}

struct Range {
  Term low, high;  // rank 0
};

// The range asked for, or that of the data; an empty one is widened by `slack` on both sides.
Range range_of(Op& op, Term x, std::optional<std::pair<double, double>> asked, double slack) {
  if (asked) {
    const double more = asked->first == asked->second ? slack : 0;
    return {x.number(asked->first - more), x.number(asked->second + more)};
  }
  const Term low = x.with(op->reduce("ReduceMin", x.value(), {}, false));
  const Term high = x.with(op->reduce("ReduceMax", x.value(), {}, false));
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

// Counts between the edges, the last one included, and the edges.
Outputs histogram_between(Op& op, Term x, Value* edges) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(x.value());
  const Term values = x.with(b.unsqueeze(x.value(), {1}));
  const Term from = x.with(b.slice(edges, 0, 0, -1)), to = x.with(b.slice(edges, 0, 1, INT64_MAX));
  const Term end = x.with(b.slice(edges, 0, -1, INT64_MAX));
  const Term member = values >= from && (values < to || (values == end && to == end));
  Term counts = member.cast(dtype);
  if (!op.is_none("weight"))
    counts = counts * counts.with(b.reshape(b.cast(op.tensor("weight"), dtype), {-1, 1}));
  Term sums = counts.with(b.reduce("ReduceSum", counts.value(), Dims{0}, false));
  if (op.flag("density"))
    sums = sums / sums.with(b.reduce("ReduceSum", sums.value(), Dims{0}, true)) / (to - from);
  return {sums.value(), edges};
}

Outputs histogram(Op& op) {
  Builder& b = op.builder();
  const Term x{b, b.flatten_to_vector(op.tensor("self"))};
  if (op.has("range") == false) return histogram_between(op, x, op.tensor("bins"));
  const std::int64_t bins = op.integer("bins");
  std::optional<std::pair<double, double>> asked;
  if (!op.is_none("range")) {
    const ir::Constant* c = op.constant("range");
    const ir::Constant::List* list = c ? c->get<ir::Constant::List>() : nullptr;
    if (!list || list->items.size() != 2) op.refuse_argument("range", "must be two constant numbers");
    asked = std::pair(list->items[0].as_double(), list->items[1].as_double());
  } else if (op.fixed_size(x.value(), 0) == 0) {
    asked = std::pair(0.0, 1.0);
  }
  const Range range = range_of(op, x, asked, 0.5);
  // From either end to the middle, as LibTorch's linspace rounds.
  Dims from_low, from_high;
  for (std::int64_t i = 0; i <= bins; ++i) (i < (bins + 1) / 2 ? from_low : from_high).push_back(i < (bins + 1) / 2 ? i : bins - i);
  const Term step = (range.high - range.low) / static_cast<double>(bins);
  const Term rising = range.low + x.with(b.int64s(from_low)).cast(op.dtype_of(x.value())) * step;
  const Term falling = range.high - x.with(b.int64s(from_high)).cast(op.dtype_of(x.value())) * step;
  Value* edges = from_low.empty() ? falling.value() : b.concat({rising.value(), falling.value()}, 0);
  return histogram_between(op, x, edges);
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

// unique_consecutive: elements, or slices along an axis, that differ from those before them
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

// nonzero_static: the first `size` places, and `fill_value` where there are fewer
Outputs nonzero_static(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const std::int64_t size = op.integer("size"), rank = op.rank_of(x);
  Value* whole = rank == 0 ? b.reshape(x, {1}) : x;
  Value* mask = b.cast(b.cast(whole, DType::Bool), DType::Float32);
  Value* places = b.transpose(b.op("NonZero", {mask}), {1, 0});
  if (rank == 0) places = b.slice(places, 1, 0, 0);
  Value* fill = b.constant_of_shape(b.int64s({size, rank}), DType::Int64, static_cast<double>(op.integer("fill_value")));
  return b.slice(b.concat({places, fill}, 0), 0, 0, size);
}

constexpr Row kRows[] = {
    {"aten::bincount", 11, bincount},
    {"aten::histc", 9, rounded<histc>},
    {"aten::histogram", 9, rounded<histogram>},
    {"aten::isin", 7, isin},
    {"aten::unique_consecutive", 11, unique_consecutive},
    {"aten::unique_dim_consecutive", 11, unique_consecutive},
    {"aten::nonzero_static", 9, nonzero_static},
};

}  // namespace

std::span<const Row> counting_rows() { return kRows; }

}  // namespace tonnx::lower
