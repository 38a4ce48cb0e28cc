#include "torch/flat_outputs.h"

#include "ir/error.h"
#include "torch/convert.h"

namespace tonnx::torch {

namespace {

void flatten(const c10::IValue& value, std::vector<ir::Tensor>& result) {
  if (value.isNone() || value.isString()) return;
  if (value.isTensor()) {
    // Copied, for an output may be a weight or an input.
    if (value.toTensor().defined()) result.push_back(to_ir(value.toTensor().clone(at::MemoryFormat::Contiguous)));
  } else if (value.isBool()) {
    result.push_back(ir::Tensor::scalar(ir::DType::Bool, static_cast<std::int64_t>(value.toBool())));
  } else if (value.isInt()) {
    result.push_back(ir::Tensor::scalar(ir::DType::Int64, value.toInt()));
  } else if (value.isDouble()) {
    result.push_back(ir::Tensor::scalar(ir::DType::Float64, value.toDouble()));
  } else if (value.isIntList()) {
    result.push_back(ir::Tensor::of_int64(value.toIntVector()));
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

std::vector<ir::Tensor> flat_outputs(const c10::IValue& value) {
  std::vector<ir::Tensor> result;
  flatten(value, result);
  return result;
}

}  // namespace tonnx::torch
