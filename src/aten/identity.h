#pragma once

#include <optional>
#include <string_view>

namespace tonnx::aten {

// Questions whether two values are one object, in programs None or something.
enum class Identity { None, Is, IsNot };

// What the operator of this name asks.
inline Identity identity_of(std::string_view op) {
  return op == "aten::__is__" ? Identity::Is : op == "aten::__isnot__" ? Identity::IsNot : Identity::None;
}

// The bool that decides the result of the operator of this name, whatever the other one is.
inline std::optional<bool> deciding_bool(std::string_view op) {
  if (op == "aten::__and__") return false;
  return op == "aten::__or__" ? std::optional(true) : std::nullopt;
}

}  // namespace tonnx::aten
