#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tonnx::ir {

// An ONNX function that the host provides (FunctionProto). A node of its domain and name is a call.
struct Function {
  // The type that the body needs for an attribute; Any if the body does not refer to it.
  enum class Kind { Any, Int, Float, String, Ints, Floats, Strings, Tensor, Other };
  struct Parameter {
    std::string name;
    Kind kind = Kind::Any;
    bool has_default = false;
  };

  std::string domain, name;
  std::vector<std::string> inputs, outputs;
  std::vector<Parameter> parameters;  // attributes
  std::set<std::string> operators;    // "domain::name" of the body's nodes outside the default domain
  // The opset of the default domain that the body imports, or 0, and those at which its operators are the same.
  std::int32_t opset = 0, oldest = 0, newest = 0;
  std::string older, newer;  // operators that differ below `oldest` and above `newest`; empty if none does
  std::string message;       // FunctionProto

  std::string full_name() const { return domain + "::" + name; }
};

using FunctionPtr = std::shared_ptr<const Function>;
using Functions = std::map<std::string, FunctionPtr, std::less<>>;  // by full name

}  // namespace tonnx::ir
