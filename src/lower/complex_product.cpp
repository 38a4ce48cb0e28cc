#include <algorithm>

#include "lower/complex.h"
#include "lower/families.h"
#include "lower/part_call.h"
#include "lower/reduce.h"
#include "lower/special.h"
#include "lower/whole.h"

// Products of complex tensors: matrices, vectors, convolutions, and norms. Each consists of the same product of real
// parts.
namespace tonnx::lower {
namespace {

Value* one(const Outputs& outputs) { return outputs.items.at(0).one; }

// For a bilinear product f: f(x, y) - f(x', y') and f(x, y') + f(x', y). `third`, a bias, is added once.
Outputs product(Op& op, std::string_view x, std::string_view y, std::string_view third = {}, bool conjugate = false) {
  const bool x_complex = op.is_complex(op.source(x)), y_complex = op.is_complex(op.source(y));
  const auto call = [&](Part left, Part right, Part rest) {
    std::vector<Choice> choices{{x, left}, {y, right}};
    if (!third.empty()) choices.push_back({third, rest});
    return one(call_with(op, choices));
  };
  Builder& b = op.builder();
  Value* re = call(Part::Real, Part::Real, Part::Real);
  Value* im = nullptr;
  if (y_complex) im = call(Part::Real, Part::Imaginary, Part::Imaginary);
  if (x_complex) {
    Value* turned = call(Part::Imaginary, Part::Real, im ? Part::Nothing : Part::Imaginary);
    if (conjugate) turned = b.op("Neg", {turned});
    im = im ? b.add(im, turned) : turned;
  }
  if (x_complex && y_complex) {
    Value* square = call(Part::Imaginary, Part::Imaginary, Part::Nothing);
    re = conjugate ? b.add(re, square) : b.sub(re, square);
  }
  if (!im) op.refuse("the product of real operands is complex");
  return Parts{re, im};
}

template <OperatorName X, OperatorName Y>
Outputs bilinear(Op& op) {
  return product(op, std::string_view(X), std::string_view(Y));
}
template <OperatorName X, OperatorName Y>
Outputs conjugated(Op& op) {
  return product(op, std::string_view(X), std::string_view(Y), {}, true);
}
template <OperatorName X, OperatorName Y>
Outputs with_bias(Op& op) {
  return product(op, std::string_view(X), std::string_view(Y), "bias");
}

// aten::einsum of one or two operands
Outputs einsum(Op& op) {
  const std::vector<Parts> operands = op.parts_in(op.source("tensors"));
  if (operands.size() == 1) return on_each_part(op, "tensors");
  if (operands.size() != 2)
    op.refuse("it supports at most two operands if one is complex; call einsum for each pair of operands");
  const auto call = [&](Part x, Part y) { return one(call_with(op, {{"tensors", Part::Real, nullptr, {x, y}}})); };
  Builder& b = op.builder();
  Value* re = call(Part::Real, Part::Real);
  Value* im = operands[1].imaginary ? call(Part::Real, Part::Imaginary) : nullptr;
  if (operands[0].imaginary) {
    Value* turned = call(Part::Imaginary, Part::Real);
    im = im ? b.add(im, turned) : turned;
  }
  if (operands[0].imaginary && operands[1].imaginary) re = b.sub(re, call(Part::Imaginary, Part::Imaginary));
  return Parts{re, im};
}

Complex matmul(const Op& op, const Complex& x, const Complex& y) {
  const auto times = [&](Term a, Term b) { return a.with(product_of_matrices(op, a.value(), b.value())); };
  return {times(x.re, y.re) - times(x.im, y.im), times(x.re, y.im) + times(x.im, y.re)};
}

bool is_zero(Op& op, std::string_view argument) {
  const ir::Constant* c = op.constant(argument);
  return c && c->is_number() && c->as_double() == 0;
}

// beta * self + alpha * product; if beta is 0, self is ignored, even its NaN
Outputs weighted_sum(Op& op, Complex product, DType dtype) {
  product = product * complex_operand(op, "alpha", dtype);
  if (is_zero(op, "beta")) {
    const auto wanted = fixed_result_shape(op);
    if (!wanted) return outputs(product);
    return Parts{op->expand(product.re.value(), wanted), op->expand(product.im.value(), wanted)};
  }
  return outputs(product + complex_operand(op, "self", dtype) * complex_operand(op, "beta", dtype));
}

template <OperatorName X, OperatorName Y>
Outputs add_product(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1, 2});
  Complex product =
      matmul(op, complex_operand(op, std::string_view(X), dtype), complex_operand(op, std::string_view(Y), dtype));
  if (op.node().is("aten::addbmm")) {
    Builder& b = op.builder();
    product = {product.re.with(b.reduce("ReduceSum", product.re.value(), Dims{0}, false)),
               product.re.with(b.reduce("ReduceSum", product.im.value(), Dims{0}, false))};
  }
  return weighted_sum(op, product, dtype);
}

