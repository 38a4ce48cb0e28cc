// Elementwise operators whose kernels have no meta form. TensorIterator lays the results out as the kernels do.
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty_like.h>

#include <array>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// One operand, the same dtype.
RuleOutcome unary(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  call.give(meta_elementwise({self}, self.scalar_type()));
  return RuleOutcome::Done;
}

// The same, in place.
RuleOutcome itself(RuleCall& call) {
  call.give(call.tensor(0));
  return RuleOutcome::Done;
}

// Integers become the default float type.
RuleOutcome unary_float(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const bool integral = at::isIntegralType(self.scalar_type(), true);
  const c10::ScalarType dtype = integral ? at::typeMetaToScalarType(at::get_default_dtype()) : self.scalar_type();
  call.give(meta_elementwise({self}, dtype));
  return RuleOutcome::Done;
}

RuleOutcome predicate(RuleCall& call) {
  call.give(meta_elementwise({call.tensor(0)}, at::kBool));
  return RuleOutcome::Done;
}

// Two tensors, or a tensor and a number: promoted and broadcast.
RuleOutcome binary(RuleCall& call) {
  at::Tensor operands[2];
  at::native::ResultTypeState state = {};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!call[i].isTensor()) return RuleOutcome::Declined;
    operands[i] = call.tensor(i);
    state = at::native::update_result_type_state(operands[i], state);
  }
  call.give(meta_elementwise({operands[0], operands[1]}, at::native::result_type(state)));
  return RuleOutcome::Done;
}

// prelu(self, weight): one weight, or one a channel.
RuleOutcome prelu(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const at::Tensor& weight = call.tensor(1);
  TORCH_CHECK(self.scalar_type() == weight.scalar_type(), "prelu: Type promoting not supported. Got ",
              self.scalar_type(), " and ", weight.scalar_type());
  if (weight.numel() != 1) {
    TORCH_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const std::int64_t channels = self.dim() >= 2 ? self.size(1) : 1;
    TORCH_CHECK(channels == weight.numel(), "Mismatch of parameter numbers and input channel size. Found parameter "
                "numbers = ", weight.numel(), " and channel size = ", channels, ".");
  }
  call.give(meta_elementwise({self}, self.scalar_type()));
  return RuleOutcome::Done;
}

RuleOutcome log_sigmoid(RuleCall& call) {
  call.give(meta_empty(call.tensor(0).sizes(), call.tensor(0).scalar_type()));
  return RuleOutcome::Done;
}

// where(condition, self, other), the two possibly numbers.
RuleOutcome where(RuleCall& call) {
  if (call.size() != 3 || !call[1].isTensor() || !call[2].isTensor()) return RuleOutcome::Declined;
  const at::Tensor& condition = call.tensor(0);
  TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ", condition.scalar_type());
  at::native::ResultTypeState state = {};
  state = at::native::update_result_type_state(call.tensor(1), state);
  state = at::native::update_result_type_state(call.tensor(2), state);
  call.give(meta_elementwise({condition, call.tensor(1), call.tensor(2)}, at::native::result_type(state)));
  return RuleOutcome::Done;
}

// native_dropout(input, p, train) -> (output, mask)
RuleOutcome native_dropout(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  call.give(at::empty_like(self));
  call.give(at::empty_like(self, self.options().dtype(at::kBool)));
  return RuleOutcome::Done;
}

constexpr std::array rules = {
    NamedRule{"aten::relu", unary},
    NamedRule{"aten::relu_", itself},
    NamedRule{"aten::relu6", unary},
    NamedRule{"aten::relu6_", itself},
    NamedRule{"aten::hardtanh", unary},
    NamedRule{"aten::hardtanh_", itself},
    NamedRule{"aten::hardswish", unary},
    NamedRule{"aten::hardswish_", itself},
    NamedRule{"aten::rrelu", unary},
    NamedRule{"aten::rrelu_", itself},
    NamedRule{"aten::log_sigmoid", log_sigmoid},
    NamedRule{"aten::logit", unary_float},
    NamedRule{"aten::logit_", itself},
    NamedRule{"aten::isnan", predicate},
    NamedRule{"aten::isinf", predicate},
    NamedRule{"aten::isfinite", predicate},
    NamedRule{"aten::floor_divide", binary},
    NamedRule{"aten::remainder.Scalar_Tensor", binary},
    NamedRule{"aten::rsub.Tensor", binary},
    NamedRule{"aten::prelu", prelu},
    NamedRule{"aten::_prelu_kernel", unary},
    NamedRule{"aten::where.self", where},
    NamedRule{"aten::native_dropout", native_dropout},
};

}  // namespace

std::span<const NamedRule> activation_rules() { return rules; }

}  // namespace tonnx::torch
