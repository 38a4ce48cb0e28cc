#include <cmath>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/reduce.h"

namespace tonnx::lower {
namespace {

struct Operands {
  Value* first;
  Value* second;
};

// Both operands in the dtype in which LibTorch compares them; the dtype of the result (bool) does not determine it.
Operands promoted(Op& op) {
  const ir::Value* sources[] = {op.node().input(0), op.node().input(1)};
  const DType dtype = promoted_dtype(sources);
  if (dtype == DType::Undefined) op.refuse("the dtype of an operand must be known");
  return {operand(op, 0, dtype), operand(op, 1, dtype)};
}

bool is_list(Op& op) { return op.node().input(0)->type().is(ir::Type::Kind::List); }

// True or false; nullopt if dims are unknown.
std::optional<bool> compare_sizes(const Value* x, const Value* y) {
  if (!x->facts().has_rank() || !y->facts().has_rank()) return std::nullopt;
  if (x->facts().rank() != y->facts().rank()) return false;
  bool all_known = true;
  for (std::size_t i = 0; i < x->facts().dims->size(); ++i) {
    const ir::Dim& a = (*x->facts().dims)[i];
    const ir::Dim& c = (*y->facts().dims)[i];
    if (a.is_fixed() && c.is_fixed() && a.size() != c.size()) return false;
    all_known = all_known && a.same(c);
  }
  return all_known ? std::optional(true) : std::nullopt;
}

template <Value* (*Formula)(Builder&, Value*, Value*)>
Outputs compare(Op& op) {
  if (is_list(op)) op.refuse("lists that depend on the inputs cannot be compared");
  const Operands o = promoted(op);
  return Formula(op.builder(), o.first, o.second);
}

// Rank-0 bool: true if two tensors of the same rank have the same shape and elements.
Value* are_same(Builder& b, Value* x, Value* y) {
  Value* sizes = all_true(b, equal(b, b.shape(x), b.shape(y)));
  x = b.flatten_to_vector(x);
  y = b.flatten_to_vector(y);
  // Slice both to the smaller size along each axis.
  Value* zero = b.int64s({0});
  Value* elements = equal(b, b.slice(x, zero, b.size(y, 0), zero), b.slice(y, zero, b.size(x, 0), zero));
  Value* others = b.reduce("ReduceSum", b.cast(b.op("Not", {elements}), DType::Int64), {}, false);
  return b.op("And", {sizes, equal(b, others, b.scalar(DType::Int64, std::int64_t{0}))});
}

// aten::eq, aten::ne of two int lists, as rank 0
template <bool Equal>
Outputs compare_lists(Op& op) {
  Value* x = op.int_vector_of(op.node().input(0));
  Value* y = op.int_vector_of(op.node().input(1));
  const auto same = compare_sizes(x, y);
  if (same == false) return op->scalar(DType::Bool, std::int64_t{!Equal});
  Value* result = same ? all_true(op.builder(), equal(op.builder(), x, y)) : are_same(op.builder(), x, y);
  return Equal ? result : op->op("Not", {result});
}

// aten::equal: same shape and elements
Outputs equal_tensors(Op& op) {
  const Operands o = promoted(op);
  const auto same = compare_sizes(o.first, o.second);
  if (same == false) return op->scalar(DType::Bool, std::int64_t{0});
  if (!same && !(o.first->facts().has_rank() && o.second->facts().has_rank()))
    op.refuse("the sizes of compared tensors must be known to be the same");
  if (!same) return are_same(op.builder(), o.first, o.second);
  return all_true(op.builder(), equal(op.builder(), o.first, o.second));
}

// |self - other| <= atol + rtol |other|, or equal
Value* close_elements(Op& op) {
  Builder& b = op.builder();
  const ir::Value* sources[] = {op.source("self"), op.source("other")};
  const DType dtype = promoted_dtype(sources);
  Value* x = operand(op, "self", dtype);
  Value* y = operand(op, "other", dtype);
  Value* close = equal(b, x, y);
  if (ir::is_floating(dtype) && op.flag("equal_nan"))
    close = b.op("Or", {close, b.op("And", {is_nan(b, x), is_nan(b, y)})});
  const double rtol = op.number("rtol"), atol = op.number("atol");
  if (rtol == 0 && atol == 0) return close;
  // Tolerances on integers are computed in the default float dtype.
  const DType precise = ir::is_floating(dtype) ? dtype : DType::Float32;
  x = in_full_precision(b, b.cast(x, precise));
  y = in_full_precision(b, b.cast(y, precise));
  Value* distance = b.op("Abs", {b.sub(x, y)});
  Value* allowed = b.add(b.scalar_like(x, atol), b.op("Abs", {b.mul(b.scalar_like(x, rtol), y)}));
  Value* within = b.op("And", {is_finite(b, distance), less_equal(b, distance, allowed)});
  return b.op("Or", {close, within});
}

Outputs is_close(Op& op) { return close_elements(op); }
Outputs all_close(Op& op) { return all_true(op.builder(), close_elements(op)); }

// aten::is_nonzero, aten::Bool: the truth value of a tensor with one element
Outputs truth(Op& op) { return op.scalar_of(op.node().input(0), DType::Bool); }

constexpr Row kComparisonRows[] = {
    {"aten::eq", 7, compare<equal>},
    {"aten::ne", 7, compare<not_equal>},
    {"aten::not_equal", 7, compare<not_equal>},
    {"aten::lt", 7, compare<less>},
    {"aten::less", 7, compare<less>},
    {"aten::le", 7, compare<less_equal>},
    {"aten::less_equal", 7, compare<less_equal>},
    {"aten::gt", 7, compare<greater>},
    {"aten::greater", 7, compare<greater>},
    {"aten::ge", 7, compare<greater_equal>},
    {"aten::greater_equal", 7, compare<greater_equal>},
    {"_operator::eq", 7, compare<equal>},
    {"_operator::ne", 7, compare<not_equal>},
    {"_operator::lt", 7, compare<less>},
    {"_operator::le", 7, compare<less_equal>},
    {"_operator::gt", 7, compare<greater>},
    {"_operator::ge", 7, compare<greater_equal>},
    {"aten::eq.int_list", 7, compare_lists<true>},
    {"aten::ne.int_list", 7, compare_lists<false>},
    {"aten::equal", 7, equal_tensors},
    {"aten::isclose", 7, is_close},
    {"aten::allclose", 7, all_close},
    {"aten::is_nonzero", 7, truth},
    {"aten::Bool", 7, truth},
};

}  // namespace

std::span<const Row> comparison_rows() { return kComparisonRows; }

}  // namespace tonnx::lower
