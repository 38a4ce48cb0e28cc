#include "lower/promotion.h"

#include "aten/result_type.h"
#include "ir/complex.h"

namespace tonnx::lower {
namespace {

using aten::Promoted;

// LibTorch's facts of the value, else those that ONNX infers for its lowered form.
const ir::Facts& facts_of(const Op& op, const ir::Value* value) {
  const Lowered* known = op.lowered(value);
  const bool better = value->facts().dtype == DType::Undefined && known && known->kind == Lowered::Kind::One;
  return better ? known->one->facts() : value->facts();
}

}  // namespace

DType promoted_dtype(std::span<const ir::Value* const> values) {
  std::vector<Promoted> operands;
  for (const ir::Value* v : values) operands.push_back(aten::promoted(v->type(), v->facts()));
  return aten::result_type(operands);
}

DType compute_dtype(const Op& op, std::initializer_list<std::size_t> positions) {
  if (op.result().dtype != DType::Undefined) return op.result().dtype;
  std::vector<Promoted> operands;
  for (const std::size_t i : positions)
    operands.push_back(aten::promoted(op.node().input(i)->type(), facts_of(op, op.node().input(i))));
  const DType dtype = aten::result_type(operands);
  if (dtype == DType::Undefined) op.refuse("the dtype of an operand must be known");
  // A tensor of rank 0 promotes like a scalar.
  for (const std::size_t i : positions) {
    const ir::Facts& facts = facts_of(op, op.node().input(i));
    if (!op.node().input(i)->type().is_scalar() && !facts.has_rank() && facts.dtype != dtype)
      op.refuse("the rank of an operand must be known, because the result's dtype depends on it");
  }
  return dtype;
}

Value* operand(const Op& op, std::size_t position, DType dtype) {
  const ir::Value* source = op.node().input(position);
  if (source->type().is_scalar()) return op.scalar_of(source, dtype);
  return op->cast(op.value_of(source), dtype);
}

Value* operand(const Op& op, std::string_view argument, DType dtype) {
  const ir::Value* source = op.source(argument);
  if (source->type().is_scalar()) return op.scalar_of(source, dtype);
  return op->cast(op.value_of(source), dtype);
}

Value* in_full_precision(Builder& b, Value* x) {
  const DType dtype = x->facts().dtype;
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? b.cast(x, DType::Float32) : x;
}

Value* in_result_dtype(Op& op, Value* x, DType otherwise) {
  DType dtype = op.result().dtype;
  if (dtype == DType::Undefined && op.has("dtype")) dtype = op.dtype("dtype").value_or(DType::Undefined);
  return in_full_precision(op.builder(), op->cast(x, dtype == DType::Undefined ? otherwise : dtype));
}

Outputs round_results(Op& op, Outputs wide) {
  for (std::size_t i = 0; i < wide.items.size(); ++i) {
    Lowered& item = wide.items[i];
    const bool is_complex = item.kind == Lowered::Kind::Complex;
    if (!is_complex && item.kind != Lowered::Kind::One) continue;
    const auto round = [&](Value*& x) {
      if (!ir::is_floating(x->facts().dtype)) return;
      const DType declared = op.result_dtype(i), dtype = is_complex ? ir::part_dtype(declared) : declared;
      if (ir::is_floating(dtype) && ir::size_of(dtype) < ir::size_of(x->facts().dtype)) x = op->cast(x, dtype);
    };
    round(item.one);
    if (is_complex) round(item.imaginary);
  }
  return wide;
}

}  // namespace tonnx::lower
