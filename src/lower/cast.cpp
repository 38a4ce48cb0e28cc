#include "aten/containers.h"
#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/list_facts.h"

namespace tonnx::lower {
namespace {

// The result differs from argument 0 at most in its dtype: devices, layouts and memory formats have no ONNX form.
Outputs convert(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  if (op.result().dtype != DType::Undefined) return op->cast(x, op.result().dtype);
  if (op.has("dtype"))
    if (const auto dtype = op.dtype("dtype")) return op->cast(x, *dtype);
  if (op.has("other")) return op->cast(x, op.dtype_of(op.tensor("other")));
  return x;
}

template <DType Target>
Outputs cast_to(Op& op) {
  return op->cast(op.value_of(op.node().input(0)), Target);
}

// item(), int(), float(): a scalar, or the only element of a tensor, as rank 0.
template <DType Target>
Outputs number(Op& op) {
  return op.scalar_of(op.node().input(0), Target);
}

Outputs item(Op& op) {
  const ir::Value* source = op.node().input(0);
  DType dtype = op.result().dtype;
  if (dtype == DType::Undefined) dtype = source->facts().dtype;
  if (dtype == DType::Undefined) op.refuse("the dtype of the number must be known");
  if (dtype != DType::Bool) dtype = ir::is_floating(dtype) ? DType::Float64 : DType::Int64;
  return op.scalar_of(source, dtype);
}

// prim::NumToTensor, aten::tensor, aten::scalar_tensor of a scalar
Outputs from_number(Op& op) {
  DType dtype = op.result().dtype;
  if (dtype == DType::Undefined && op.has("dtype")) dtype = op.dtype("dtype").value_or(DType::Undefined);
  if (dtype == DType::Undefined) {
    dtype = op.node().input(0)->facts().dtype;
    if (dtype == DType::Undefined) dtype = number_dtype(op.node().input(0)->type(), {});
    if (dtype == DType::Float64 && op.has("dtype")) dtype = DType::Float32;  // LibTorch's default dtype
  }
  return op.scalar_of(op.node().input(0), dtype);
}

// A list of lists of scalars as one tensor.
Value* stacked(Op& op, const ir::Value* list, DType dtype) {
  if (!list->type().elements.at(0).is(ir::Type::Kind::List)) return op.vector_of(list, dtype);
  if (!aten::acts_as(*list->node(), aten::Container::List))
    op.refuse("a list of lists whose length is known at run time only has no tensor form");
  Values rows;
  for (const ir::Value* row : list->node()->inputs()) rows.push_back(op->unsqueeze(stacked(op, row, dtype), {0}));
  if (rows.empty()) op.refuse("an empty list has no tensor form");
  return op->concat(rows, 0);
}

const ir::Type& innermost(const ir::Type& type) {
  return type.is(ir::Type::Kind::List) ? innermost(type.elements.at(0)) : type;
}

// aten::tensor of a list of computed scalars
Outputs from_list(Op& op) {
  const ir::Value* source = op.node().input(0);
  DType dtype = op.result().dtype;
  if (dtype == DType::Undefined) dtype = op.dtype("dtype").value_or(DType::Undefined);
  if (dtype == DType::Undefined) {
    dtype = number_dtype(innermost(source->type()), {});
    if (dtype == DType::Float64) dtype = DType::Float32;  // LibTorch's default dtype
    if (dtype == DType::Undefined) op.refuse("the dtype of the result must be known");
  }
  if (source->type().is(ir::Type::Kind::List) && source->type().elements.at(0).is(ir::Type::Kind::List))
    return stacked(op, source, dtype);
  const Lowered* known = op.lowered(source);
  if (!known || known->kind != Lowered::Kind::List) return op->cast(op.value_of(source), dtype);
  Values items;
  for (Value* item : known->list) {
    if (!item || (item->facts().has_rank() && item->facts().rank() > 0)) op.refuse("a nested list has no tensor form");
    items.push_back(op->cast(op->reshape(item, {1}), dtype));
  }
  if (items.empty()) op.refuse("an empty list has no tensor form");
  return op->concat(items, 0);
}

// aten::copy: the source, broadcast to the shape and cast to the dtype of self
Outputs copy(Op& op) {
  Value* self = op.tensor("self");
  Value* src = op->cast(op.tensor("src"), op.dtype_of(self));
  const auto wanted = self->facts().fixed_dims();
  if (wanted && src->facts().fixed_dims() == wanted) return src;
  return op->expand(src, op->shape(self));
}

constexpr Row kCastRows[] = {
    {"aten::to", 7, convert},
    {"aten::_to_copy", 7, convert},
    {"aten::type_as", 7, convert},
    {"aten::contiguous", 7, convert},
    {"aten::clone", 7, convert},
    {"aten::cpu", 7, convert},
    {"aten::cuda", 7, convert},
    {"aten::detach", 7, identity},
    {"aten::detach_copy", 7, identity},
    {"aten::alias", 7, identity},
    {"aten::alias_copy", 7, identity},
    {"aten::data", 7, identity},
    {"prim::data", 7, identity},
    {"aten::variable_data", 7, identity},
    {"aten::lift", 7, identity},
    {"aten::lift_fresh", 7, identity},
    {"aten::lift_fresh_copy", 7, identity},
    {"aten::requires_grad_", 7, identity},
    {"aten::resolve_conj", 7, identity},
    {"aten::resolve_neg", 7, identity},
    {"aten::_conj", 7, identity},
    {"aten::conj", 7, identity},
    {"aten::conj_physical", 7, identity},
    {"aten::_conj_copy", 7, identity},
    {"aten::_conj_physical", 7, identity},
    {"aten::real", 7, identity},
    {"aten::pin_memory", 7, identity},
    {"aten::float", 7, cast_to<DType::Float32>},
    {"aten::double", 7, cast_to<DType::Float64>},
    {"aten::half", 7, cast_to<DType::Float16>},
    {"aten::bfloat16", 7, cast_to<DType::BFloat16>},
    {"aten::long", 7, cast_to<DType::Int64>},
    {"aten::int", 7, cast_to<DType::Int32>},
    {"aten::short", 7, cast_to<DType::Int16>},
    {"aten::char", 7, cast_to<DType::Int8>},
    {"aten::byte", 7, cast_to<DType::UInt8>},
    {"aten::bool", 7, cast_to<DType::Bool>},
    {"aten::_cast_Float", 7, cast_to<DType::Float32>},
    {"aten::_cast_Double", 7, cast_to<DType::Float64>},
    {"aten::_cast_Half", 7, cast_to<DType::Float16>},
    {"aten::_cast_Long", 7, cast_to<DType::Int64>},
    {"aten::_cast_Int", 7, cast_to<DType::Int32>},
    {"aten::_cast_Short", 7, cast_to<DType::Int16>},
    {"aten::_cast_Char", 7, cast_to<DType::Int8>},
    {"aten::_cast_Byte", 7, cast_to<DType::UInt8>},
    {"aten::item", 7, item},
    {"aten::_local_scalar_dense", 7, item},
    {"aten::ScalarImplicit", 7, item},
    {"prim::TensorToNum", 7, item},
    {"aten::Int", 7, number<DType::Int64>},
    {"aten::IntImplicit", 7, number<DType::Int64>},
    {"aten::Float", 7, number<DType::Float64>},
    {"aten::FloatImplicit", 7, number<DType::Float64>},
    {"math::trunc", 7, number<DType::Int64>},
    {"torch::sym_int", 7, number<DType::Int64>},
    {"torch::sym_float", 7, number<DType::Float64>},
    {"prim::NumToTensor", 7, from_number},
    {"aten::scalar_tensor", 7, from_number},
    {"aten::tensor", 7, from_list},
    {"aten::as_tensor", 7, from_list},
    {"aten::tensor.int", 7, from_number},
    {"aten::tensor.float", 7, from_number},
    {"aten::tensor.bool", 7, from_number},
    {"aten::copy", 7, copy},
};

}  // namespace

std::span<const Row> cast_rows() { return kCastRows; }

}  // namespace tonnx::lower
