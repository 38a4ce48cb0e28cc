#include <numbers>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/promotion.h"
#include "lower/special.h"

// Gradients of activations, for programs that differentiate: traces of autograd's calls, and torch.func.
namespace tonnx::lower {
namespace {

Term in_full(Op& op, std::string_view argument) {
  return {op.builder(), in_full_precision(op.builder(), op.tensor(argument))};
}

Term plain(Op& op, std::string_view argument) { return {op.builder(), op.tensor(argument)}; }

Term sigmoid(Term x) { return x.with(sigmoid(x.builder(), x.value())); }
Term tanh(Term x) { return x.apply("Tanh"); }

// grad * f'(x), as a function of the result.
Outputs tanh_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), y = in_full(op, "output");
  return (grad * (1.0 - y * y)).value();
}

Outputs sigmoid_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), y = in_full(op, "output");
  return (grad * (1.0 - y) * y).value();
}

Outputs softmax_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), y = in_full(op, "output");
  const Term product = grad * y;
  if (op.rank_of(y.value()) == 0) return (product - y * product).value();
  Value* sum = op->reduce("ReduceSum", product.value(), Dims{op.axis("dim", y.value())}, true);
  return (product - y * y.with(sum)).value();
}

Outputs log_softmax_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), y = in_full(op, "output");
  if (op.rank_of(y.value()) == 0) return (grad - exp(y) * grad).value();
  Value* sum = op->reduce("ReduceSum", grad.value(), Dims{op.axis("dim", y.value())}, true);
  return (grad - exp(y) * y.with(sum)).value();
}

// As a function of the argument. For a NaN the gradient passes through, as with LibTorch's comparison.
Outputs threshold_backward(Op& op) {
  const Term grad = plain(op, "grad_output"), x = plain(op, "self");
  return where(x <= op.number("threshold"), 0, grad).value();
}

Outputs hardtanh_backward(Op& op) {
  const Term grad = plain(op, "grad_output"), x = plain(op, "self");
  return where(x <= op.number("min_val") || x >= op.number("max_val"), 0, grad).value();
}

Outputs shrink_backward(Op& op, std::string_view gradient) {
  const Term grad = plain(op, gradient), x = plain(op, "self");
  const double bound = op.number("lambd");
  return where(x >= -bound && x <= bound, 0, grad).value();
}

Outputs softshrink_backward(Op& op) { return shrink_backward(op, "grad_output"); }
Outputs hardshrink_backward(Op& op) { return shrink_backward(op, "grad_out"); }

Outputs hardsigmoid_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  return where(x > -3 && x < 3, grad / 6, grad * 0).value();
}

Outputs hardswish_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  return where(x <= -3, 0, where(x < 3, grad * (x / 3 + 0.5), grad)).value();
}

Outputs leaky_relu_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  return where(x > 0, grad, grad * op.number("negative_slope")).value();
}

Outputs elu_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self_or_result");
  const double scale = op.number("scale"), input_scale = op.number("input_scale"), below = op.number("alpha") * scale;
  const Term slope = op.flag("is_result") ? (x + below) * input_scale : exp(x * input_scale) * (input_scale * below);
  return where(x <= 0, grad * slope, grad * scale).value();
}

Outputs silu_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  const Term s = sigmoid(x);
  return (grad * s * (x * (1.0 - s) + 1)).value();
}

Outputs mish_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  const Term t = tanh(x.with(softplus(op.builder(), x.value())));
  return (grad * (t + x * sigmoid(x) * (1.0 - t * t))).value();
}

Outputs softplus_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  const Term scaled = x * op.number("beta");
  return where(scaled > op.number("threshold"), grad, grad * sigmoid(scaled)).value();
}

// The third argument is a buffer of one of LibTorch's kernels, and unused.
Outputs log_sigmoid_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  return (grad * sigmoid(-x)).value();
}

Outputs gelu_backward(Op& op) {
  const Term grad = in_full(op, "grad_output"), x = in_full(op, "self");
  if (op.text("approximate") == "tanh") {
    constexpr double cubic = 0.044715;
    const double root = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    const Term t = tanh((x + x * x * x * cubic) * root);
    const Term inner = (x * x * (3 * cubic) + 1) * root;
    return (grad * ((t + 1) * 0.5 + x * (1.0 - t * t) * inner * 0.5)).value();
  }
  const Term below = (x.with(erf(op.builder(), (x * (1 / std::numbers::sqrt2)).value())) + 1) * 0.5;
  const Term density = exp(x * x * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  return (grad * (below + x * density)).value();
}

Outputs dropout_backward(Op& op) {
  const Term grad{op.builder(), operand(op, "grad_output", op.result_dtype())};
  return (grad * grad.with(op->cast(op.tensor("mask"), op.dtype_of(grad.value()))) * op.number("scale")).value();
}

constexpr Row kGradientRows[] = {
    {"aten::_log_softmax_backward_data", 7, rounded<log_softmax_backward>},
    {"aten::_softmax_backward_data", 7, rounded<softmax_backward>},
    {"aten::elu_backward", 9, rounded<elu_backward>},
    {"aten::gelu_backward", 7, rounded<gelu_backward>},
    {"aten::hardshrink_backward", 9, hardshrink_backward},
    {"aten::hardsigmoid_backward", 9, rounded<hardsigmoid_backward>},
    {"aten::hardswish_backward", 9, rounded<hardswish_backward>},
    {"aten::hardtanh_backward", 9, hardtanh_backward},
    {"aten::leaky_relu_backward", 9, rounded<leaky_relu_backward>},
    {"aten::log_sigmoid_backward", 7, rounded<log_sigmoid_backward>},
    {"aten::mish_backward", 7, rounded<mish_backward>},
    {"aten::native_dropout_backward", 7, dropout_backward},
    {"aten::sigmoid_backward", 7, rounded<sigmoid_backward>},
    {"aten::silu_backward", 7, rounded<silu_backward>},
    {"aten::softplus_backward", 9, rounded<softplus_backward>},
    {"aten::softshrink_backward", 9, softshrink_backward},
    {"aten::tanh_backward", 7, rounded<tanh_backward>},
    {"aten::threshold_backward", 9, threshold_backward},
};

}  // namespace

std::span<const Row> gradient_rows() { return kGradientRows; }

}  // namespace tonnx::lower
