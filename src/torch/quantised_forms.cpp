#include "torch/quantised_forms.h"

#include <optional>
#include <string>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace tonnx::torch {
namespace {

using ::torch::jit::Stack;

// The arguments of a call by name; trailing ones with defaults may be missing.
class Arguments {
 public:
  Arguments(const ir::Node& node, const Stack& stack) : schema_(*node.schema()), stack_(stack) {}

  c10::IValue operator[](const char* name) const {
    for (std::size_t i = 0; i < schema_.arguments.size() && i < stack_.size(); ++i)
      if (schema_.arguments[i].name == name) return stack_[i];
    return {};
  }
  // A number, or a one-element tensor.
  c10::Scalar number(const char* name) const {
    const c10::IValue value = (*this)[name];
    return value.isTensor() ? value.toTensor().item() : value.toScalar();
  }
  at::ScalarType dtype(const char* name, at::ScalarType otherwise) const {
    const c10::IValue value = (*this)[name];
    return value.isNone() ? otherwise : value.toScalarType();
  }
  // One number per index on the axis, shaped to broadcast with the input.
  std::optional<at::Tensor> channels(const char* name) const {
    const c10::IValue value = (*this)[name];
    if (value.isNone()) return std::nullopt;
    const std::int64_t rank = (*this)["input"].toTensor().dim(), axis = (*this)["axis"].toInt();
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank), 1);
    sizes.at(static_cast<std::size_t>(axis < 0 ? axis + rank : axis)) = -1;
    return value.toTensor().reshape(sizes);
  }

 private:
  const ir::Schema& schema_;
  const Stack& stack_;
};

at::Tensor wide(const at::Tensor& tensor) {
  const bool narrow = tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
  return narrow ? tensor.to(at::kFloat) : tensor;
}

at::Tensor to_grid(const at::Tensor& steps, const Arguments& given) {
  return steps.clamp(given.number("quant_min"), given.number("quant_max")).to(given.dtype("dtype", at::kChar));
}

at::Tensor quantize_per_tensor(const Arguments& given) {
  const at::Tensor steps = (wide(given["input"].toTensor()) * (1.0 / given.number("scale").toDouble())).round();
  return to_grid(steps + given.number("zero_point"), given);
}

at::Tensor dequantize_per_tensor(const Arguments& given) {
  const at::Tensor steps =
      given["input"].toTensor().to(given.dtype("out_dtype", at::kFloat)) - given.number("zero_point");
  return steps * given.number("scale").toDouble();
}

at::Tensor quantize_per_channel(const Arguments& given) {
  const at::Tensor steps = (wide(given["input"].toTensor()) * (1.0 / *given.channels("scales"))).round();
  const auto zero = given.channels("zero_points");
  return to_grid(zero ? steps + *zero : steps, given);
}

at::Tensor dequantize_per_channel(const Arguments& given) {
  const at::Tensor input = given["input"].toTensor();
  const auto zero = given.channels("zero_points");
  const at::Tensor steps = input.to(at::kFloat) - (zero ? zero->to(at::kFloat) : at::zeros({}));
  return (steps * *given.channels("scales")).to(given.dtype("out_dtype", at::kFloat));
}

struct Form {
  std::string_view kind;
  at::Tensor (*run)(const Arguments& given);
};

constexpr Form forms[] = {
    {"quantized_decomposed::quantize_per_tensor", quantize_per_tensor},
    {"quantized_decomposed::quantize_per_channel", quantize_per_channel},
    {"quantized_decomposed::dequantize_per_tensor", dequantize_per_tensor},
    {"quantized_decomposed::dequantize_per_channel", dequantize_per_channel},
};

}  // namespace

bool run_quantised(const ir::Node& node, Stack& stack) {
  for (const Form& form : forms) {
    if (form.kind != node.kind() || !node.schema()) continue;
    at::Tensor result = form.run(Arguments(node, stack));
    stack.assign(1, c10::IValue(std::move(result)));
    return true;
  }
  return false;
}

}  // namespace tonnx::torch
