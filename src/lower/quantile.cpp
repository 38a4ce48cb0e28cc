
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/missing.h"
#include "lower/promotion.h"

// Order statistics that handle NaN: nanmedian, quantile, mode.
namespace tonnx::lower {
namespace {

// x in ascending order along its axis, which is transposed to the end; flattened if there is none. NaN is replaced by
// infinity and comes last.
struct Ascending {
  Value* values;
  Value* places;
  Value* missing;     // bool: where x is NaN; null for integers
  std::int64_t axis;  // of x; -1: flattened
};

Ascending ascending(Op& op, Value* x, bool along) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  const std::int64_t axis = along && rank > 0 ? op.axis("dim", x) : -1;
  Value* moved = axis < 0 ? nan_where_empty(op, b.flatten_to_vector(x)) : b.transpose(x, order_with_back(rank, {axis}));
  Value* missing = nullptr;
  if (ir::is_floating(op.dtype_of(x))) {
    missing = is_nan(b, moved);
    moved = b.where(missing, b.scalar_like(moved, kInfinity), moved);
  }
  const Values sorted = b.op("TopK", {moved, b.size(moved, op.rank_of(moved) - 1)},
                             {{"axis", std::int64_t{-1}}, {"largest", std::int64_t{0}}}, 2);
  return {sorted[0], sorted[1], missing, axis};
}

// The number of non-NaN elements along the last axis, which is kept, as int64.
Term count_of_numbers(Op& op, const Ascending& a) {
  Builder& b = op.builder();
  const std::int64_t last = op.rank_of(a.values) - 1;
  if (!a.missing) return {b, b.size_scalar(a.values, last)};
  Value* numbers = b.cast(b.op("Not", {a.missing}), DType::Int64);
  return {b, b.reduce("ReduceSum", numbers, Dims{last}, true)};
}

Value* last_axis_back(Op& op, Value* y, const Ascending& a, bool keep) {
  const std::int64_t last = op.rank_of(y) - 1;
  if (a.axis < 0) return op->reshape(y, Dims{});
  if (!keep) return op->squeeze(y, {last});
  return op->transpose(y, inverse_order(order_with_back(last + 1, {a.axis})));
}

struct Median {
  Value* value;
  Value* place;
};

Median nanmedian_of(Op& op, bool along, bool keep) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const Ascending a = ascending(op, x, along);
  const std::int64_t last = op.rank_of(a.values) - 1;
  const Term count = count_of_numbers(op, a);
  Value* middle = ((max(count, 1) - 1) / 2).value();
  const auto pick = [&](Value* v) {
    return a.missing ? b.gather_elements(v, middle, last) : b.unsqueeze(b.gather(v, middle, last), {last});
  };
  const Term value{b, pick(a.values)};
  Value* found = a.missing ? where(count == 0, kNan, value).value() : value.value();
  return {last_axis_back(op, found, a, keep), last_axis_back(op, pick(a.places), a, keep)};
}

Outputs nanmedian(Op& op) { return nanmedian_of(op, false, false).value; }
Outputs nanmedian_along(Op& op) {
  const Median m = nanmedian_of(op, true, op.flag("keepdim"));
  if (op.rank_of(op.tensor("self")) == 0) return {m.value, op->int64(0)};
  return {m.value, m.place};
}

// Interpolates between two neighbours at a fractional rank.
Term between(Op& op, const std::string& how, Term rank, Term lower, Term upper) {
  const auto at = [&](Term share) {
    return rank.with(lerp(op.builder(), lower.value(), upper.value(), share.value()));
  };
  if (how == "linear") return at(rank - floor(rank));
  if (how == "midpoint") return at(rank.number(0.5));
  op.refuse_argument("interpolation", "'" + how + "' is not one of linear, lower, higher, midpoint and nearest");
}

