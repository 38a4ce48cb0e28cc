#pragma once

// Names within a function. Internal to src/onnx: it shows protobuf headers.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/proto.h"

namespace tonnx::onnx {

// The names of a node's inputs and of what its blocks take from around them. Names may repeat.
std::vector<std::string> names_read(const pb::NodeProto& node);

// Gives the values of a function names by kind and order, so that functions that do the same are equal.
class LocalNames {
 public:
  // A name for `outer`, `wanted` or, where that is taken, with a number.
  const std::string& define(const std::string& outer, const std::string& wanted);
  // "" for "". Throws Error(Code::Internal) for a name that is not defined.
  const std::string& of(const std::string& outer) const;
  // Names a node, its results and all in its blocks.
  void apply(pb::NodeProto& node);

 private:
  void apply(pb::GraphProto& graph);

  std::unordered_map<std::string, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_;
};

}  // namespace tonnx::onnx
