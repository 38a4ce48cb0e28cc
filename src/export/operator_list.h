#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lower/registry.h"

namespace tonnx::exporting {

// An operator that an export converts.
struct Conversion {
  std::string name;        // as lower::Registry::Entry
  std::int32_t since = 0;  // the first opset
  std::string_view kind;   // how, see list_operators
  bool is_custom = false;
};

// Returns every operator that an export converts, by name, then opset:
//   "lowering", "symbolic", "function"  the entries of the registry
//   "quantised"                         replaced by a pass, on quantised tensors
//   "write"                             replaced by the functional form: aten::add_.Tensor, aten::copy_
//   "container"                         lists, tuples and dicts, which passes replace by their items
//   "primitive"                         an operator of prims in a program of torch.export, read as one of aten
//   "constant"                          depends on types only
//   "string"                            on strings that are constant, or made by str() or format() and compared
std::vector<Conversion> list_operators(const lower::Registry& registry);

}  // namespace tonnx::exporting
