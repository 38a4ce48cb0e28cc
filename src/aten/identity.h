#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tonnx::aten {

// Questions whether two values are one object, in programs None or something.
enum class Identity { None, Is, IsNot };

// What the operator of this name asks.
inline Identity identity_of(std::string_view op) {
  return op == "aten::__is__" ? Identity::Is : op == "aten::__isnot__" ? Identity::IsNot : Identity::None;
}

// Whether the operator of this name, overload included, gives its first argument itself where nothing is to be done,
// and else another tensor of its memory.
inline bool may_give_argument(std::string_view full_name) {
  static constexpr std::array kNames = {
      std::string_view("aten::atleast_1d"),         std::string_view("aten::atleast_2d"),
      std::string_view("aten::atleast_3d"),         std::string_view("aten::conj"),
      std::string_view("aten::flatten.using_ints"), std::string_view("aten::real"),
      std::string_view("aten::sum_to_size"),        std::string_view("aten::view.dtype")};
  return std::ranges::find(kNames, full_name) != kNames.end();
}

// The bool that decides the result of the operator of this name, whatever the other one is.
inline std::optional<bool> deciding_bool(std::string_view op) {
  if (op == "aten::__and__") return false;
  return op == "aten::__or__" ? std::optional(true) : std::nullopt;
}

}  // namespace tonnx::aten
