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

// Tensors of a program as weights of a graph. Internal: includes LibTorch.
namespace tonnx::torch {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// A module's parameters and buffers by their state-dict keys, in the order of the state dict: its own parameters, its
// own buffers, then those of its modules.
NamedTensors state_of(const ::torch::jit::Module& module);

// Names tensors, and makes each a weight of the graph once: tensors that look at the same elements in the same way are
// one weight under one name.
class WeightTable {
 public:
  WeightTable(ir::Graph& graph, StorageMap& storages) : graph_(graph), storages_(storages) {}

  // Names what the module's state holds; the first name of a tensor stays.
  void add_names(const ::torch::jit::Module& module);
  void add_name(const at::Tensor& tensor, const std::string& name);
  // Makes a weight of each named tensor that can be one, in the order of the names.
  void make_named();
  // Whether the tensor, in this very view, has a name.
  bool has_name(const at::Tensor& tensor) const { return names_.contains(key_of(tensor)); }
  // The name of some tensor that shares the storage; empty if there is none.
  std::string name_of_storage(const at::Tensor& tensor) const;

  // The weight for a tensor. `name` serves where it has none, and may be made up. Throws Error(Code::Unsupported)
  // naming the tensor if its elements cannot be read (quantised, sparse).
  ir::Value* weight(const at::Tensor& tensor, const std::string& name, bool made_up = false);

  // The weight that was made for the tensor; null if there is none.
  const ir::Value* find(const at::Tensor& tensor) const;

  // Whether the tensor behind a weight of this table requires gradients.
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
  std::map<Key, ir::Value*> weights_;
  std::unordered_set<const ir::Value*> learning_;
  std::map<const c10::StorageImpl*, std::string> storage_names_;
  std::vector<std::pair<at::Tensor, std::string>> named_;
  std::vector<at::Tensor> kept_;  // so that no address is used again while this table lives
  std::unordered_set<std::string> taken_;
};

}  // namespace tonnx::torch
