#pragma once

// Names within a function. Internal to src/onnx: includes protobuf headers.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/proto.h"

namespace tonnx::onnx {

// The names of a node's inputs, and of outer values that its blocks use. Names may repeat.
std::vector<std::string> names_read(const pb::NodeProto& node);

// Renames the values of a function by kind and order, so that functions that compute the same are equal.
class LocalNames {
 public:
  // Defines a name for `outer`: `wanted`, with a number appended if it is used already.
  const std::string& define(const std::string& outer, const std::string& wanted);
  // "" for "". Throws Error(Code::Internal) for a name that is not defined.
  const std::string& of(const std::string& outer) const;
  // Renames a node's inputs and results, and everything in its blocks. A result is named after the operator type, for a
  // call of a module (CallFunctions::add) after the class.
  void apply(pb::NodeProto& node);

 private:
  void apply(pb::GraphProto& graph);

  std::unordered_map<std::string, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_;
};

}  // namespace tonnx::onnx
