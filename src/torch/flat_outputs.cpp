#include "torch/flat_outputs.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/int_repr.h>
#include <ATen/ops/q_per_channel_scales.h>
#include <ATen/ops/q_per_channel_zero_points.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>

#include "ir/error.h"
#include "torch/convert.h"

namespace tonnx::torch {

namespace {

// Uses only operators, which a recording sees.
at::Tensor vector_of(c10::ArrayRef<c10::IValue> numbers, at::ScalarType dtype) {
  std::vector<at::Tensor> items;
  for (const c10::IValue& number : numbers) items.push_back(at::scalar_tensor(number.toScalar(), dtype));
  return items.empty() ? at::empty({0}, dtype) : at::stack(items);
}

void flatten(const c10::IValue& value, std::vector<at::Tensor>& result) {
  if (value.isNone() || value.isString()) return;
  if (value.isTensor()) {
    if (value.toTensor().defined()) result.push_back(value.toTensor());
  } else if (value.isBool()) {
    result.push_back(at::scalar_tensor(value.toBool(), at::kBool));
  } else if (value.isInt()) {
    result.push_back(at::scalar_tensor(value.toInt(), at::kLong));
  } else if (value.isDouble()) {
    result.push_back(at::scalar_tensor(value.toDouble(), at::kDouble));
  } else if (value.isComplexDouble()) {
    result.push_back(at::scalar_tensor(value.toComplexDouble(), at::kComplexDouble));
  } else if (value.isIntList()) {
    result.push_back(vector_of(value.toListRef(), at::kLong));
  } else if (value.isDoubleList()) {
    result.push_back(vector_of(value.toListRef(), at::kDouble));
  } else if (value.isBoolList()) {
    result.push_back(vector_of(value.toListRef(), at::kBool));
  } else if (value.isTuple()) {
    for (const auto& item : value.toTupleRef().elements()) flatten(item, result);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) flatten(item, result);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) flatten(entry.value(), result);
  } else {
    throw ir::Error(ir::Code::Unsupported, "the program returns a value of type " + value.type()->annotation_str());
  }
}

// The parts of a quantised tensor as in a model.
std::vector<at::Tensor> parts_of(const at::Tensor& tensor) {
  const at::Tensor integers = tensor.int_repr();
  if (tensor.qscheme() == at::kPerTensorAffine)
    return {integers, at::scalar_tensor(tensor.q_scale(), at::kFloat),
            at::scalar_tensor(tensor.q_zero_point(), integers.scalar_type())};
  return {integers, tensor.q_per_channel_scales().to(at::kFloat),
          tensor.q_per_channel_zero_points().to(integers.scalar_type())};
}

}  // namespace

std::vector<at::Tensor> flat_tensors(const c10::IValue& value) {
  std::vector<at::Tensor> result;
  flatten(value, result);
  return result;
}

std::vector<ir::Tensor> flat_outputs(const c10::IValue& value) {
  std::vector<ir::Tensor> result;
  for (const at::Tensor& tensor : flat_tensors(value))
    for (const at::Tensor& part : tensor.is_quantized() ? parts_of(tensor) : std::vector{tensor})
      result.push_back(to_ir(part.clone(at::MemoryFormat::Contiguous)));
  return result;
}

}  // namespace tonnx::torch
