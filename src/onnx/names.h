#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::onnx {

// The name of every value of a graph, and of the copies of outer values that blocks give as their outputs: ONNX wants
// a sub-graph's outputs to be made in it. Throws Error(Code::Internal) if two values that see each other share one.
class Names {
 public:
  explicit Names(const ir::Graph& graph);

  // "" for a null value.
  const std::string& of(const ir::Value* value) const;
  // The name of the copy that the block gives as output i; null where the output is the block's own.
  const std::string* copy(const ir::Block& block, std::size_t i) const;

 private:
  void collect(const ir::Block& block);
  void name(const ir::Block& block);
  void name(const ir::Value& value);
  void name_copies(const ir::Block& block);
  std::string fresh();

  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> scope_;    // what the block under way sees
  std::vector<const std::string*> entered_;  // in order; into names_
  std::unordered_map<const ir::Value*, std::string> names_;
  std::unordered_map<const ir::Block*, std::vector<std::string>> copies_;
  std::size_t next_ = 0;
};

}  // namespace tonnx::onnx
