#include "ir/type.h"

#include "ir/text.h"

namespace tonnx::ir {
namespace {

// An unknown element type (of an empty list or dict) prints as Any.
std::string element(const Type& type, std::size_t i) {
  return i < type.elements.size() ? to_string(type.elements[i]) : "Any";
}

}  // namespace

std::string to_string(const Type& type) {
  using Kind = Type::Kind;
  switch (type.kind) {
    case Kind::Tensor: return "Tensor";
    case Kind::Int: return "int";
    case Kind::Float: return "float";
    case Kind::Bool: return "bool";
    case Kind::Complex: return "complex";
    case Kind::Number: return "Scalar";
    case Kind::String: return "str";
    case Kind::None: return "NoneType";
    case Kind::Device: return "Device";
    case Kind::List: return element(type, 0) + "[]";
    case Kind::Optional: return element(type, 0) + "?";
    case Kind::Dict: return "Dict(" + element(type, 0) + ", " + element(type, 1) + ")";
    case Kind::Tuple: {
      return "(" + comma_list(type.elements, [](const Type& item) { return to_string(item); }) + ")";
    }
    case Kind::Any: return "Any";
    case Kind::Object:
    case Kind::Other: break;
  }
  return type.name.empty() ? "Other" : type.name;
}

}  // namespace tonnx::ir
