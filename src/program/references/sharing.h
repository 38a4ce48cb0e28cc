#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/graph.h"

namespace tonnx::program {

// Which tensors, and lists and dicts of tensors, may share the memory of tensors, as told by who makes and who reads
// them: coarse, and sound. The graph stays as it is while this is asked.
class Sharing {
 public:
  explicit Sharing(const ir::Graph& graph);

  bool may_share(const ir::Value* a, const ir::Value* b) const { return root(a) == root(b); }
  // Whether anything writes to a tensor that may share memory with the value.
  bool is_written(const ir::Value* value) const { return written_.contains(root(value)); }

 private:
  const ir::Value* root(const ir::Value* value) const;
  void join(const ir::Value* a, const ir::Value* b);
  void note(const ir::Node& node);

  mutable std::unordered_map<const ir::Value*, const ir::Value*> parents_;  // of those that are no root
  std::unordered_set<const ir::Value*> written_;                            // roots
};

}  // namespace tonnx::program
