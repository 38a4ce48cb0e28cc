#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "ir/type.h"

namespace tonnx::ir {

// The schema of an operator of the torch dialect, from LibTorch's dispatcher or a .pt2 archive.
struct Argument {
  std::string name;
  Type type;
  std::optional<Constant> default_value;
  std::string alias_set;  // "a" in Tensor(a!); "*" for the wildcard; empty: no alias
  bool is_write = false;  // the operator writes to it
};

struct Schema {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor"; may be empty
  std::vector<Argument> arguments;
  std::vector<Argument> returns;
  bool is_vararg = false;

  // "aten::add.Tensor"
  std::string full_name() const { return overload.empty() ? name : name + "." + overload; }
  // Position of an argument, or -1.
  int index_of(std::string_view argument) const;
};

using SchemaPtr = std::shared_ptr<const Schema>;

}  // namespace tonnx::ir
