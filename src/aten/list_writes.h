#pragma once

#include <string>

namespace tonnx::aten {

// Why an operator that writes to the tensors of a list is refused.
inline std::string writes_to_list(const std::string& argument) {
  return "it writes to the tensors of the list '" + argument + "', which no model can; have it return new tensors";
}

}  // namespace tonnx::aten
