#pragma once

#include <string>
#include <vector>

#include "exported/call_spec.h"
#include "exported/json_writer.h"

namespace tonnx::exported {

// "float32[batch, 4]"
std::string text_of(const ir::Facts& facts);

// Returns the tensors of those leaves of a tree that are values of the program; null in `given` is a leaf without a
// value. `what` begins messages. Throws Error(Code::Argument) if a value is missing, does not fit its leaf, or differs
// from a fixed constant.
std::vector<ir::Tensor> tensors_of(const std::vector<Leaf>& leaves, const std::vector<const ir::Constant*>& given,
                                   const std::string& what);

// Writes a LeafTree as JSON. Leaves have the names in `names`, one for each value of the program, or their fixed
// constants. The arguments must outlive this.
class LeafWriter {
 public:
  LeafWriter(const LeafTree& tree, const std::vector<std::string>& names, const char* leaf_key, JsonWriter& writer)
      : leaves_(tree.leaves), names_(names), key_(leaf_key), writer_(writer) {}

  // Writes a node of the tree. The nodes must be written in the order of the tree.
  void write(const Json& node);

 private:
  void write(const Leaf& leaf);

  const std::vector<Leaf>& leaves_;
  const std::vector<std::string>& names_;
  const char* key_;
  JsonWriter& writer_;
  std::size_t leaf_ = 0;
  std::size_t value_ = 0;
};

}  // namespace tonnx::exported
