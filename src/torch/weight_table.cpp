#include "torch/weight_table.h"

#include "ir/error.h"

namespace tonnx::torch {
namespace {

void add_state(const ::torch::jit::Module& module, const std::string& prefix, NamedTensors& state) {
  for (const auto& item : module.named_parameters(false)) state.emplace_back(prefix + item.name, item.value);
  for (const auto& item : module.named_buffers(false)) state.emplace_back(prefix + item.name, item.value);
  for (const auto& item : module.named_children()) add_state(item.value, prefix + item.name + ".", state);
}

}  // namespace

NamedTensors state_of(const ::torch::jit::Module& module) {
  NamedTensors state;
  add_state(module, "", state);
  return state;
}

WeightTable::Key WeightTable::key_of(const at::Tensor& tensor) {
  if (!tensor.has_storage()) return {nullptr, 0, {}, {}, c10::ScalarType::Undefined};
  return {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec(),
          tensor.strides().vec(), tensor.scalar_type()};
}

void WeightTable::add_names(const ::torch::jit::Module& module) {
  for (const auto& [name, tensor] : state_of(module)) add_name(tensor, name);
}

void WeightTable::make_named() {
  for (const auto& [tensor, name] : named_) {
    try {
      weight(tensor, name);
    } catch (const ir::Error&) {
      // Its readers report the error.
    }
  }
}

void WeightTable::add_name(const at::Tensor& tensor, const std::string& name) {
  if (!tensor.defined() || tensor.is_sparse() || !tensor.has_storage()) return;
  if (const auto [known, is_new] = names_.emplace(key_of(tensor), name); !is_new) {
    if (known->second != name) other_names_[known->second].push_back(name);
    return;
  }
  storage_names_.emplace(tensor.storage().unsafeGetStorageImpl(), name);
  named_.emplace_back(tensor, name);
  taken_.insert(name);
}

std::string WeightTable::name_of_storage(const at::Tensor& tensor) const {
  if (!tensor.has_storage()) return {};
  const auto it = storage_names_.find(tensor.storage().unsafeGetStorageImpl());
  return it == storage_names_.end() ? std::string() : it->second;
}

std::string WeightTable::unique(const std::string& name) {
  std::string result = name;
  for (int i = 1; !taken_.insert(result).second; ++i) result = name + "_" + std::to_string(i);
  return result;
}

const ir::Value* WeightTable::find(const at::Tensor& tensor) const {
  const auto found = weights_.find(key_of(tensor));
  return found == weights_.end() ? nullptr : found->second;
}

ir::Value* WeightTable::weight(const at::Tensor& tensor, const std::string& name, bool made_up) {
  const Key key = key_of(tensor);
  if (const auto it = weights_.find(key); std::get<0>(key) && it != weights_.end()) return it->second;
  const auto named = names_.find(key);
  const std::string chosen = named != names_.end() ? named->second : name;
  ir::Tensor converted;
  try {
    converted = to_ir_in_place(tensor, storages_);
  } catch (const ir::Error& e) {
    throw ir::Error(e.code(), "weight '" + chosen + "': " + e.what());
  }
  const bool has_name = named != names_.end();
  ir::Value* result = graph_.add_weight(has_name ? chosen : unique(chosen), std::move(converted), made_up && !has_name);
  if (std::get<0>(key)) weights_.emplace(key, result);
  if (tensor.requires_grad()) learning_.insert(result);
  kept_.push_back(tensor);
  return result;
}

}  // namespace tonnx::torch
