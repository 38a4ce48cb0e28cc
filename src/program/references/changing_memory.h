#pragma once

#include <unordered_set>

#include "ir/graph.h"
#include "program/references/alias.h"

namespace tonnx::program {

// Storage that is written to while a tensor that may or may not share it is read later.
class ChangingMemory {
 public:
  explicit ChangingMemory(ir::Graph& graph);

  // True if a branch yields a value whose origin is unused after the branch.
  bool is_given_apart(const ir::Value* value) const { return forest_.is_given_apart(value); }
  bool contains(const ir::Value* value) const {
    return !roots_.empty() && roots_.contains(forest_.root(const_cast<ir::Value*>(value)));
  }

 private:
  AliasForest forest_;
  std::unordered_set<const ir::Value*> roots_;
};

}  // namespace tonnx::program
