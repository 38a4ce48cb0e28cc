#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/missing.h"
#include "lower/promotion.h"
#include "lower/reduce.h"
#include "lower/sizes.h"
#include "lower/whole.h"

// Sums, products, means, extremes, any and all over axes.
namespace tonnx::lower {

ReducedAxes reduced_axes(Op& op, const Value* x, std::string_view argument) {
  ReducedAxes r;
  r.keep = op.has("keepdim") && op.flag("keepdim");
  if (argument == "dim" && op.has("dims")) argument = "dims";
  if (op.has(argument)) r.axes = op.axes(argument, x);
  r.all = r.axes.empty();
  std::sort(r.axes.begin(), r.axes.end());
  return r;
}

std::optional<std::int64_t> reduced_count(Op& op, const Value* x, const ReducedAxes& r) {
  if (!x->facts().has_rank()) return std::nullopt;
  Dims axes = r.axes;
  if (r.all) axes = order_with_front(x->facts().rank(), {});
  std::int64_t count = 1;
  bool known = true;
  if (x->facts().rank() == 0) return 1;
  for (const std::int64_t axis : axes) {
    const auto n = op.fixed_size(x, axis);
    if (n && *n == 0) return 0;
    known = known && n;
    if (known) count *= *n;
  }
  return known ? std::optional(count) : std::nullopt;
}

Value* reduce(Op& op, std::string_view name, Value* x, const ReducedAxes& r) {
  if (x->facts().has_rank() && x->facts().rank() == 0) return op->reduce(name, op->reshape(x, {1}), Dims{0}, false);
  return op->reduce(name, x, r.all ? Dims{} : r.axes, r.keep);
}

Value* all_true(Builder& b, Value* x) {
  return b.cast(b.reduce("ReduceMin", b.cast(x, DType::Int32), {}, false), DType::Bool);
}

Value* filled_result(Op& op, const ReducedAxes& r, const Value* x, DType dtype, double value) {
  const std::int64_t rank = op.rank_of(x);
  Values sizes;
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool gone = r.all || std::find(r.axes.begin(), r.axes.end(), i) != r.axes.end();
    if (!gone) sizes.push_back(op->size(const_cast<Value*>(x), i));
    if (gone && r.keep) sizes.push_back(op->int64s({1}));
  }
  if (sizes.empty()) return op->scalar(dtype, value);
  return op->constant_of_shape(op->join_sizes(sizes), dtype, value);
}

