#pragma once

#include <string_view>

namespace tonnx::aten {

// Questions whether two values are one object, in programs None or something.
enum class Identity { None, Is, IsNot };

// What the operator of this name asks.
inline Identity identity_of(std::string_view op) {
  return op == "aten::__is__" ? Identity::Is : op == "aten::__isnot__" ? Identity::IsNot : Identity::None;
}

}  // namespace tonnx::aten
