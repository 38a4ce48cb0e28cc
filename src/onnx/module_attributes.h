#pragma once

// Merges the functions of module calls. Internal to src/onnx: includes protobuf headers.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "onnx/proto.h"

namespace tonnx::onnx {

// The domain of functions made from modules whose Python module is unknown; version 1. Until they are merged, all calls
// have it.
inline constexpr const char* kModuleDomain = "tonnx.modules";

// The functions of all module calls of a model, one for each call until they are merged. Calls of one class whose
// functions are equal but for values of attributes share a function: these become attributes of it, "inferred::NAME",
// to which the nodes of its body refer, and each call sets them.
class CallFunctions {
 public:
  // Adds the function of a call, after those that it calls. `attributes` are set by the call and unused. Returns the
  // operator type of the call until `merge`: the class and an index, "net.Block#3".
  std::string add(pb::FunctionProto function, const std::string& type, std::vector<pb::AttributeProto> attributes);
  bool empty() const { return calls_.empty(); }
  // Adds the merged functions to the model, in the order of their first calls, with a name made of the class in the
  // domain of its Python module, and completes the calls in the model's graph. Imports the domains at version 1.
  void merge(pb::ModelProto& model);

 private:
  struct Call {
    pb::FunctionProto function;
    std::string type;
    std::size_t height = 0;  // 0: calls no other function
    std::size_t group = 0;
    std::vector<pb::AttributeProto> arguments;
  };
  struct Group {
    std::vector<std::size_t> calls;
    std::string domain;  // the Python module of the class
    std::string name;
  };

  Call& called_by(const pb::NodeProto& node);
  void complete(pb::NodeProto& node);
  void group_calls(std::size_t height);
  void find_attributes(const Group& group);
  void name_groups(const pb::ModelProto& model);
  void import_domains(pb::FunctionProto& function) const;

  std::vector<Call> calls_;
  std::vector<Group> groups_;
};

}  // namespace tonnx::onnx
