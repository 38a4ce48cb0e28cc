#include "torch/flat_outputs.h"

#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>

#include "ir/error.h"
#include "torch/convert.h"

namespace tonnx::torch {

namespace {

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
  } else if (value.isIntList()) {
    result.push_back(at::tensor(value.toIntVector(), at::kLong));
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

}  // namespace

std::vector<at::Tensor> flat_tensors(const c10::IValue& value) {
  std::vector<at::Tensor> result;
  flatten(value, result);
  return result;
}

std::vector<ir::Tensor> flat_outputs(const c10::IValue& value) {
  std::vector<ir::Tensor> result;
  for (const at::Tensor& tensor : flat_tensors(value)) result.push_back(to_ir(tensor.clone(at::MemoryFormat::Contiguous)));
  return result;
}

}  // namespace tonnx::torch
