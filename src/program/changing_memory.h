#pragma once

#include <unordered_set>

#include "ir/graph.h"
#include "program/alias.h"

namespace tonnx::program {

// Memory of tensors that is written to where a tensor is read later that may or may not share it.
class ChangingMemory {
 public:
  explicit ChangingMemory(ir::Graph& graph);

  // Whether a branch gives the value of what nobody has behind it.
  bool is_given_apart(const ir::Value* value) const { return forest_.is_given_apart(value); }
  bool contains(const ir::Value* value) const {
    return !roots_.empty() && roots_.contains(forest_.root(const_cast<ir::Value*>(value)));
  }

 private:
  AliasForest forest_;
  std::unordered_set<const ir::Value*> roots_;
};

}  // namespace tonnx::program
