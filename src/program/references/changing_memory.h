#pragma once

#include <unordered_set>

#include "ir/graph.h"
#include "program/references/alias.h"

namespace tonnx::program {

// Storage that is written to while a tensor that may or may not share it is read later.
class ChangingMemory {
 public:
  explicit ChangingMemory(ir::Graph& graph);

  // See AliasForest::is_unaliased_result().
  bool is_unaliased_result(const ir::Value* value) const { return forest_.is_unaliased_result(value); }
  // True if the storage of the tensor is such storage.
  bool contains(const ir::Value* value) const {
    return !roots_.empty() && roots_.contains(forest_.root(const_cast<ir::Value*>(value)));
  }

 private:
  AliasForest forest_;
  std::unordered_set<const ir::Value*> roots_;
};

}  // namespace tonnx::program
