#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/graph.h"

namespace tonnx::program {

// A coarse and sound alias analysis: partitions tensors and containers of tensors into classes that may share storage.
// The order of nodes is ignored. The graph must not change while this is used.
class Sharing {
 public:
  explicit Sharing(const ir::Graph& graph);

  bool may_share(const ir::Value* a, const ir::Value* b) const { return root(a) == root(b); }
  // True if the program writes to a tensor that may share storage with the value.
  bool is_written(const ir::Value* value) const { return written_.contains(root(value)); }

 private:
  const ir::Value* root(const ir::Value* value) const;
  void join(const ir::Value* a, const ir::Value* b);
  void note(const ir::Node& node);

  mutable std::unordered_map<const ir::Value*, const ir::Value*> parents_;  // of all but the roots; union-find
  std::unordered_set<const ir::Value*> written_;                            // roots
};

}  // namespace tonnx::program
