#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Operators that TorchScript source calls as ops.DOMAIN.NAME.
namespace tonnx::torch {

struct NamedOperator {
  std::string name;      // "my_ops::thing"
  std::size_t line = 0;  // of its first call, from 1
};

// Returns the operators of the source that no library and no schema has registered, and that tonnx does not register
// itself (known_operators.h): without duplicates, in order. Returns nothing if the source cannot be read.
std::vector<NamedOperator> unknown_operators(const std::string& source);

}  // namespace tonnx::torch
