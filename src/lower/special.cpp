#include "lower/special.h"

#include <iterator>
#include <numbers>
#include <span>

#include "lower/elementwise.h"

namespace tonnx::lower {
namespace {

// A polynomial with coefficients in ascending order.
Value* polynomial(Builder& b, Value* x, std::span<const double> coefficients) {
  Value* sum = b.scalar_like(x, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) sum = b.add(b.mul(sum, x), b.scalar_like(x, coefficients[i]));
  return sum;
}

// log(erfc(z) / t) + z^2 as a polynomial in 2 t - 1, t = 2 / (2 + z), z >= 0: a Chebyshev fit of degree 24, with a
// relative error of erfc below 1e-14.
constexpr double kErfc[] = {
    -0.6717940840566922,     0.6726432239776583,     0.04734330684186448,     -0.046895610231321834,
    -0.009872689364148536,   0.008824938561114003,   0.0017589335083899702,   -0.0023458125504478393,
    -0.0001462462975815517,  0.0006736791171548959,  -9.373888623854136e-05,  -0.00017430405163420173,
    7.141786971463555e-05,   3.174671910262329e-05,  -3.0237252756844038e-05, 1.4028443049098544e-07,
    8.66155610673129e-06,    -2.963942932847964e-06, -1.4083713645159704e-06, 1.2837320825961052e-06,
    -4.221444480155119e-08,  -2.897035554630506e-07, 7.775244072834479e-08,   2.9830672134372703e-08,
    -1.2827612429445413e-08,
};

// erf(x) / x as the Maclaurin series in x^2: 2 / sqrt(pi) (-1)^n / (n! (2 n + 1))
constexpr double kErf[] = {
    1.1283791670955126,     -0.37612638903183754,    0.11283791670955126,    -0.026866170645131252,
    0.005223977625442188,   -0.0008548327023450853,  0.00012055332981789664, -1.492565035840625e-05,
    1.6462114365889248e-06, -1.6365844691234924e-07, 1.4807192815879218e-08, -1.2290555301717928e-09,
};

// exp(-exponent) erfc(z) exp(z^2) for z >= 0
Value* erfc_of_magnitude(Builder& b, Value* z, Value* exponent) {
  Value* t = b.div(b.scalar_like(z, 2), b.add(z, b.scalar_like(z, 2)));
  Value* u = b.sub(b.mul(t, b.scalar_like(z, 2)), b.scalar_like(z, 1));
  Value* fit = polynomial(b, u, kErfc);
  return b.mul(t, b.op("Exp", {exponent ? b.sub(fit, exponent) : fit}));
}

Value* erfc_of_magnitude(Builder& b, Value* z) { return erfc_of_magnitude(b, z, b.mul(z, z)); }

Value* erfcx_in_double(Builder& b, Value* x) {
  Value* scaled = erfc_of_magnitude(b, b.op("Abs", {x}), nullptr);
  Value* mirrored = b.sub(b.mul(b.op("Exp", {b.mul(x, x)}), b.scalar_like(x, 2)), scaled);
  return b.where(less(b, x, b.scalar_like(x, 0)), mirrored, scaled);
}

Value* erf_in_double(Builder& b, Value* x) {
  Value* z = b.op("Abs", {x});
  Value* border = b.scalar_like(x, 0.5);
  Value* small = minimum(b, z, border);
  Value* near = b.mul(small, polynomial(b, b.mul(small, small), kErf));
  Value* far = b.sub(b.scalar_like(x, 1), erfc_of_magnitude(b, z));
  return b.mul(sign(b, x), b.where(less(b, z, border), near, far));
}

Value* erfc_in_double(Builder& b, Value* x) {
  Value* tail = erfc_of_magnitude(b, b.op("Abs", {x}));
  return b.where(less(b, x, b.scalar_like(x, 0)), b.sub(b.scalar_like(x, 2), tail), tail);
}

// Computes Atan in float32 of x or its reciprocal, then one step of Newton's method on sin(y) - r cos(y).
Value* atan_in_double(Builder& b, Value* x) {
  Value* one = b.scalar_like(x, 1);
  Value* z = b.op("Abs", {x});
  Value* r = minimum(b, z, b.div(one, maximum(b, z, one)));
  Value* y = b.cast(b.op("Atan", {b.cast(r, DType::Float32)}), DType::Float64);
  Value* sine = b.op("Sin", {y});
  Value* cosine = b.op("Cos", {y});
  y = b.add(y, b.div(b.sub(b.mul(r, cosine), sine), b.add(cosine, b.mul(r, sine))));
  Value* is_reciprocal = b.cast(greater(b, z, one), DType::Float64);
  Value* direction = b.sub(one, b.mul(is_reciprocal, b.scalar_like(x, 2)));
  y = b.add(b.mul(y, direction), b.mul(is_reciprocal, b.scalar_like(x, std::numbers::pi / 2)));
  return b.mul(sign(b, x), y);
}

Value* asin_in_double(Builder& b, Value* x) {
  Value* one = b.scalar_like(x, 1);
  return atan_in_double(b, b.div(x, b.op("Sqrt", {b.mul(b.sub(one, x), b.add(one, x))})));
}

}  // namespace

Value* erf(Builder& b, Value* x) {
  if (b.opset() >= 9 && b.serves("Erf", x)) return b.op("Erf", {x});
  return b.cast(erf_in_double(b, b.cast(x, DType::Float64)), x->facts().dtype);
}

Value* gelu(Builder& b, Value* x) {
  if (b.opset() >= 20 && b.serves("Gelu", x)) return b.op("Gelu", {x});
  Value* part = erf(b, b.div(x, b.scalar_like(x, std::numbers::sqrt2)));
  return b.mul(b.mul(x, b.add(part, b.scalar_like(x, 1))), b.scalar_like(x, 0.5));
}

// In float64 even for float32: 1 - Erf(x) cancels from 1 on.
Value* erfc(Builder& b, Value* x) { return b.cast(erfc_in_double(b, b.cast(x, DType::Float64)), x->facts().dtype); }

Value* erfcx(Builder& b, Value* x) { return b.cast(erfcx_in_double(b, b.cast(x, DType::Float64)), x->facts().dtype); }

Value* asin(Builder& b, Value* x) { return b.serves("Asin", x) ? b.op("Asin", {x}) : asin_in_double(b, x); }

Value* acos(Builder& b, Value* x) {
  if (b.serves("Acos", x)) return b.op("Acos", {x});
  // 2 atan(sqrt((1 - x) / (1 + x))): pi / 2 - asin(x) cancels near 1.
  Value* one = b.scalar_like(x, 1);
  Value* half = atan_in_double(b, b.op("Sqrt", {b.div(b.sub(one, x), b.add(one, x))}));
  return b.mul(half, b.scalar_like(x, 2));
}

Value* atan(Builder& b, Value* x) { return b.serves("Atan", x) ? b.op("Atan", {x}) : atan_in_double(b, x); }

Value* sigmoid(Builder& b, Value* x) {
  if (x->facts().dtype != DType::Float64 || !b.avoids(ir::Defect::SigmoidFloat64)) return b.op("Sigmoid", {x});
  return b.op("Reciprocal", {b.add(b.op("Exp", {b.op("Neg", {x})}), b.scalar_like(x, 1))});
}

Value* atan2(Builder& b, Value* y, Value* x) {
  constexpr double kPi = std::numbers::pi;
  Value* zero = b.scalar_like(x, 0);
  Value* on_axis = equal(b, x, zero);
  Value* ratio = b.div(y, b.where(on_axis, b.scalar_like(x, 1), x));
  Value* diagonal = b.op("And", {is_infinite(b, x), is_infinite(b, y)});
  Value* slope = atan(b, b.where(diagonal, b.mul(sign(b, x), sign(b, y)), ratio));
  Value* half_circle = b.where(is_negative(b, y), b.scalar_like(x, -kPi), b.scalar_like(x, kPi));
  Value* left_half = b.op("And", {less(b, x, zero), b.op("Not", {is_nan(b, y)})});
  Value* off_axis = b.where(left_half, b.add(slope, half_circle), slope);
  Value* vertical = b.mul(sign(b, y), b.scalar_like(x, kPi / 2));
  vertical = b.where(equal(b, y, zero), b.where(is_negative(b, x), half_circle, y), vertical);
  return b.where(on_axis, vertical, off_axis);
}

}  // namespace tonnx::lower
