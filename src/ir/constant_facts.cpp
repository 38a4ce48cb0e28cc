#include "ir/constant_facts.h"

namespace tonnx::ir {

Facts facts_of(Constant constant) {
  Facts facts;
  if (const Tensor* tensor = constant.get<Tensor>()) {
    facts.dtype = tensor->dtype;
    facts.dims.emplace(tensor->dims.begin(), tensor->dims.end());
  } else if (constant.is_number()) {
    facts.dtype = constant.get<bool>() ? DType::Bool : constant.get<double>() ? DType::Float64 : DType::Int64;
    facts.dims.emplace();
  }
  facts.constant = std::make_shared<const Constant>(std::move(constant));
  return facts;
}

}  // namespace tonnx::ir
