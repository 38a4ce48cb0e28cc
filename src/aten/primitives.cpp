#include "aten/primitives.h"

#include <algorithm>
#include <array>

namespace tonnx::aten {
namespace {

constexpr std::array kPrimitives{
    Primitive{"prims::amax", "aten::amax", "self=inp dim=dims"},
    Primitive{"prims::amin", "aten::amin", "self=inp dim=dims"},
    Primitive{"prims::atan2", "aten::atan2", ""},
    Primitive{"prims::bitwise_and", "aten::bitwise_and.Tensor", ""},
    Primitive{"prims::bitwise_not", "aten::bitwise_not", ""},
    Primitive{"prims::bitwise_or", "aten::bitwise_or.Tensor", ""},
    Primitive{"prims::bitwise_xor", "aten::bitwise_xor.Tensor", ""},
    Primitive{"prims::cat", "aten::cat", ""},
    Primitive{"prims::clone", "aten::clone", ""},
    Primitive{"prims::collapse", "aten::flatten.using_ints", "self=a start_dim=start end_dim=end"},
    Primitive{"prims::collapse_view", "aten::flatten.using_ints", "self=a start_dim=start end_dim=end"},
    Primitive{"prims::digamma", "aten::digamma", ""},
    Primitive{"prims::empty_strided", "aten::empty_strided", "size=shape stride=strides"},
    Primitive{"prims::erf_inv", "aten::erfinv", ""},
    Primitive{"prims::erfc", "aten::erfc", ""},
    Primitive{"prims::exp2", "aten::exp2", ""},
    Primitive{"prims::expm1", "aten::expm1", ""},
    Primitive{"prims::fmax", "aten::fmax", ""},
    Primitive{"prims::fmin", "aten::fmin", ""},
    Primitive{"prims::fmod", "aten::fmod.Tensor", ""},
    Primitive{"prims::full", "aten::full", "size=shape"},
    Primitive{"prims::full_like", "aten::full_like", "self=a"},
    Primitive{"prims::gcd", "aten::gcd", ""},
    Primitive{"prims::hypot", "aten::hypot", ""},
    Primitive{"prims::isfinite", "aten::isfinite", ""},
    Primitive{"prims::lgamma", "aten::lgamma", ""},
    Primitive{"prims::log10", "aten::log10", ""},
    Primitive{"prims::log1p", "aten::log1p", ""},
    Primitive{"prims::log2", "aten::log2", ""},
    Primitive{"prims::maximum", "aten::maximum", ""},
    Primitive{"prims::minimum", "aten::minimum", ""},
    Primitive{"prims::reciprocal", "aten::reciprocal", ""},
    Primitive{"prims::rev", "aten::flip", "self=a"},
    Primitive{"prims::rsqrt", "aten::rsqrt", ""},
    Primitive{"prims::scalar_tensor", "aten::scalar_tensor", ""},
    Primitive{"prims::shift_left", "aten::bitwise_left_shift.Tensor", ""},
    Primitive{"prims::shift_right_arithmetic", "aten::bitwise_right_shift.Tensor", ""},
    Primitive{"prims::sign", "aten::sign", ""},
    Primitive{"prims::signbit", "aten::signbit", ""},
    Primitive{"prims::trunc", "aten::trunc", ""},
    Primitive{"prims::view_of", "aten::alias", "self=a"},
};

}  // namespace

std::string_view Primitive::own(std::string_view argument) const {
  for (std::size_t begin = 0; begin < arguments.size();) {
    const std::size_t end = std::min(arguments.find(' ', begin), arguments.size());
    const std::string_view pair = arguments.substr(begin, end - begin);
    const std::size_t middle = pair.find('=');
    if (pair.substr(0, middle) == argument) return pair.substr(middle + 1);
    begin = end + 1;
  }
  return argument;
}

std::span<const Primitive> primitives() { return kPrimitives; }

const Primitive* find_primitive(std::string_view name) {
  const auto found = std::ranges::find(kPrimitives, name, &Primitive::name);
  return found == kPrimitives.end() ? nullptr : &*found;
}

}  // namespace tonnx::aten