// aten::addr: the outer product of two vectors
Outputs addr(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1, 2});
  const auto along = [&](const Complex& x, std::int64_t axis) {
    Builder& b = op.builder();
    return Complex{x.re.with(b.unsqueeze(x.re.value(), {axis})), x.re.with(b.unsqueeze(x.im.value(), {axis}))};
  };
  return weighted_sum(op, along(complex_operand(op, "vec1", dtype), 1) * along(complex_operand(op, "vec2", dtype), 0),
                      dtype);
}

Value* sizes_of(Op& op, std::string_view argument) {
  return abs(complex_operand(op, argument, Op::dtype_of(op.parts_of(op.source(argument)).real))).value();
}

// Norms of vectors depend only on the magnitudes of the elements.
template <OperatorName Argument>
Outputs vector_norm(Op& op) {
  const std::string_view argument(Argument);
  if (op.has("p") && op.is_constant("p") && op.constant("p")->get<std::string>() && op.text("p") == "nuc")
    op.refuse_argument("p", "is the nuclear norm, which is not supported for complex matrices");
  return call_with(op, {{argument, Part::Given, sizes_of(op, argument)}});
}

// aten::l1_loss, aten::dist: computed from the magnitudes of the differences
template <OperatorName Left, OperatorName Right>
Outputs of_difference(Op& op) {
  const DType dtype = complex_dtype(op, {0, 1});
  const Term size = abs(complex_operand(op, Left, dtype) - complex_operand(op, Right, dtype));
  return call_with(op, {{Left, Part::Given, size.value()}, {Right, Part::Given, size.number(0).value()}});
}

Complex with_turn(Term size, Term turn) { return {size * cos(turn), size * sin(turn)}; }

// aten::prod: multiplies the magnitudes, adds the angles
Outputs prod(Op& op) {
  const Complex x = in_double(complex_operand(op, "self", complex_dtype(op, {0})));
  const ReducedAxes r = reduced_axes(op, x.re.value());
  if (reduced_count(op, x.re.value(), r) == 0) {
    Value* one = filled_result(op, r, x.re.value(), DType::Float64, 1);
    return Parts{one, filled_result(op, r, x.re.value(), DType::Float64, 0)};
  }
  return outputs(with_turn(x.re.with(reduce(op, "ReduceProd", abs(x).value(), r)),
                           x.re.with(reduce(op, "ReduceSum", angle(x).value(), r))));
}

Outputs cumprod(Op& op) {
  const Complex x = in_double(complex_operand(op, "self", complex_dtype(op, {0})));
  const Term sizes{op.builder(), one(call_with(op, {{"self", Part::Given, abs(x).value()}}))};
  if (op.rank_of(x.re.value()) == 0) return outputs(x);
  const Term turns = x.re.with(op->op("CumSum", {angle(x).value(), op->int64(op.axis("dim", x.re.value()))}));
  return outputs(with_turn(sizes.cast(DType::Float64), turns));
}

// log(sum(exp(x))), with the largest real part subtracted from the exponents
Outputs logsumexp(Op& op) {
  Builder& b = op.builder();
  const Complex x = in_double(complex_operand(op, "self", complex_dtype(op, {0})));
  ReducedAxes r = reduced_axes(op, x.re.value());
  if (reduced_count(op, x.re.value(), r) == 0) op.refuse("it is not supported for complex tensors without elements");
  const Term largest = x.re.with(reduce(op, "ReduceMax", x.re.value(), {r.axes, r.all, true}));
  const Term finite = where(x.re.with(is_finite(b, largest.value())), largest, 0);
  const Complex terms = exp(Complex{x.re - finite, x.im});
  const auto sum = [&](Term part) { return part.with(reduce(op, "ReduceSum", part.value(), {r.axes, r.all, true})); };
  const Complex found = log({sum(terms.re), sum(terms.im)});
  const auto shaped = [&](Term part) { return part.with(reduce(op, "ReduceSum", part.value(), r)); };
  return outputs({shaped(found.re + finite), shaped(found.im)});
}

