#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "ir/graph.h"
#include "torch/convert.h"

// Maps tensors of a program to weights of a graph. Internal: includes LibTorch.
namespace tonnx::torch {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// A module's parameters and buffers by state-dict key, in state-dict order: its own parameters, its own buffers, then
// those of its modules.
NamedTensors state_of(const ::torch::jit::Module& module);

// Names tensors, and adds each as a weight of the graph once: tensors that view the same elements in the same way are
// one weight with one name.
class WeightTable {
 public:
  WeightTable(ir::Graph& graph, StorageMap& storages) : graph_(graph), storages_(storages) {}

  // Names the tensors of the module's state; the first name of a tensor is kept.
  void add_names(const ::torch::jit::Module& module);
  void add_name(const at::Tensor& tensor, const std::string& name);
  // Adds a weight for each named tensor that can be one, in the order of the names.
  void make_named();
  // True if the tensor, with this layout, has a name.
  bool has_name(const at::Tensor& tensor) const { return names_.contains(key_of(tensor)); }
  // Further names of the tensors, by their names.
  const std::map<std::string, std::vector<std::string>>& other_names() const { return other_names_; }
  // The name of a tensor that shares the storage; empty if there is none.
  std::string name_of_storage(const at::Tensor& tensor) const;

  // Returns the weight for a tensor. `name` is used if the tensor has no name; with `made_up` it may be changed. Throws
  // Error(Code::Unsupported), with the name, if its elements cannot be read (quantised, sparse).
  ir::Value* weight(const at::Tensor& tensor, const std::string& name, bool made_up = false);

  // The weight that was added for the tensor; null if there is none.
  const ir::Value* find(const at::Tensor& tensor) const;

  // True if the tensor of a weight of this table requires gradients.
  bool requires_grad(const ir::Value* weight) const { return learning_.contains(weight); }

  StorageMap& storages() { return storages_; }

 private:
  using Key = std::tuple<const c10::StorageImpl*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>,
                         c10::ScalarType>;
  static Key key_of(const at::Tensor& tensor);
  std::string unique(const std::string& name);

  ir::Graph& graph_;
  StorageMap& storages_;
  std::map<Key, std::string> names_;
  std::map<std::string, std::vector<std::string>> other_names_;
  std::map<Key, ir::Value*> weights_;
  std::unordered_set<const ir::Value*> learning_;
  std::map<const c10::StorageImpl*, std::string> storage_names_;
  std::vector<std::pair<at::Tensor, std::string>> named_;
  std::vector<at::Tensor> kept_;  // so that no address is reused while this table lives
  std::unordered_set<std::string> taken_;
};

}  // namespace tonnx::torch
