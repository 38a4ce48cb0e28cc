#include <cmath>
#include <limits>
#include <numbers>

#include "lower/dtype_support.h"
#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/missing.h"
#include "lower/random_numbers.h"
#include "lower/sizes.h"
#include "lower/special.h"

namespace tonnx::lower {
namespace {

bool is_double(const Value* x) { return x->facts().dtype == DType::Float64; }

Value* self_of(Op& op) { return operand(op, 0, compute_dtype(op, {0})); }

// x > 0 ? x * scale : (exp(x * input_scale) - 1) * alpha * scale
Value* exponential_linear(Builder& b, Value* x, double alpha, double scale, double input_scale) {
  if (input_scale == 1 && b.serves("Elu", x) && holds_attribute(x->facts().dtype, alpha)) {
    Value* y = b.op("Elu", {x}, {{"alpha", alpha}});
    return scale == 1 ? y : b.mul(y, b.scalar_like(y, scale));
  }
  Value* zero = b.scalar_like(x, 0);
  Value* below = expm1(b, b.mul(minimum(b, x, zero), b.scalar_like(x, input_scale)));
  Value* above = b.mul(b.op("Relu", {x}), b.scalar_like(x, scale));
  return b.add(above, b.mul(below, b.scalar_like(x, alpha * scale)));
}

// The same, with parameters that may be dynamic.
Value* exponential_linear(const Op& op, Value* x, Value* alpha, Value* scale, Value* input_scale) {
  Builder& b = op.builder();
  Value* below = expm1(b, b.mul(minimum(b, x, b.scalar_like(x, 0)), input_scale));
  return b.add(b.mul(b.op("Relu", {x}), scale), b.mul(below, b.mul(alpha, scale)));
}

Outputs elu(Op& op) {
  if (!op.is_constant("alpha") || !op.is_constant("scale") || !op.is_constant("input_scale")) {
    Value* x = self_of(op);
    const DType dtype = x->facts().dtype;
    return exponential_linear(op, x, op.scalar("alpha", dtype), op.scalar("scale", dtype),
                              op.scalar("input_scale", dtype));
  }
  return exponential_linear(op.builder(), self_of(op), op.number("alpha"), op.number("scale"),
                            op.number("input_scale"));
}

Outputs celu(Op& op) {
  Value* x = self_of(op);
  if (!op.is_constant("alpha")) {
    x = in_full_precision(op.builder(), x);
    Value* alpha = op.scalar("alpha", x->facts().dtype);
    Value* one = op->scalar_like(x, 1);
    return exponential_linear(op, x, alpha, one, op->div(one, alpha));
  }
  const double alpha = op.number("alpha");
  if (op.opset() >= 12 && op->serves("Celu", x)) return op->op("Celu", {x}, {{"alpha", alpha}});
  return exponential_linear(op.builder(), in_full_precision(op.builder(), x), alpha, 1, 1 / alpha);
}

Outputs selu(Op& op) {
  Value* x = self_of(op);
  if (!is_double(x)) return op->op("Selu", {x});  // its attributes are float32
  return exponential_linear(op.builder(), x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
}

// x/2 (1 + erf(x / sqrt 2)), or its tanh form; the operator Gelu from opset 20.
Outputs gelu(Op& op) {
  Builder& b = op.builder();
  Value* x = self_of(op);
  const std::string approximate = op.text("approximate");
  if (approximate != "none" && approximate != "tanh") op.refuse_argument("approximate", "must be none or tanh");
  const bool is_tanh = approximate == "tanh";
  if (op.opset() >= 20 && op->serves("Gelu", x)) return op->op("Gelu", {x}, {{"approximate", approximate}});
  if (is_tanh) {
    x = in_full_precision(b, x);
    Value* inner = b.add(x, b.mul(b.mul(b.mul(x, x), x), b.scalar_like(x, 0.044715)));
    Value* tanh = b.op("Tanh", {b.mul(inner, b.scalar_like(x, std::sqrt(2 / std::numbers::pi)))});
    return b.mul(b.mul(x, b.scalar_like(x, 0.5)), b.add(tanh, b.scalar_like(x, 1)));
  }
  return gelu(b, x);
}

Outputs leaky_relu(Op& op) {
  Value* x = self_of(op);
  if (op->serves("LeakyRelu", x) && op.is_constant("negative_slope") &&
      holds_attribute(x->facts().dtype, op.number("negative_slope")))
    return op->op("LeakyRelu", {x}, {{"alpha", op.number("negative_slope")}});
  Value* slope = op.scalar("negative_slope", x->facts().dtype);
  return op->where(less(op.builder(), x, op->scalar_like(x, 0)), op->mul(x, slope), x);
}

// Leaky ReLU with the mean slope; in training, a random slope for each element.
struct RandomLeaky {
  Value* result;
  Value* negative;  // the elements that are scaled by the slope
  Value* slope;
};

RandomLeaky randomly_leaky(Op& op) {
  Value* x = self_of(op);
  const double low = op.number("lower"), high = op.number("upper");
  Value* slope = op->scalar_like(x, (low + high) / 2);
  if (op.flag("training")) {
    slope = op->cast(uniform_like(op.builder(), op->cast(x, DType::Float32), low, high), x->facts().dtype);
  }
  Value* negative = less(op.builder(), x, op->scalar_like(x, 0));
  return {op->where(negative, op->mul(x, slope), x), negative, slope};
}

Outputs rrelu(Op& op) { return randomly_leaky(op).result; }

// aten::rrelu_with_noise_functional: returns the slopes too; outside training it returns the noise argument unchanged.
Outputs rrelu_with_noise(Op& op) {
  const RandomLeaky y = randomly_leaky(op);
  Value* noise = op.tensor("noise");
  return {y.result, op.flag("training") ? op->where(y.negative, y.slope, op->scalar_like(y.slope, 1)) : noise};
}

// PRelu; formed from other operators if the target lacks it in float64.
Value* parametric(Builder& b, Value* x, Value* weight) {
  if (b.serves("PRelu", x)) return b.op("PRelu", {x, weight});
  return b.where(less(b, x, b.scalar_like(x, 0)), b.mul(x, weight), x);
}

// aten::prelu: the weight has one element, or one for each channel (axis 1, or the only axis).
Outputs prelu(Op& op) {
  Value* x = op.tensor("self");
  Value* weight = op.tensor("weight");
  const ir::Facts& facts = weight->facts();
  if (facts.has_rank() && facts.rank() > 1) op.refuse_argument("weight", "must be a number or a vector");
  if (facts.has_rank() && facts.rank() == 0) return parametric(op.builder(), x, weight);
  const bool is_one = facts.has_rank() && op.fixed_size(weight, 0) == 1;
  if (!is_one || x->facts().has_rank()) {
    const std::int64_t rank = op.rank_of(x);
    Dims axes;
    for (std::int64_t i = 1; i <= rank - 2; ++i) axes.push_back(i);
    if (rank == 0) weight = op->reshape(weight, Dims{});
    if (!is_one) weight = op->unsqueeze(weight, axes);
  }
  return parametric(op.builder(), x, weight);
}

// aten::_prelu_kernel: the weight already broadcasts to the input
Outputs prelu_kernel(Op& op) { return parametric(op.builder(), op.tensor("self"), op.tensor("weight")); }

// Clamps by Clip if it supports the dtype, else by comparisons (integers below opset 12, and float64 if the target
// lacks it).
Value* clamp(Builder& b, Value* x, double low, double high) {
  const bool is_plain = ir::is_floating(x->facts().dtype) && b.serves("Clip", x);
  if (is_plain || (b.opset() >= 12 && !confuses_halves(b, x))) return b.clip(x, low, high);
  return minimum(b, maximum(b, x, b.scalar_like(x, low)), b.scalar_like(x, high));
}

Value* silu(Builder& b, Value* x) { return b.mul(x, sigmoid(b, x)); }
Value* mish(Builder& b, Value* x) { return b.mul(x, b.op("Tanh", {softplus(b, x)})); }
Value* tanhshrink(Builder& b, Value* x) { return b.sub(x, b.op("Tanh", {x})); }
Value* log_sigmoid(Builder& b, Value* x) { return b.op("Neg", {softplus(b, b.op("Neg", {x}))}); }

Value* hardsigmoid(Builder& b, Value* x) {
  if (!is_double(x))  // 1/6 is a float32 attribute
    return b.op("HardSigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
  return b.div(clamp(b, b.add(x, b.scalar_like(x, 3)), 0, 6), b.scalar_like(x, 6));
}

Value* hardswish(Builder& b, Value* x) {
  if (b.opset() >= 14 && !is_double(x)) return b.op("HardSwish", {x});
  return b.mul(x, hardsigmoid(b, x));
}

Value* relu(Builder& b, Value* x) {
  const DType dtype = x->facts().dtype;
  const bool has_integers = b.opset() >= 14 && (dtype != DType::Int64 || b.has_kernel("Relu", dtype));
  if (ir::is_floating(dtype) || has_integers) return b.op("Relu", {x});
  return maximum(b, x, b.scalar_like(x, 0));
}

Value* relu6(Builder& b, Value* x) { return clamp(b, x, 0, 6); }

Outputs hardtanh(Op& op) {
  Value* x = self_of(op);
  if (op.is_constant("min_val") && op.is_constant("max_val"))
    return clamp(op.builder(), x, op.number("min_val"), op.number("max_val"));
  const DType dtype = x->facts().dtype;
  return minimum(op.builder(), maximum(op.builder(), x, op.scalar("min_val", dtype)), op.scalar("max_val", dtype));
}

Outputs hardshrink(Op& op) {
  Value* x = self_of(op);
  Value* inside = less_equal(op.builder(), op->op("Abs", {x}), op.scalar("lambd", x->facts().dtype));
  return op->where(inside, op->scalar_like(x, 0), x);
}

Outputs softshrink(Op& op) {
  Value* x = self_of(op);
  // Shrink turns NaN into 0.
  if (op.opset() >= 9 && !is_double(x) && op.is_constant("lambd") && !may_hold_nan(op.builder(), x)) {
    const double lambda = op.number("lambd");
    return op->op("Shrink", {x}, {{"bias", lambda}, {"lambd", lambda}});
  }
  Value* margin = op.scalar("lambd", x->facts().dtype);
  Value* above = op->op("Relu", {op->sub(x, margin)});
  return op->sub(above, op->op("Relu", {op->sub(op->op("Neg", {x}), margin)}));
}

// log(1 + exp(beta x)) / beta, linear where beta x exceeds the threshold
Outputs softplus_row(Op& op) {
  Builder& b = op.builder();
  Value* x = self_of(op);
  if (!op.is_constant("beta") || !op.is_constant("threshold")) {
    const DType dtype = x->facts().dtype;
    Value* factor = op.scalar("beta", dtype);
    Value* moving = b.mul(x, factor);
    return b.where(greater(b, moving, op.scalar("threshold", dtype)), x, b.div(softplus(b, moving), factor));
  }
  const double beta = op.number("beta"), threshold = op.number("threshold");
  Value* scaled = beta == 1 ? x : b.mul(x, b.scalar_like(x, beta));
  Value* y = softplus(b, scaled);
  if (beta != 1) y = b.div(y, b.scalar_like(x, beta));
  // For beta x >= 20, log(1 + exp(x)) equals x in float32.
  if (threshold >= 20 && !is_double(x)) return y;
  return b.where(greater(b, scaled, b.scalar_like(x, threshold)), x, y);
}

Outputs threshold(Op& op) {
  Value* x = self_of(op);
  const DType dtype = x->facts().dtype;
  if (!op.is_constant("threshold") || !op.is_constant("value"))
    return op->where(less_equal(op.builder(), x, op.scalar("threshold", dtype)), op.scalar("value", dtype), x);
  const double bound = op.number("threshold"), value = op.number("value");
  if (bound == 0 && value == 0 && ir::is_floating(dtype)) return op->op("Relu", {x});
  const double limit = ir::is_floating(dtype) ? bound : std::trunc(bound);
  Value* other = ir::is_floating(dtype) ? op->scalar(dtype, value) : op.scalar("value", dtype);
  return op->where(less_equal(op.builder(), x, op->scalar(dtype, limit)), other, x);
}

Outputs glu(Op& op) {
  Value* x = self_of(op);
  std::int64_t axis = op.integer("dim");
  if (axis < 0 && (op.opset() < 11 || x->facts().has_rank())) axis = op.wrap_axis(axis, op.rank_of(x));
  Attributes attributes{{"axis", axis}};
  if (op.opset() >= 18) {
    if (op->avoids(ir::Defect::EmptySplit) && x->facts().has_rank() && !op.fixed_size(x, axis)) {
      Value* half = op->div(op->size_scalar(x, axis), op->int64(2));
      Value* gate = slice_between(op, x, axis, half, nullptr);
      return op->mul(slice_between(op, x, axis, nullptr, half), sigmoid(op.builder(), gate));
    }
    attributes.push_back({"num_outputs", std::int64_t{2}});
  }
  const Values halves = op->op("Split", {x}, std::move(attributes), 2);
  return op->mul(halves[0], sigmoid(op.builder(), halves[1]));
}

// Softmax or LogSoftmax from elementary operators. Needed for an unknown rank, which the ONNX operators do not accept,
// and for LogSoftmax of float64 on targets with Defect::LogSoftmaxNan.
Value* softmax_by_parts(Builder& b, Value* x, std::int64_t axis, bool is_log) {
  const Dims axes{axis};
  Value* shifted = b.sub(x, b.reduce("ReduceMax", x, axes, true));
  Value* exponents = b.op("Exp", {shifted});
  Value* sum = b.reduce("ReduceSum", exponents, axes, true);
  return is_log ? b.sub(shifted, b.op("Log", {sum})) : b.div(exponents, sum);
}

// Softmax and LogSoftmax normalise along one axis from opset 13 on. Below, they normalise over all axes from that one
// on.
template <OperatorName Name>
Outputs softmax(Op& op) {
  Builder& b = op.builder();
  Value* x = self_of(op);
  const std::int64_t axis = op.integer("dim");
  constexpr bool kIsLog = std::string_view(Name) == "LogSoftmax";
  const bool loses_nan = kIsLog && is_double(x) && b.avoids(ir::Defect::LogSoftmaxNan);
  if (loses_nan && x->facts().has_rank() && x->facts().rank() > 0) {
    const std::int64_t wrapped = op.wrap_axis(axis, x->facts().rank());
    if (op.fixed_size(x, wrapped).value_or(1) != 0) return softmax_by_parts(b, x, wrapped, true);
  }
  if (!x->facts().has_rank()) {
    if (op.opset() >= 13 || (axis == -1 && op.opset() >= 11)) return b.op(Name, {x}, {{"axis", axis}});
    return softmax_by_parts(b, x, axis, kIsLog);
  }
  const std::int64_t rank = x->facts().rank();
  if (rank == 0) return b.reshape(b.op(Name, {b.reshape(x, {1})}, {{"axis", std::int64_t{0}}}), Dims{});
  const std::int64_t wrapped = op.wrap_axis(axis, rank);
  if (op.opset() >= 13 || wrapped == rank - 1) return b.op(Name, {x}, {{"axis", op.opset() >= 13 ? axis : wrapped}});
  Value* last = b.op(Name, {b.swap_axes(x, wrapped, rank - 1)}, {{"axis", rank - 1}});
  return b.swap_axes(last, wrapped, rank - 1);
}

bool is_training(Op& op) {
  const ir::Constant* train = op.constant("train");
  return !train ? op.training() : !train->is_none() ? op.flag("train") : op.training();
}

// Dropout with p = 1; ONNX Dropout accepts only ratios below 1.
Value* drop_all(Builder& b, Value* x) { return b.mul(x, b.scalar_like(x, 0)); }

Outputs dropout(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  if (!is_training(op)) return x;
  const double p = op.number("p");
  if (p == 0) return x;
  return p >= 1 ? drop_all(op.builder(), x) : dropped(op, x, p).values;
}

Outputs native_dropout(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  const double p = is_training(op) ? op.number("p") : 0;
  const bool drops = p > 0;
  if (drops && p < 1) {
    const Dropped results = dropped(op, x, p);
    return {results.values, op->cast(results.mask, DType::Bool)};
  }
  Value* y = drops ? drop_all(op.builder(), x) : x;
  if (op.node().output(1)->is_unused()) return {y, nullptr};
  return {y, op->cast(op->constant_of_shape(op->shape(x), DType::Float32, drops ? 0 : 1), DType::Bool)};
}

// Returns 0 or 1 / (1 - p) at random, for each element or for each channel (axes 0 and 1).
Value* noise(Op& op, Value* x, bool per_channel) {
  Value* shape = op->shape(x);
  if (per_channel) {
    const std::int64_t rank = op.rank_of(x);
    if (rank < 2) op.refuse_argument("input", "must have a batch and a channel dim");
    const Dims ones(static_cast<std::size_t>(rank - 2), 1);
    if (const auto fixed = x->facts().fixed_dims()) {
      Dims dims{(*fixed)[0], (*fixed)[1]};
      dims.insert(dims.end(), ones.begin(), ones.end());
      shape = op->int64s(dims);
    } else {
      Values sizes{op->size(x, 0), op->size(x, 1)};
      if (rank > 2) sizes.push_back(op->int64s(ones));
      shape = op->concat(sizes, 0);
    }
  }
  Value* ones = op->constant_of_shape(shape, x->facts().dtype, 1);
  return dropped(op, ones, op.number("p")).values;
}

Outputs feature_dropout(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  if (!is_training(op)) return x;
  const double p = op.number("p");
  if (p == 0) return x;
  return p >= 1 ? drop_all(op.builder(), x) : op->mul(x, noise(op, x, true));
}

// Alpha dropout: dropped elements get the negative saturation value of SELU; then scale and shift restore mean and
// variance.
template <bool PerChannel>
Outputs alpha_dropout(Op& op) {
  constexpr double kSaturation = 1.7580993408473766;
  Value* x = op.value_of(op.node().input(0));
  if (!is_training(op)) return x;
  const double p = op.number("p");
  if (p == 0) return x;
  if (p >= 1) return drop_all(op.builder(), x);
  const double scale = 1 / std::sqrt((kSaturation * kSaturation * p + 1) * (1 - p));
  Value* kept = op->mul(noise(op, x, PerChannel), op->scalar_like(x, 1 - p));
  Value* shift = op->mul(op->sub(kept, op->scalar_like(x, 1)), op->scalar_like(x, kSaturation * scale));
  shift = op->add(shift, op->scalar_like(x, kSaturation * scale * p));
  return op->add(op->mul(x, op->mul(kept, op->scalar_like(x, scale))), shift);
}

Outputs log_sigmoid_forward(Op& op) { return {log_sigmoid(op.builder(), self_of(op)), nullptr}; }

constexpr Row kActivationRows[] = {
    {"aten::relu", 7, unary_formula<relu>},
    {"aten::relu6", 7, unary_formula<relu6>},
    {"aten::leaky_relu", 7, leaky_relu},
    {"aten::rrelu", 7, rrelu},
    {"aten::rrelu_with_noise_functional", 7, rrelu_with_noise},
    {"aten::prelu", 7, prelu},
    {"aten::_prelu_kernel", 7, prelu_kernel},
    {"aten::elu", 7, elu},
    {"aten::selu", 7, selu},
    {"aten::celu", 7, rounded<celu>},
    {"aten::gelu", 7, rounded<gelu>},
    {"aten::silu", 7, unary_formula<silu>},
    {"aten::mish", 7, full_unary_formula<mish>},
    {"aten::hardswish", 7, unary_formula<hardswish>},
    {"aten::hardsigmoid", 7, unary_formula<hardsigmoid>},
    {"aten::hardtanh", 7, hardtanh},
    {"aten::hardshrink", 7, hardshrink},
    {"aten::softshrink", 7, softshrink},
    {"aten::softplus", 7, softplus_row},
    {"aten::tanhshrink", 7, full_unary_formula<tanhshrink>},
    {"aten::log_sigmoid", 7, full_unary_formula<log_sigmoid>},
    {"aten::log_sigmoid_forward", 7, rounded<log_sigmoid_forward>},
    {"aten::threshold", 7, threshold},
    {"aten::glu", 7, glu},
    {"aten::softmax", 7, softmax<"Softmax">},
    {"aten::_softmax", 7, softmax<"Softmax">},
    {"aten::special_softmax", 7, softmax<"Softmax">},
    {"aten::log_softmax", 7, softmax<"LogSoftmax">},
    {"aten::_log_softmax", 7, softmax<"LogSoftmax">},
    {"aten::special_log_softmax", 7, softmax<"LogSoftmax">},
    {"aten::dropout", 7, dropout},
    {"aten::native_dropout", 7, native_dropout},
    {"aten::feature_dropout", 7, feature_dropout},
    {"aten::alpha_dropout", 7, alpha_dropout<false>},
    {"aten::feature_alpha_dropout", 7, alpha_dropout<true>},
};

}  // namespace

std::span<const Row> activation_rows() { return kActivationRows; }

}  // namespace tonnx::lower