// aten::var: the sum of the variances of both parts
Outputs variance(Op& op) {
  return op->add(one(call_with(op, {{"self", Part::Real}})), one(call_with(op, {{"self", Part::Imaginary}})));
}
Outputs deviation(Op& op) {
  Builder& b = op.builder();
  const Term x{b, one(call_with(op, {{"self", Part::Real}}))}, y{b, one(call_with(op, {{"self", Part::Imaginary}}))};
  return sqrt(x * x + y * y).value();
}

template <bool Root>
Outputs spread_and_mean(Op& op) {
  Builder& b = op.builder();
  const Outputs re = call_with(op, {{"self", Part::Real}}), im = call_with(op, {{"self", Part::Imaginary}});
  const Term x{b, re.items.at(0).one}, y{b, im.items.at(0).one};
  Value* spread = Root ? sqrt(x * x + y * y).value() : (x + y).value();
  return Outputs(std::vector<Lowered>{{Lowered::Kind::One, spread, {}},
                                      {Lowered::Kind::Complex, re.items.at(1).one, {}, im.items.at(1).one}});
}

constexpr Row kComplexProductRows[] = {
    {"aten::trapezoid.x", 7, bilinear<"y", "x">},
    {"aten::trapz.x", 7, bilinear<"y", "x">},
    {"aten::cumulative_trapezoid.x", 11, bilinear<"y", "x">},
    {"aten::mm", 7, bilinear<"self", "mat2">},
    {"aten::bmm", 7, bilinear<"self", "mat2">},
    {"aten::mv", 7, bilinear<"self", "vec">},
    {"aten::matmul", 7, bilinear<"self", "other">},
    {"aten::linalg_matmul", 7, bilinear<"self", "other">},
    {"aten::dot", 7, bilinear<"self", "tensor">},
    {"aten::vdot", 7, conjugated<"self", "other">},
    {"aten::inner", 7, bilinear<"self", "other">},
    {"aten::outer", 7, bilinear<"self", "vec2">},
    {"aten::ger", 7, bilinear<"self", "vec2">},
    {"aten::kron", 7, bilinear<"self", "other">},
    {"aten::tensordot", 7, bilinear<"self", "other">},
    {"aten::cross", 7, bilinear<"self", "other">},
    {"aten::linalg_cross", 7, bilinear<"self", "other">},
    {"aten::linalg_vecdot", 7, conjugated<"x", "y">},
    {"aten::einsum", 7, einsum},
    {"aten::linear", 7, with_bias<"input", "weight">},
    {"aten::conv1d", 7, with_bias<"input", "weight">},
    {"aten::conv2d", 7, with_bias<"input", "weight">},
    {"aten::conv3d", 7, with_bias<"input", "weight">},
    {"aten::conv_transpose1d", 7, with_bias<"input", "weight">},
    {"aten::conv_transpose2d", 7, with_bias<"input", "weight">},
    {"aten::conv_transpose3d", 7, with_bias<"input", "weight">},
    {"aten::_convolution", 7, with_bias<"input", "weight">},
    {"aten::convolution", 7, with_bias<"input", "weight">},
    {"aten::addmm", 7, add_product<"mat1", "mat2">},
    {"aten::addmv", 7, add_product<"mat", "vec">},
    {"aten::addbmm", 7, add_product<"batch1", "batch2">},
    {"aten::baddbmm", 7, add_product<"batch1", "batch2">},
    {"aten::addr", 7, addr},
    {"aten::norm", 7, rounded<vector_norm<"self">>},
    {"aten::linalg_vector_norm", 7, rounded<vector_norm<"self">>},
    {"aten::dist", 7, rounded<of_difference<"self", "other">>},
    {"aten::l1_loss", 7, rounded<of_difference<"self", "target">>},
    {"aten::prod", 9, rounded<prod>},
    {"aten::cumprod", 11, rounded<cumprod>},
    {"aten::logsumexp", 9, rounded<logsumexp>},
    {"aten::var", 7, rounded<variance>},
    {"aten::std", 7, rounded<deviation>},
    {"aten::var_mean", 7, spread_and_mean<false>},
    {"aten::std_mean", 7, spread_and_mean<true>},
};

}  // namespace

std::span<const Row> complex_product_rows() { return kComplexProductRows; }

}  // namespace tonnx::lower
