#include <algorithm>
#include <array>
#include <cmath>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/list_facts.h"
#include "lower/sequence.h"

// Scalars that programs compute at run time: sizes, and arithmetic on them. A scalar is a rank-0 int64, float64 or
// bool. Operators with the same meaning for tensors and scalars are in the families of the tensors.
namespace tonnx::lower {
namespace {

// aten::size.int, sym_size.int
Outputs size(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  const ir::Value* axis = op.node().input(1);
  if (const ir::Constant* known = axis->constant()) {
    std::int64_t i = known->as_int64();
    if (x->facts().has_rank()) i = op.wrap_axis(i, x->facts().rank());
    return op->size_scalar(x, i);
  }
  return op->gather(op->shape(x), op.scalar_of(axis, DType::Int64), 0);
}

// aten::size, sym_size, _shape_as_tensor: all sizes as one rank-1 tensor
Outputs sizes(Op& op) { return op->shape(op.value_of(op.node().input(0))); }

Outputs dim(Op& op) { return op->rank(op.value_of(op.node().input(0))); }

Outputs numel(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  if (const auto known = x->facts().fixed_dims()) {
    std::int64_t count = 1;
    for (const std::int64_t d : *known) count *= d;
    return op->int64(count);
  }
  return op->op("Size", {x});
}

// aten::len of a list, or of a tensor
Outputs length(Op& op) {
  const ir::Value* source = op.node().input(0);
  const Lowered* known = op.lowered(source);
  if (known && known->kind == Lowered::Kind::List) return op->int64(static_cast<std::int64_t>(known->list.size()));
  if (Value* sequence = lowered_sequence(op, source)) return sequence_length(op.builder(), sequence);
  return op->size_scalar(op.value_of(source), 0);
}

// floor and ceil of a scalar return an int; for a tensor they preserve the dtype.
template <OperatorName Name>
Outputs to_integer(Op& op) {
  const ir::Value* source = op.node().input(0);
  if (source->facts().dtype == DType::Int64 || source->facts().dtype == DType::Bool)
    return op.scalar_of(source, DType::Int64);
  return op->cast(op->op(Name, {op.scalar_of(source, DType::Float64)}), DType::Int64);
}

// int / int returns a float.
Outputs true_quotient(Op& op) {
  return op->div(op.scalar_of(op.node().input(0), DType::Float64), op.scalar_of(op.node().input(1), DType::Float64));
}

// math.fmod, math.remainder, math.pow and similar operators always return floats.
template <Value* (*Formula)(Builder&, Value*, Value*)>
Outputs float_formula(Op& op) {
  return Formula(op.builder(), op.scalar_of(op.node().input(0), DType::Float64),
                 op.scalar_of(op.node().input(1), DType::Float64));
}

Value* ieee_remainder(Builder& b, Value* x, Value* y) { return b.sub(x, b.mul(y, round_half_even(b, b.div(x, y)))); }

// log(x, base)
Value* log_to_base(Builder& b, Value* x, Value* base) { return b.div(b.op("Log", {x}), b.op("Log", {base})); }

// divmod(x, y)
Outputs divmod(Op& op) {
  const DType dtype = op.result_dtype();
  Value* x = operand(op, 0, dtype);
  Value* y = operand(op, 1, dtype);
  return {floor_divide(op.builder(), x, y), remainder(op.builder(), x, y)};
}

// prim::max, prim::min of two scalars, of the items of two lists, or of one list
template <bool Max>
Outputs extreme(Op& op) {
  Builder& b = op.builder();
  if (op.node().input_count() == 1) {
    Value* items = op.vector_of(op.node().input(0), numbers_in(op, op.node().input(0)));
    return b.reduce(Max ? "ReduceMax" : "ReduceMin", items, std::array<std::int64_t, 1>{0}, false);
  }
  if (op.node().input(0)->type().is(ir::Type::Kind::List))
    op.refuse("max and min of two lists that depend on the inputs have no ONNX form");
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = operand(op, 0, dtype);
  Value* y = operand(op, 1, dtype);
  return Max ? maximum(b, x, y) : minimum(b, x, y);
}

// The tensors of a list as a vector; each must have one element, as LibTorch requires.
Value* elements_of(Op& op, const ir::Value* list, DType dtype) {
  Builder& b = op.builder();
  const auto check = [&](const ir::Facts& facts) {
    if (std::ranges::any_of(facts.dims.value_or(std::vector<ir::Dim>()),
                            [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() != 1; }))
      op.refuse("it compares tensors of more than one element, which LibTorch refuses; use torch.equal");
  };
  const Value* one = op.value_of(op.node().input(1));
  check(one->facts());
  if (is_static(op, list)) {
    Values items;
    for (Value* item : op.tensors("self")) {
      check(item->facts());
      items.push_back(b.reshape(b.cast(item, dtype), {1}));
    }
    return items.empty() ? b.cast(b.int64s({}), dtype) : b.concat(items, 0);
  }
  const ir::Facts any = any_item(op, list);
  check(any);
  if (!any.has_rank()) op.refuse("the rank of the tensors in a list must be known; compare them in a loop");
  // A sequence without items cannot be concatenated.
  Value* last = b.reshape(b.cast(b.int64s({0}), any.dtype), std::vector<std::int64_t>(any.rank(), 1));
  Value* joined = b.reshape(concat_sequence(op, append(b, as_sequence(op, list), {last}), 0, true), {-1});
  return b.cast(b.slice(joined, 0, 0, -1), dtype);
}

// 1 for items of the list that equal the scalar, else 0.
Value* matches(Op& op) {
  const ir::Value* list = op.node().input(0);
  if (!list->type().is(ir::Type::Kind::List))
    op.refuse("a look-up in a dict that depends on the inputs has no ONNX form");
  if (list->type().is_tensor_list()) {
    const DType in_list = any_item(op, list).dtype;
    const DType other = op.value_of(op.node().input(1))->facts().dtype;
    if (in_list == DType::Undefined || in_list != other)
      op.refuse("it compares tensors of two dtypes; cast them to one dtype");
    Value* items = elements_of(op, list, in_list);
    Value* wanted = op->reshape(op.value_of(op.node().input(1)), {1});
    return op->cast(equal(op.builder(), items, wanted), DType::Int32);
  }
  const DType dtype = numbers_in(op, list);
  Value* items = op.vector_of(list, dtype);
  return op->cast(equal(op.builder(), items, op.scalar_of(op.node().input(1), dtype)), DType::Int32);
}

Outputs contains(Op& op) { return op->cast(op->reduce("ReduceSum", matches(op), {}, false), DType::Bool); }

Outputs count(Op& op) { return op->cast(op->reduce("ReduceSum", matches(op), {}, false), DType::Int64); }

// aten::index of a list: the first index. If there is none, LibTorch raises; returns the length.
Outputs place(Op& op) {
  Builder& b = op.builder();
  Value* ended = b.concat({matches(op), b.cast(b.int64s({1}), DType::Int32)}, 0);
  return b.op("ArgMax", {ended}, {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}});
}

// aten::sum of a list of scalars
Outputs sum_of_list(Op& op) {
  Value* items = op.vector_of(op.node().input(0), op.result_dtype());
  return op->reduce("ReduceSum", items, std::array<std::int64_t, 1>{0}, false);
}

// [a, b] * n: a list if n is a constant, else a vector of scalars
Outputs repeat_list(Op& op) {
  const std::size_t list = op.node().input(0)->type().is(ir::Type::Kind::List) ? 0 : 1;
  const ir::Value* source = op.node().input(list);
  const ir::Value* count = op.node().input(1 - list);
  if (count->constant() && is_static(op, source)) {
    const Values items = op.items_of(source);
    Values repeated;
    for (std::int64_t i = 0; i < count->constant()->as_int64(); ++i)
      repeated.insert(repeated.end(), items.begin(), items.end());
    return Outputs::list(std::move(repeated));
  }
  if (source->type().is_tensor_list())
    op.refuse("repeating a list of tensors whose length is known at run time only is not supported");
  Value* vector = op.vector_of(source, numbers_in(op, source));
  Value* times = maximum(op.builder(), op.scalar_of(count, DType::Int64), op->int64(0));
  return op->op("Tile", {vector, op->reshape(times, {1})});
}

// __range_length(lo, hi, step)
Outputs range_length(Op& op) {
  Builder& b = op.builder();
  Value* low = op.scalar_of(op.node().input(0), DType::Int64);
  Value* high = op.scalar_of(op.node().input(1), DType::Int64);
  Value* step = op.scalar_of(op.node().input(2), DType::Int64);
  // ceil(a / s) is -floor(-a / s)
  Value* count = b.op("Neg", {floor_divide(b, b.sub(low, high), step)});
  return maximum(b, count, b.int64(0));
}

// __derive_index(index, start, step)
Outputs derive_index(Op& op) {
  Value* index = op.scalar_of(op.node().input(0), DType::Int64);
  Value* offset = op->mul(index, op.scalar_of(op.node().input(2), DType::Int64));
  return op->add(op.scalar_of(op.node().input(1), DType::Int64), offset);
}

Value* power_of(Builder& b, Value* x, Value* y) { return b.op("Pow", {x, y}); }

// pow(int, int): LibTorch's overload returns a float unless it declares an int.
Outputs int_power(Op& op) { return op->cast(float_formula<power_of>(op).items.front().one, DType::Int64); }

constexpr Row kScalarRows[] = {
    {"aten::size", 7, sizes},
    {"aten::size.int", 7, size},
    {"aten::sym_size", 7, sizes},
    {"aten::sym_size.int", 7, size},
    {"aten::_shape_as_tensor", 7, sizes},
    {"prim::shape", 7, sizes},
    {"aten::dim", 7, dim},
    {"aten::numel", 7, numel},
    {"aten::sym_numel", 7, numel},
    {"aten::len", 7, length},
    {"aten::floor.int", 7, to_integer<"Floor">},
    {"aten::floor.float", 7, to_integer<"Floor">},
    {"aten::floor.Scalar", 7, to_integer<"Floor">},
    {"aten::ceil.int", 7, to_integer<"Ceil">},
    {"aten::ceil.float", 7, to_integer<"Ceil">},
    {"aten::ceil.Scalar", 7, to_integer<"Ceil">},
    {"aten::div.int", 7, true_quotient},
    {"aten::div.float", 7, true_quotient},
    {"aten::pow.int", 7, float_formula<power_of>},
    {"aten::pow.float", 7, float_formula<power_of>},
    {"aten::pow.int_float", 7, float_formula<power_of>},
    {"aten::pow.float_int", 7, float_formula<power_of>},
    {"aten::pow.Scalar_Scalar", 7, float_formula<power_of>},
    {"aten::pow.int_to_int", 7, int_power},
    {"aten::fmod.int", 7, float_formula<fmod>},
    {"aten::fmod.float", 7, float_formula<fmod>},
    {"aten::fmod.int_float", 7, float_formula<fmod>},
    {"aten::fmod.float_int", 7, float_formula<fmod>},
    {"aten::mathremainder", 7, float_formula<ieee_remainder>},
    {"aten::log.int_int", 7, float_formula<log_to_base>},
    {"aten::log.float_float", 7, float_formula<log_to_base>},
    {"aten::log.int_float", 7, float_formula<log_to_base>},
    {"aten::log.float_int", 7, float_formula<log_to_base>},
    {"aten::log.Scalar_Scalar", 7, float_formula<log_to_base>},
    {"aten::divmod", 7, divmod},
    {"prim::max", 7, extreme<true>},
    {"prim::min", 7, extreme<false>},
    {"aten::__contains__", 7, contains},
    {"aten::count.int", 7, count},
    {"aten::count.float", 7, count},
    {"aten::count.bool", 7, count},
    {"aten::count.Tensor", 11, count},
    {"aten::index.list_Tensor", 11, place},
    {"aten::index.list_int", 7, place},
    {"aten::index.list_float", 7, place},
    {"aten::index.list_bool", 7, place},
    {"aten::sum.int", 7, sum_of_list},
    {"aten::sum.float", 7, sum_of_list},
    {"aten::mul.left_t", 7, repeat_list},
    {"aten::mul.right_", 7, repeat_list},
    {"aten::__range_length", 7, range_length},
    {"aten::__derive_index", 7, derive_index},
    {"_operator::truediv", 7, true_quotient},
    {"math::floor", 7, to_integer<"Floor">},
    {"math::ceil", 7, to_integer<"Ceil">},
    {"torch::sym_max", 7, extreme<true>},
    {"torch::sym_min", 7, extreme<false>},
    {"torch::sym_sum", 7, sum_of_list},
};

}  // namespace

std::span<const Row> scalar_rows() { return kScalarRows; }

}  // namespace tonnx::lower