Outputs quantile_of(Op& op, bool skips_nan) {
  Builder& b = op.builder();
  Value* given = op.tensor("self");
  Value* x = in_full_precision(b, require_elements(op, given, {{}, true, false}));
  const DType dtype = op.dtype_of(x);
  const Ascending a = ascending(op, x, !op.is_none("dim"));
  const std::int64_t last = op.rank_of(a.values) - 1;
  const bool one = op.source("q")->type().is_scalar() || op.rank_of(op.tensor("q")) == 0;
  const Term q{b, b.reshape(operand(op, "q", dtype), {-1})};

  const Term count = skips_nan ? count_of_numbers(op, a) : Term{b, b.size_scalar(a.values, last)};
  Term rank = q * at_least((count - 1).cast(dtype), 0);
  if (!skips_nan || !a.missing) {
    Value* shape = b.concat({b.slice(b.shape(a.values), 0, 0, last), b.shape(q.value())}, 0);
    rank = rank.with(op->expand(rank.value(), shape));
  }
  const auto pick = [&](Term place) {
    return place.with(b.gather_elements(a.values, place.cast(DType::Int64).value(), last));
  };
  const std::string how = op.text("interpolation");
  const Term y = how == "nearest"  ? pick(rank.with(round_half_even(b, rank.value())))
                 : how == "lower"  ? pick(floor(rank))
                 : how == "higher" ? pick(rank.apply("Ceil"))
                                   : between(op, how, rank, pick(floor(rank)), pick(rank.apply("Ceil")));
  Value* found = y.value();
  if (a.missing) {
    const Term missing{b, b.reduce("ReduceSum", b.cast(a.missing, DType::Int64), Dims{last}, true)};
    found = where(skips_nan ? count == 0 : missing > 0, kNan, y).value();
  }

  // transposes [..., q] to [q, ...]; the reduced axis is kept or not
  const bool keep = op.flag("keepdim");
  const std::int64_t dims = op.rank_of(given);
  if (a.axis < 0) {
    Dims shape(static_cast<std::size_t>(keep ? dims : 0), 1);
    if (!one) shape.insert(shape.begin(), -1);
    return b.reshape(found, shape);
  }
  Dims order;
  if (!one) order.push_back(last);
  for (std::int64_t i = 0; i < last; ++i) order.push_back(i);
  found = one ? b.squeeze(found, {last}) : b.transpose(found, order);
  return keep ? b.unsqueeze(found, {a.axis + (one ? 0 : 1)}) : found;
}

Outputs quantile(Op& op) { return quantile_of(op, false); }
Outputs nanquantile(Op& op) { return quantile_of(op, true); }

// aten::mode: the smallest of the most frequent values, and its last index
Outputs mode(Op& op) {
  Builder& b = op.builder();
  Value* self = op.tensor("self");
  const std::int64_t rank = op.rank_of(self);
  if (rank == 0) return {self, b.int64(0)};
  const DType dtype = op.dtype_of(self);
  const std::int64_t axis = op.axis("dim", self);
  const bool whole = !ir::is_floating(dtype);
  self = require_elements(op, self, {{axis}, false, false});
  const Term x{b, b.transpose(whole ? b.cast(self, DType::Int64) : self, order_with_back(rank, {axis}))};
  const Term same = x.with(b.unsqueeze(x.value(), {rank})) == x.with(b.unsqueeze(x.value(), {rank - 1}));
  const Term counts{b, b.reduce("ReduceSum", same.cast(DType::Int64).value(), Dims{rank}, false)};
  const Term most = counts == counts.with(b.reduce("ReduceMax", counts.value(), Dims{rank - 1}, true));
  const Term beyond = whole ? x.with(b.scalar(DType::Int64, INT64_MAX)) : x.number(kInfinity);
  const Term value = x.with(b.reduce("ReduceMin", where(most, x, beyond).value(), Dims{rank - 1}, true));
  const Term places{b, b.range(b.size_scalar(x.value(), rank - 1))};
  const Term own = where(most && x == value, places, -1);
  Value* place = b.reduce("ReduceMax", own.value(), Dims{rank - 1}, true);
  const auto back = [&](Value* v) {
    if (!op.flag("keepdim")) return b.squeeze(v, {rank - 1});
    return b.transpose(v, inverse_order(order_with_back(rank, {axis})));
  };
  return {b.cast(back(value.value()), dtype), back(place)};
}

constexpr Row kQuantileRows[] = {
    {"aten::nanmedian", 11, nanmedian},
    {"aten::nanmedian.dim", 11, nanmedian_along},
    {"aten::quantile", 11, rounded<quantile>},
    {"aten::nanquantile", 11, rounded<nanquantile>},
    {"aten::mode", 9, mode},
};

}  // namespace

std::span<const Row> quantile_rows() { return kQuantileRows; }

}  // namespace tonnx::lower
