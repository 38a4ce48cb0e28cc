#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::ir {

// A type as an ONNX attribute value (TypeProto).
struct TypeAttribute {
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;  // -1: unknown
  bool has_rank = false;
  bool is_sequence = false;
};

// An ONNX attribute value. Graph attributes are blocks of a node instead (see Node::add_block).
using Attribute = std::variant<std::int64_t, double, std::string, Tensor, std::vector<std::int64_t>,
                               std::vector<double>, std::vector<std::string>, std::vector<Tensor>, TypeAttribute>;

struct NamedAttribute {
  std::string name;
  Attribute value;
};

}  // namespace tonnx::ir
