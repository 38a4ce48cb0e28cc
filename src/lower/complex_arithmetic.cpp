#include "ir/complex.h"
#include "lower/complex.h"
#include "lower/families.h"
#include "lower/part_call.h"
#include "lower/reduce.h"

// Sums, products, quotients and powers of complex operands; one operand may be real. A product with a real operand
// scales both parts.
namespace tonnx::lower {
namespace {

Term real_term(Op& op, const Parts& parts) { return {op.builder(), parts.real}; }
Complex complex_term(Op& op, const Parts& parts) {
  return {{op.builder(), parts.real}, {op.builder(), parts.imaginary}};
}

Outputs scaled(Op& op, const Parts& x, const Parts& y) {
  if (!x.imaginary) return outputs(complex_term(op, y) * real_term(op, x));
  if (!y.imaginary) return outputs(complex_term(op, x) * real_term(op, y));
  return outputs(complex_term(op, x) * complex_term(op, y));
}

Outputs mul(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1});
  const Parts x = parts_operand(op, op.node().input(0), dtype), y = parts_operand(op, op.node().input(1), dtype);
  if (!x.imaginary && !y.imaginary) op.refuse("the product of real operands is complex");
  return scaled(op, x, y);
}

Outputs div(Op& op) {
  if (op.has("rounding_mode") && !op.is_none("rounding_mode"))
    op.refuse_argument("rounding_mode", "is not defined for complex tensors");
  const DType dtype = complex_dtype(op, {0, 1});
  const Parts y = parts_operand(op, op.node().input(1), dtype);
  const Complex x = complex_operand(op, 0, dtype);
  return outputs(y.imaginary ? quotient(x, complex_term(op, y)) : x / real_term(op, y));
}

// self + value * tensor1 * tensor2, or self + value * tensor1 / tensor2
template <bool Divide>
Outputs add_product(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1, 2});
  const Complex first = complex_operand(op, "tensor1", dtype), second = complex_operand(op, "tensor2", dtype);
  const Complex scaled = first * complex_operand(op, "value", dtype);
  return outputs(complex_operand(op, "self", dtype) + (Divide ? quotient(scaled, second) : scaled * second));
}

Outputs lerp(Op& op) {
  if (!op.is_complex(op.source("weight"))) return on_each_part(op, "self end");
  const DType dtype = complex_dtype(op, {0, 1});
  const Complex start = complex_operand(op, "self", dtype), end = complex_operand(op, "end", dtype);
  return outputs(start + complex_operand(op, "weight", dtype) * (end - start));
}

Outputs pow(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1});
  const Complex x = complex_operand(op, 0, dtype);
  const ir::Constant* exponent = op.node().input(1)->constant();
  if (exponent && exponent->is_number()) {
    const double n = exponent->as_double();
    if (n == 0)
      return outputs(Complex{x.re.with(op->constant_of_shape(op->shape(x.re.value()), dtype, 1)),
                             x.re.with(op->constant_of_shape(op->shape(x.re.value()), dtype, 0))});
    if (n == 0.5) return outputs(sqrt(x));
    if (n == 1) return outputs(x);
    if (n == 2) return outputs(x * x);
    if (n == 3) return outputs(x * x * x);
    if (n == -1) return outputs(reciprocal(x));
  }
  return outputs(pow(x, complex_operand(op, 1, dtype)));
}

DType common_dtype(Op& op) {
  const ir::Value* operands[] = {op.node().input(0), op.node().input(1)};
  const DType dtype = ir::part_dtype(promoted_dtype(operands));
  if (dtype == DType::Undefined) op.refuse("the dtype of an operand must be known");
  return dtype;
}

Term differ(Op& op) {
  const DType dtype = common_dtype(op);
  const Complex x = complex_operand(op, 0, dtype), y = complex_operand(op, 1, dtype);
  return x.re != y.re || x.im != y.im;
}
Outputs ne(Op& op) { return differ(op).value(); }
Outputs eq(Op& op) { return (!differ(op)).value(); }

// aten::isclose: |self - other| <= atol + rtol |other|
Value* close_complex_elements(Op& op) {
  const DType dtype = common_dtype(op);
  const Complex x = complex_operand(op, 0, dtype), y = complex_operand(op, 1, dtype);
  const Term close = abs(x - y) <= abs(y) * op.number("rtol") + op.number("atol");
  const auto finite = [](Term t) { return t.with(is_finite(t.builder(), t.value())); };
  const Term same = x.re == y.re && x.im == y.im;
  const Term usual = same || (close && finite(abs(x - y)) && finite(abs(y)));
  if (!op.flag("equal_nan")) return usual.value();
  const auto undefined = [](const Complex& z) {
    return z.re.with(is_nan(z.re.builder(), z.re.value())) || z.im.with(is_nan(z.im.builder(), z.im.value()));
  };
  return (usual || (undefined(x) && undefined(y))).value();
}

Outputs isclose(Op& op) { return close_complex_elements(op); }
Outputs allclose(Op& op) { return all_true(op.builder(), close_complex_elements(op)); }

// Operators that only test for non-zero elements: calls the real lowering with the bool mask instead of the tensor.
Outputs of_nonzero(Op& op) {
  const Parts x = op.parts_of(op.source("self"));
  return call_with(op, {{"self", Part::Given, is_nonzero(complex_term(op, x)).value()}});
}

template <OperatorName Name>
Outputs logical(Op& op) {
  const DType dtype = common_dtype(op);
  const auto true_where = [&](std::size_t i) { return is_nonzero(complex_operand(op, i, dtype)).value(); };
  return op->op(Name, {true_where(0), true_where(1)});
}

constexpr Row kComplexArithmeticRows[] = {
    {"aten::mul", 7, mul},
    {"aten::multiply", 7, mul},
    {"aten::div", 7, div},
    {"aten::divide", 7, div},
    {"aten::true_divide", 7, div},
    {"aten::addcmul", 7, add_product<false>},
    {"aten::addcdiv", 7, add_product<true>},
    {"aten::lerp", 7, lerp},
    {"aten::pow", 7, rounded<pow>},
    {"aten::float_power", 7, rounded<pow>},
    {"aten::eq", 7, eq},
    {"aten::ne", 7, ne},
    {"aten::not_equal", 7, ne},
    {"aten::isclose", 9, isclose},
    {"aten::allclose", 9, allclose},
    {"aten::logical_and", 7, logical<"And">},
    {"aten::logical_or", 7, logical<"Or">},
    {"aten::logical_xor", 7, logical<"Xor">},
    {"aten::any", 7, of_nonzero},
    {"aten::all", 7, of_nonzero},
    {"aten::count_nonzero", 9, of_nonzero},
    {"aten::nonzero", 9, of_nonzero},
    {"aten::argwhere", 9, of_nonzero},
    {"aten::nonzero_numpy", 9, of_nonzero},
    {"aten::nonzero_static", 9, of_nonzero},
};

}  // namespace

std::span<const Row> complex_arithmetic_rows() { return kComplexArithmeticRows; }

}  // namespace tonnx::lower
