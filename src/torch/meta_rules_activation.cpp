// Elementwise operators whose kernels have no meta version. TensorIterator chooses the same strides as for the kernels.
#include <array>

#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ldexp.h>
#include <ATen/ops/ones.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {
namespace {

// One operand; same dtype.
RuleOutcome unary(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  call.add_result(meta_elementwise({self}, self.scalar_type()));
  return RuleOutcome::Done;
}

// Integers become the default float type.
RuleOutcome unary_float(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const bool integral = at::isIntegralType(self.scalar_type(), true);
  const c10::ScalarType dtype = integral ? at::typeMetaToScalarType(at::get_default_dtype()) : self.scalar_type();
  call.add_result(meta_elementwise({self}, dtype));
  return RuleOutcome::Done;
}

RuleOutcome predicate(RuleCall& call) {
  call.add_result(meta_elementwise({call.tensor(0)}, at::kBool));
  return RuleOutcome::Done;
}

// A tensor unchanged; a number as a tensor of low priority in type promotion.
at::Tensor operand(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor();
  const at::Scalar number = value.toScalar();
  c10::ScalarType dtype = number.type();
  if (dtype == at::kDouble) dtype = at::typeMetaToScalarType(at::get_default_dtype());
  at::Tensor result = meta_empty({}, dtype);
  result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

c10::ScalarType promoted(const at::Tensor& a, const at::Tensor& b) {
  at::native::ResultTypeState state = {};
  state = at::native::update_result_type_state(a, state);
  return at::native::result_type(at::native::update_result_type_state(b, state));
}

// Two tensors, or a tensor and a number: promoted and broadcast.
RuleOutcome binary(RuleCall& call) {
  const at::Tensor a = operand(call[0]);
  const at::Tensor b = operand(call[1]);
  call.add_result(meta_elementwise({a, b}, promoted(a, b)));
  return RuleOutcome::Done;
}

// __lshift__, __rshift__(self, other): also bools, which LibTorch's own meta version refuses
RuleOutcome shift(RuleCall& call) {
  const at::Tensor a = operand(call[0]);
  const at::Tensor b = operand(call[1]);
  if (a.scalar_type() != at::kBool && b.scalar_type() != at::kBool) return RuleOutcome::Declined;
  TORCH_CHECK(promoted(a, b) != at::kBool, "shifts are not implemented for bools alone");
  return binary(call);
}

// ldexp(self, other): self times a floating power of two, whose dtype differs between versions of LibTorch
RuleOutcome ldexp(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const at::Tensor& other = call.tensor(1);
  const auto ones = [](const at::Tensor& like) {
    return at::ones(std::vector<std::int64_t>(static_cast<std::size_t>(like.dim()), 1),
                    at::TensorOptions(like.scalar_type()));
  };
  call.add_result(meta_elementwise({self, other}, at::ldexp(ones(self), ones(other)).scalar_type()));
  return RuleOutcome::Done;
}

// Two operands; bool results.
RuleOutcome comparison(RuleCall& call) {
  call.add_result(meta_elementwise({call.tensor(0), call.tensor(1)}, at::kBool));
  return RuleOutcome::Done;
}

// prelu(self, weight): one weight, or one per channel.
RuleOutcome prelu(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  const at::Tensor& weight = call.tensor(1);
  TORCH_CHECK(self.scalar_type() == weight.scalar_type(), "prelu: Type promoting not supported. Got ",
              self.scalar_type(), " and ", weight.scalar_type());
  if (weight.numel() != 1) {
    TORCH_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const std::int64_t channels = self.dim() >= 2 ? self.size(1) : 1;
    TORCH_CHECK(channels == weight.numel(),
                "Mismatch of parameter numbers and input channel size. Found parameter "
                "numbers = ",
                weight.numel(), " and channel size = ", channels, ".");
  }
  call.add_result(meta_elementwise({self}, self.scalar_type()));
  return RuleOutcome::Done;
}

RuleOutcome log_sigmoid(RuleCall& call) {
  call.add_result(meta_empty(call.tensor(0).sizes(), call.tensor(0).scalar_type()));
  return RuleOutcome::Done;
}

// where(condition, self, other); self and other may be numbers.
RuleOutcome where(RuleCall& call) {
  const at::Tensor& condition = call.tensor(0);
  TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ", condition.scalar_type());
  const at::Tensor a = operand(call[1]);
  const at::Tensor b = operand(call[2]);
  call.add_result(meta_elementwise({condition, a, b}, promoted(a, b)));
  return RuleOutcome::Done;
}

// rrelu_with_noise_functional(self, noise, ...) -> (output, noise)
RuleOutcome rrelu_with_noise(RuleCall& call) {
  call.add_result(meta_elementwise({call.tensor(0)}, call.tensor(0).scalar_type()));
  call.add_result(at::empty_like(call.tensor(1)));
  return RuleOutcome::Done;
}

// native_dropout(input, p, train) -> (output, mask)
RuleOutcome native_dropout(RuleCall& call) {
  const at::Tensor& self = call.tensor(0);
  call.add_result(at::empty_like(self));
  call.add_result(at::empty_like(self, self.options().dtype(at::kBool)));
  return RuleOutcome::Done;
}

}  // namespace

std::span<const NamedRule> activation_rules() {
  static constexpr std::array rules = {
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
      NamedRule{"aten::rrelu_with_noise_functional", rrelu_with_noise},
      NamedRule{"aten::_add_relu", binary},
      NamedRule{"aten::__lshift__", shift},
      NamedRule{"aten::__rshift__", shift},
      NamedRule{"aten::__ilshift__", itself},
      NamedRule{"aten::__irshift__", itself},
      NamedRule{"aten::log_sigmoid", log_sigmoid},
      NamedRule{"aten::logit", unary_float},
      NamedRule{"aten::logit_", itself},
      NamedRule{"aten::isnan", predicate},
      NamedRule{"aten::isinf", predicate},
      NamedRule{"aten::isfinite", predicate},
      NamedRule{"aten::logical_and", comparison},
      NamedRule{"aten::logical_or", comparison},
      NamedRule{"aten::logical_xor", comparison},
      NamedRule{"aten::logical_not", predicate},
      NamedRule{"aten::conj_physical_", itself},
      NamedRule{"aten::nan_to_num", unary},
      NamedRule{"aten::floor_divide", binary},
      NamedRule{"aten::ldexp.Tensor", ldexp},
      NamedRule{"aten::ldexp_", itself},
      NamedRule{"aten::remainder.Scalar_Tensor", binary},
      NamedRule{"aten::rsub.Tensor", binary},
      NamedRule{"aten::prelu", prelu},
      NamedRule{"aten::_prelu_kernel", unary},
      NamedRule{"aten::where.self", where},
      NamedRule{"aten::where.Scalar", where},
      NamedRule{"aten::where.ScalarSelf", where},
      NamedRule{"aten::where.ScalarOther", where},
      NamedRule{"aten::native_dropout", native_dropout},
  };
  return rules;
}

}  // namespace tonnx::torch
