#pragma once

#include <string>

namespace tonnx::aten {

// The reason to refuse an operator that writes to the tensors of a list.
inline std::string writes_to_list(const std::string& argument) {
  return "it writes to the tensors of the list '" + argument + "', which has no ONNX form; return new tensors instead";
}

}  // namespace tonnx::aten
