#include "ir/complex.h"
#include "lower/complex.h"
#include "lower/families.h"
#include "lower/part_call.h"

// Conversions between real and complex tensors.
namespace tonnx::lower {
namespace {

const ir::Value* source(Op& op) { return op.node().input(0); }

Outputs view_as_real(Op& op) { return op.joined(op.parts_of(source(op))); }

Outputs view_as_complex(Op& op) {
  Value* x = op.value_of(source(op));
  const std::int64_t last = op.rank_of(x) - 1;
  return Parts{op->gather(x, op->int64(0), last), op->gather(x, op->int64(1), last)};
}

Outputs view_dtype(Op& op) {
  op.refuse(
      "reinterpreting the bytes of complex numbers as another dtype is not supported; use view_as_real or "
      "view_as_complex");
}

Outputs real(Op& op) { return op.parts_of(source(op)).real; }
Outputs imag(Op& op) { return op.parts_of(source(op)).imaginary; }

Outputs same(Op& op) { return op.parts_of(source(op)); }

Outputs conjugate(Op& op) {
  const Parts parts = op.parts_of(source(op));
  return Parts{parts.real, op->op("Neg", {parts.imaginary})};
}

// aten::complex: broadcasts both parts to the same shape
Outputs complex(Op& op) {
  if (op.dtype_of(op.tensor("real")) != op.dtype_of(op.tensor("imag")))
    op.refuse_argument("imag", "must have the dtype of 'real'");
  const DType dtype = complex_dtype(op, {0, 1});
  Value* re = operand(op, 0, dtype);
  Value* im = operand(op, 1, dtype);
  op->broadcast(re, im);
  return Parts{re, im};
}

Outputs polar(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1});
  const Term size{op.builder(), operand(op, "abs", dtype)}, turn{op.builder(), operand(op, "angle", dtype)};
  return outputs({size * cos(turn), size * sin(turn)});
}

// A real tensor with an imaginary part of zeros.
Parts of_real(Op& op, Value* x, DType dtype) {
  return {op->cast(x, dtype), op->constant_of_shape(op->shape(x), dtype, 0)};
}

// aten::to: drops the imaginary part if the result is real; a bool result is true for non-zero elements
Outputs convert(Op& op) {
  const DType wanted = op.result_dtype(), dtype = ir::part_dtype(wanted);
  const Parts parts = op.parts_of(source(op));
  if (ir::is_complex(wanted) && !parts.imaginary) return of_real(op, parts.real, dtype);
  if (ir::is_complex(wanted)) return Parts{op->cast(parts.real, dtype), op->cast(parts.imaginary, dtype)};
  if (wanted != DType::Bool) return op->cast(parts.real, wanted);
  return is_nonzero({{op.builder(), parts.real}, {op.builder(), parts.imaginary}}).value();
}

// aten::mH and similar operators (adjoint, H): transposed and conjugated
Outputs adjoint(Op& op) {
  Lowered turned = on_each_part(op, "self").items.at(0);
  return Parts{turned.one, op->op("Neg", {turned.imaginary})};
}

// aten::ones, ones_like, new_ones: the real lowering creates the real part
Outputs ones(Op& op) {
  if (!ir::is_complex(op.result_dtype())) return call_with(op, {{"self", Part::Real}});
  Value* re = call_with(op, {{"self", Part::Real}}).items.at(0).one;
  return of_real(op, re, ir::part_dtype(op.result_dtype()));
}

// aten::full, full_like, new_full, zeros: a scalar fills the parts
Outputs filled(Op& op) {
  if (!ir::is_complex(op.result_dtype())) return call_with(op, {{"self", Part::Real}});
  return on_each_part(op, "~self fill_value");
}

Outputs scalar_tensor(Op& op) {
  return ir::is_complex(op.result_dtype()) ? on_each_part(op, "s") : call_with(op, {{"s", Part::Real}});
}

constexpr Row kComplexViewRows[] = {
    {"aten::view_as_real", 7, view_as_real},
    {"aten::view_as_real_copy", 7, view_as_real},
    {"aten::view_as_complex", 7, view_as_complex},
    {"aten::view_as_complex_copy", 7, view_as_complex},
    {"aten::view.dtype", 7, view_dtype},
    {"aten::real", 7, real},
    {"aten::imag", 7, imag},
    {"aten::complex", 7, complex},
    {"aten::polar", 7, polar},
    {"aten::conj", 7, conjugate},
    {"aten::_conj", 7, conjugate},
    {"aten::_conj_copy", 7, conjugate},
    {"aten::conj_physical", 7, conjugate},
    {"aten::_conj_physical", 7, conjugate},
    {"aten::resolve_conj", 7, same},
    {"aten::resolve_neg", 7, same},
    {"aten::alias", 7, same},
    {"aten::alias_copy", 7, same},
    {"aten::detach", 7, same},
    {"aten::detach_copy", 7, same},
    {"aten::data", 7, same},
    {"prim::data", 7, same},
    {"aten::lift", 7, same},
    {"aten::lift_fresh", 7, same},
    {"aten::lift_fresh_copy", 7, same},
    {"aten::positive", 7, same},
    {"aten::requires_grad_", 7, same},
    {"aten::clone", 7, same},
    {"aten::contiguous", 7, same},
    {"aten::cpu", 7, same},
    {"aten::cuda", 7, same},
    {"aten::to", 7, convert},
    {"aten::as_tensor", 7, convert},
    {"aten::_to_copy", 7, convert},
    {"aten::type_as", 7, convert},
    {"aten::chalf", 7, convert},
    {"aten::float", 7, convert},
    {"aten::double", 7, convert},
    {"aten::half", 7, convert},
    {"aten::bool", 7, convert},
    {"aten::adjoint", 7, adjoint},
    {"aten::mH", 7, adjoint},
    {"aten::matrix_H", 7, adjoint},
    {"aten::ones", 7, ones},
    {"aten::ones_like", 7, ones},
    {"aten::new_ones", 7, ones},
    {"aten::scalar_tensor", 7, scalar_tensor},
    {"aten::zeros", 7, filled},
    {"aten::zeros_like", 7, filled},
    {"aten::new_zeros", 7, filled},
    {"aten::empty", 7, filled},
    {"aten::empty_like", 7, filled},
    {"aten::empty_permuted", 7, filled},
    {"aten::empty_strided", 7, filled},
    {"aten::new_empty", 7, filled},
    {"aten::new_empty_strided", 7, filled},
    {"aten::full", 7, filled},
    {"aten::full_like", 7, filled},
    {"aten::new_full", 7, filled},
};

}  // namespace

std::span<const Row> complex_view_rows() { return kComplexViewRows; }

}  // namespace tonnx::lower
