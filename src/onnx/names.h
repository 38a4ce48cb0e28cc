#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::onnx {

// The name of every value of a graph. Throws Error(Code::Internal) if two values that see each other share one.
class Names {
 public:
  explicit Names(const ir::Graph& graph);

  // "" for a null value.
  const std::string& of(const ir::Value* value) const;

 private:
  void collect(const ir::Block& block);
  void name(const ir::Block& block);
  void name(const ir::Value& value);

  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> scope_;   // what the block under way sees
  std::vector<const std::string*> entered_; // in order; into names_
  std::unordered_map<const ir::Value*, std::string> names_;
  std::size_t next_ = 0;
};

}  // namespace tonnx::onnx
