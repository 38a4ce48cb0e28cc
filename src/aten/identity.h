#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tonnx::aten {

// Tests whether two values are the same object; in programs, `x is None` and `x is not None`.
enum class Identity { None, Is, IsNot };

// The test of this operator.
inline Identity identity_of(std::string_view op) {
  return op == "aten::__is__" ? Identity::Is : op == "aten::__isnot__" ? Identity::IsNot : Identity::None;
}

// True if the operator of this name, including the overload, returns its first argument itself if there is nothing to
// do, else a new tensor with the same storage.
inline bool may_give_argument(std::string_view full_name) {
  static constexpr std::array kNames = {
      std::string_view("aten::atleast_1d"),         std::string_view("aten::atleast_2d"),
      std::string_view("aten::atleast_3d"),         std::string_view("aten::conj"),
      std::string_view("aten::flatten.using_ints"), std::string_view("aten::real"),
      std::string_view("aten::sum_to_size"),        std::string_view("aten::view.dtype")};
  return std::ranges::find(kNames, full_name) != kNames.end();
}

// The operand that determines the result of the operator of this name, whatever the other operand is.
inline std::optional<bool> deciding_bool(std::string_view op) {
  if (op == "aten::__and__") return false;
  return op == "aten::__or__" ? std::optional(true) : std::nullopt;
}

}  // namespace tonnx::aten
