#pragma once

#include <string>
#include <vector>

namespace tonnx::ir {

// The static type of a value, as in TorchScript. ONNX tensors are Tensor, ONNX sequences are List of Tensor.
struct Type {
  enum class Kind {
    Tensor,
    Int,
    Float,
    Bool,
    Complex,
    Number,
    String,
    None,
    Device,
    List,
    Tuple,
    Dict,
    Optional,
    Any,
    Object,
    Other,
  };

  Kind kind = Kind::Tensor;
  std::vector<Type> elements = {};  // List, Optional: one; Dict: key, value; Tuple: each
  std::string name = {};            // Object, Other: the qualified name

  static Type of(Kind kind) { return Type{kind, {}, {}}; }
  static Type list(Type element) { return Type{Kind::List, {std::move(element)}, {}}; }

  bool is(Kind k) const { return kind == k; }
  bool is_scalar() const {
    return kind == Kind::Int || kind == Kind::Float || kind == Kind::Bool || kind == Kind::Number;
  }
  bool is_number_list() const { return kind == Kind::List && !elements.empty() && elements[0].is_scalar(); }
  bool is_tensor_list() const { return kind == Kind::List && elements.at(0).kind == Kind::Tensor; }
  // The type itself, or the one that it is an option of.
  const Type& without_optional() const { return kind == Kind::Optional && !elements.empty() ? elements[0] : *this; }
  bool operator==(const Type&) const = default;
};

// "Tensor", "int[]", "(Tensor, int)", "str?" as in ATen schemas.
std::string to_string(const Type& type);

}  // namespace tonnx::ir
