#pragma once

// Calls of the host's functions. Internal to src/onnx: includes protobuf headers.

#include <map>
#include <set>
#include <string>
#include <string_view>

#include <onnx/shape_inference/implementation.h>

#include "ir/function.h"
#include "ir/opset.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// Imports the default domain at this opset.
void set_opset(pb::FunctionProto& function, int opset);

// The functions that nodes of a graph can call, prepared for type and shape inference.
class FunctionCalls {
 public:
  FunctionCalls(const ir::Functions& functions, int opset);

  // Checks a call and refines the facts of its outputs as ONNX infers them from the body. Adds outputs that it lacks,
  // because ONNX Runtime infers types only if a call in a sub-graph has all of them. Returns false if the node is
  // not a call. Throws ir::InvalidNode for wrong inputs, outputs or attributes, and Error(Code::Unsupported) if the
  // function does not fit the opset.
  bool infer(ir::Node& node, const ir::Opset& opset) const;

 private:
  struct Entry {
    ir::FunctionPtr function;
    pb::FunctionProto body;
    bool is_closed = true;  // the types of all its values can be inferred: it uses operators of ONNX only
  };
  bool find_if_closed(const std::string& name, std::set<std::string>& seen);

  std::map<std::string, Entry, std::less<>> entries_;
  pb::shape_inference::ModelLocalFunctionsMap by_id_;
};

}  // namespace tonnx::onnx
