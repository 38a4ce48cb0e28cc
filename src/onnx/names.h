#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::onnx {

// The names of all values of a graph, and of copies of outer values that are block outputs: ONNX requires a subgraph's
// outputs to be made in it. Throws Error(Code::Internal) if two values visible to each other have the same name.
class Names {
 public:
  explicit Names(const ir::Graph& graph);

  // "" for a null value.
  const std::string& of(const ir::Value* value) const;
  // The name of the copy for output i of the block; null if the output is made in the block.
  const std::string* copy(const ir::Block& block, std::size_t i) const;

 private:
  void collect(const ir::Block& block);
  void name(const ir::Block& block);
  void name(const ir::Value& value);
  void name_copies(const ir::Block& block);
  std::string fresh();

  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> scope_;    // names visible in the current block
  std::vector<const std::string*> entered_;  // in order; pointers into names_
  std::unordered_map<const ir::Value*, std::string> names_;
  std::unordered_map<const ir::Block*, std::vector<std::string>> copies_;
  std::size_t next_ = 0;
};

}  // namespace tonnx::onnx