namespace {

// aten::sum, aten::prod and similar operators accumulate integers and bools in int64.
DType accumulated_dtype(Op& op, const Value* x) {
  if (op.result().dtype != DType::Undefined) return op.result().dtype;
  if (op.has("dtype"))
    if (const auto dtype = op.dtype("dtype")) return *dtype;
  const DType dtype = op.dtype_of(x);
  return ir::is_floating(dtype) ? dtype : DType::Int64;
}

Value* of_whole_numbers(Op& op, std::string_view name, Value* x, const ReducedAxes& r) {
  const bool is_number = x->facts().has_rank() && x->facts().rank() == 0;
  if (name == "ReduceSum" && !is_number) return whole_sum(op.builder(), x, r.axes, r.keep);
  if (name == "ReduceProd" && x->facts().has_rank() && !is_number) return whole_product(op, x, r.axes, r.keep);
  return reduce(op, name, x, r);
}

Value* accumulated(Op& op, std::string_view name, Value* x, const ReducedAxes& r, double of_nothing) {
  const DType dtype = accumulated_dtype(op, x);
  if (reduced_count(op, x, r) == 0) return filled_result(op, r, x, dtype, of_nothing);
  x = op->cast(x, dtype);
  const bool is_narrow = ir::is_integral(dtype) && dtype != DType::UInt64;
  if (dtype == DType::Bool || (is_narrow && op->avoids(ir::Defect::NarrowSumSaturation, dtype)))
    return op->cast(of_whole_numbers(op, name, op->cast(x, DType::Int64), r), dtype);
  x = in_full_precision(op.builder(), x);
  return op->cast(name == "ReduceMean" ? mean_over(op, x, r) : reduce(op, name, x, r), dtype);
}

Outputs sum(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  return accumulated(op, "ReduceSum", x, reduced_axes(op, x), 0);
}

Outputs mean(Op& op) {
  Value* x = op.tensor("self");
  return accumulated(op, "ReduceMean", x, reduced_axes(op, x), kNan);
}

Outputs prod(Op& op) {
  Value* x = op.tensor("self");
  return accumulated(op, "ReduceProd", x, reduced_axes(op, x), 1);
}

Value* without_nan(Op& op, Value* x) {
  if (!ir::is_floating(op.dtype_of(x))) return x;
  return op->where(is_nan(op.builder(), x), op->scalar_like(x, 0.0), x);
}

// For an empty list of axes, a torch.export program declares the shape of an elementwise copy, but LibTorch sums all
// axes.
void check_empty_axes(const Op& op, const ReducedAxes& r) {
  if (!r.all || op.is_none("dim") || !op.result().has_rank()) return;
  const auto is_more = [](const ir::Dim& dim) { return !dim.is_fixed() || dim.size() != 1; };
  if (std::ranges::any_of(*op.result().dims, is_more))
    op.refuse_argument("dim",
                       "is an empty list, for which the program declares another shape than LibTorch returns; list the "
                       "axes, or pass None");
}

Outputs nansum(Op& op) {
  Value* x = op.tensor("self");
  if (op.opset() < 9) op.needs_opset(9, "a sum without NaN");
  const ReducedAxes r = reduced_axes(op, x);
  check_empty_axes(op, r);
  return accumulated(op, "ReduceSum", without_nan(op, x), r, 0);
}

Outputs nanmean(Op& op) {
  Value* x = op.tensor("self");
  if (op.opset() < 9) op.needs_opset(9, "a mean without NaN");
  const ReducedAxes r = reduced_axes(op, x);
  check_empty_axes(op, r);
  const DType dtype = accumulated_dtype(op, x);
  Value* numbers = op->cast(op->op("Not", {is_nan(op.builder(), x)}), DType::Float32);
  Value* total = accumulated(op, "ReduceSum", without_nan(op, x), r, 0);
  return op->div(total, op->cast(reduce(op, "ReduceSum", numbers, r), dtype));
}

Outputs count_nonzero(Op& op) {
  Value* x = op.tensor("self");
  Value* counted = op->cast(op->cast(x, DType::Bool), DType::Int64);
  return reduce(op, "ReduceSum", counted, reduced_axes(op, x));
}

// Casts bools to integers for comparison.
Value* comparable(Op& op, Value* x) { return op.dtype_of(x) == DType::Bool ? op->cast(x, DType::Int32) : x; }

Value* extreme(Op& op, std::string_view name, Value* x, const ReducedAxes& r) {
  return op->cast(reduce_extreme(op, name, comparable(op, x), r), op.dtype_of(x));
}

Outputs amax(Op& op) {
  Value* x = op.tensor("self");
  const ReducedAxes r = reduced_axes(op, x);
  return extreme(op, "ReduceMax", require_elements(op, x, r), r);
}

Outputs amin(Op& op) {
  Value* x = op.tensor("self");
  const ReducedAxes r = reduced_axes(op, x);
  return extreme(op, "ReduceMin", require_elements(op, x, r), r);
}

Outputs aminmax(Op& op) {
  Value* x = op.tensor("self");
  const ReducedAxes r = reduced_axes(op, x);
  x = require_elements(op, x, r);
  return {extreme(op, "ReduceMin", x, r), extreme(op, "ReduceMax", x, r)};
}

Value* position_of(Op& op, std::string_view name, Value* x, std::int64_t axis, bool keep) {
  if (op.rank_of(x) == 0) return op->int64(0);
  return place_of_extreme(op, name, comparable(op, x), axis, keep);
}

// max.dim, min.dim: values and the indices of their first occurrences
template <OperatorName Reduce, OperatorName Position>
Outputs extreme_with_position(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  const bool keep = op.flag("keepdim");
  // ArgMax and ArgMin fail for no elements.
  if (op.node().output(1)->is_unused()) x = require_elements(op, x, {{axis}, false, keep});
  Value* values = op.node().output(0)->is_unused() ? nullptr : extreme(op, Reduce, x, {{axis}, false, keep});
  Value* indices = op.node().output(1)->is_unused() ? nullptr : position_of(op, Position, x, axis, keep);
  return {values, indices};
}

template <OperatorName Position>
Outputs position(Op& op) {
  Value* x = op.tensor("self");
  const bool keep = op.flag("keepdim");
  const std::int64_t rank = op.rank_of(x);
  if (!op.is_none("dim")) return position_of(op, Position, x, op.axis("dim", x), keep);
  if (rank == 0) return op->int64(0);
  Value* y = position_of(op, Position, rank == 1 ? x : op->flatten_to_vector(x), 0, false);
  return keep ? op->reshape(y, Dims(static_cast<std::size_t>(rank), 1)) : y;
}

// Counts the true elements, which is right for no elements too.
Value* any_of(Op& op, Value* truth, const ReducedAxes& r) {
  return op->cast(reduce(op, "ReduceSum", op->cast(truth, DType::Int32), r), DType::Bool);
}

// aten::any and aten::all; for uint8 they return uint8. An empty list of axes reduces nothing here; for other
// reductions it means all.
template <bool All>
Outputs truth(Op& op) {
  Value* x = op.tensor("self");
  const ReducedAxes r = reduced_axes(op, x);
  const DType dtype = op.dtype_of(x) == DType::UInt8 ? DType::UInt8 : DType::Bool;
  if (r.all && op.has("dim") && !op.is_none("dim")) return op->cast(op->cast(x, DType::Bool), dtype);
  if (reduced_count(op, x, r) == 0) return filled_result(op, r, x, dtype, All);
  Value* whole = op->cast(x, DType::Bool);
  Value* found = any_of(op, All ? op->op("Not", {whole}) : whole, r);
  return op->cast(All ? op->op("Not", {found}) : found, dtype);
}

Outputs logsumexp(Op& op) {
  Value* x = op.tensor("self");
  const ReducedAxes r = reduced_axes(op, x);
  const DType dtype = op.result().dtype == DType::Undefined ? op.dtype_of(x) : op.result().dtype;
  if (reduced_count(op, x, r) == 0) return filled_result(op, r, x, dtype, -kInfinity);
  return log_sum_exp(op, in_full_precision(op.builder(), op->cast(x, dtype)), r);
}

constexpr Row kReductionRows[] = {
    {"aten::sum", 7, sum},
    {"aten::mean", 7, mean},
    {"aten::prod", 7, prod},
    {"aten::nansum", 9, nansum},
    {"aten::nanmean", 9, nanmean},
    {"aten::count_nonzero", 7, count_nonzero},
    {"aten::amax", 7, amax},
    {"aten::amin", 7, amin},
    {"aten::max", 7, amax},
    {"aten::min", 7, amin},
    {"aten::max.dim", 7, extreme_with_position<"ReduceMax", "ArgMax">},
    {"aten::min.dim", 7, extreme_with_position<"ReduceMin", "ArgMin">},
    {"aten::aminmax", 7, aminmax},
    {"aten::_aminmax", 7, aminmax},
    {"aten::argmax", 7, position<"ArgMax">},
    {"aten::argmin", 7, position<"ArgMin">},
    {"aten::any", 7, truth<false>},
    {"aten::all", 7, truth<true>},
    {"aten::logsumexp", 7, rounded<logsumexp>},
    {"aten::special_logsumexp", 7, rounded<logsumexp>},
};

}  // namespace

Value* log_sum_exp(Op& op, Value* x, const ReducedAxes& r) {
  Builder& b = op.builder();
  ReducedAxes kept = r;
  kept.keep = true;
  Value* most = reduce(op, "ReduceMax", x, kept);
  // An infinite maximum would yield inf - inf. With zero instead, exp and log propagate the infinity.
  Value* shift = b.where(is_infinite(b, most), b.scalar_like(most, 0.0), most);
  Value* total = b.op("Log", {reduce(op, "ReduceSum", b.op("Exp", {b.sub(x, shift)}), r)});
  if (r.keep || op.rank_of(x) == 0) return b.add(total, shift);
  Value* flat_shift = r.all ? b.reshape(shift, Dims{}) : b.squeeze(shift, r.axes);
  return b.add(total, flat_shift);
}

std::span<const Row> reduction_rows() { return kReductionRows; }

}  // namespace tonnx::lower
