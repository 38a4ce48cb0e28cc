#include "aten/primitives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace tonnx::aten {
namespace {

constexpr std::array kPrimitives{
    Primitive{"prims::amax", "aten::amax", "self=inp dim=dims"},
    Primitive{"prims::amin", "aten::amin", "self=inp dim=dims"},
    Primitive{"prims::as_strided", "aten::as_strided", "self=a"},
    Primitive{"prims::as_strided_scatter", "aten::as_strided_scatter", ""},
    Primitive{"prims::atan2", "aten::atan2", ""},
    Primitive{"prims::bessel_i0", "aten::i0", ""},
    Primitive{"prims::bessel_i0e", "aten::special_i0e", ""},
    Primitive{"prims::bessel_i1", "aten::special_i1", ""},
    Primitive{"prims::bessel_i1e", "aten::special_i1e", ""},
    Primitive{"prims::bessel_j0", "aten::special_bessel_j0", ""},
    Primitive{"prims::bessel_j1", "aten::special_bessel_j1", ""},
    Primitive{"prims::bitwise_and", "aten::bitwise_and.Tensor", ""},
    Primitive{"prims::bitwise_not", "aten::bitwise_not", ""},
    Primitive{"prims::bitwise_or", "aten::bitwise_or.Tensor", ""},
    Primitive{"prims::bitwise_xor", "aten::bitwise_xor.Tensor", ""},
    Primitive{"prims::cat", "aten::cat", ""},
    Primitive{"prims::clone", "aten::clone", ""},
    Primitive{"prims::collapse", "aten::flatten.using_ints", "self=a start_dim=start end_dim=end"},
    Primitive{"prims::collapse_view", "aten::flatten.using_ints", "self=a start_dim=start end_dim=end"},
    Primitive{"prims::conj", "aten::conj", "self=a"},
    Primitive{"prims::conj_physical", "aten::conj_physical", ""},
    Primitive{"prims::copy_to", "aten::copy_", "self=a src=b"},
    Primitive{"prims::digamma", "aten::digamma", ""},
    Primitive{"prims::empty", "aten::empty.memory_format", "size=shape"},
    Primitive{"prims::empty_permuted", "aten::empty_permuted", "size=shape"},
    Primitive{"prims::empty_strided", "aten::empty_strided", "size=shape stride=strides"},
    Primitive{"prims::erf_inv", "aten::erfinv", ""},
    Primitive{"prims::erfc", "aten::erfc", ""},
    Primitive{"prims::erfcx", "aten::special_erfcx", ""},
    Primitive{"prims::exp2", "aten::exp2", ""},
    Primitive{"prims::expm1", "aten::expm1", ""},
    Primitive{"prims::fft_c2c", "aten::_fft_c2c", "normalization:0"},
    Primitive{"prims::fft_c2r", "aten::_fft_c2r", "normalization:0"},
    Primitive{"prims::fft_r2c", "aten::_fft_r2c", "normalization:0"},
    Primitive{"prims::fill", "aten::fill.Scalar", ""},
    Primitive{"prims::fmax", "aten::fmax", ""},
    Primitive{"prims::fmin", "aten::fmin", ""},
    Primitive{"prims::fmod", "aten::fmod.Tensor", ""},
    Primitive{"prims::frexp", "aten::frexp.Tensor", ""},
    Primitive{"prims::full", "aten::full", "size=shape"},
    Primitive{"prims::full_like", "aten::full_like", "self=a"},
    Primitive{"prims::gcd", "aten::gcd", ""},
    Primitive{"prims::hypot", "aten::hypot", ""},
    Primitive{"prims::igamma", "aten::igamma", ""},
    Primitive{"prims::igammac", "aten::igammac", ""},
    Primitive{"prims::imag", "aten::imag", ""},
    Primitive{"prims::isfinite", "aten::isfinite", ""},
    Primitive{"prims::item", "aten::item", "self=a"},
    Primitive{"prims::lgamma", "aten::lgamma", ""},
    Primitive{"prims::log10", "aten::log10", ""},
    Primitive{"prims::log1p", "aten::log1p", ""},
    Primitive{"prims::log2", "aten::log2", ""},
    Primitive{"prims::maximum", "aten::maximum", ""},
    Primitive{"prims::minimum", "aten::minimum", ""},
    Primitive{"prims::ndtri", "aten::special_ndtri", ""},
    Primitive{"prims::nextafter", "aten::nextafter", ""},
    Primitive{"prims::normal", "aten::normal.float_float", "size=shape"},
    Primitive{"prims::real", "aten::real", ""},
    Primitive{"prims::reciprocal", "aten::reciprocal", ""},
    Primitive{"prims::rev", "aten::flip", "self=a"},
    Primitive{"prims::rsqrt", "aten::rsqrt", ""},
    Primitive{"prims::scalar_tensor", "aten::scalar_tensor", ""},
    Primitive{"prims::shift_left", "aten::bitwise_left_shift.Tensor", ""},
    Primitive{"prims::shift_right_arithmetic", "aten::bitwise_right_shift.Tensor", ""},
    Primitive{"prims::sign", "aten::sign", ""},
    Primitive{"prims::signbit", "aten::signbit", ""},
    Primitive{"prims::spherical_bessel_j0", "aten::special_spherical_bessel_j0", "x=self"},
    Primitive{"prims::svd", "aten::linalg_svd", ""},
    Primitive{"prims::trunc", "aten::trunc", ""},
    Primitive{"prims::view_of", "aten::alias", "self=a"},
    Primitive{"prims::view_of_dtype", "aten::view.dtype", "self=a"},
    Primitive{"prims::zeta", "aten::special_zeta", ""},
};

}  // namespace

std::string_view Primitive::entry(std::string_view argument, char separator) const {
  for (std::size_t begin = 0; begin < arguments.size();) {
    const std::size_t end = std::min(arguments.find(' ', begin), arguments.size());
    const std::string_view pair = arguments.substr(begin, end - begin);
    const std::size_t middle = pair.find(separator);
    if (middle != std::string_view::npos && pair.substr(0, middle) == argument) return pair.substr(middle + 1);
    begin = end + 1;
  }
  return {};
}

std::string_view Primitive::own(std::string_view argument) const {
  const std::string_view other = entry(argument, '=');
  return other.empty() ? argument : other;
}

std::optional<std::int64_t> Primitive::fixed(std::string_view argument) const {
  const std::string_view digits = entry(argument, ':');
  std::int64_t value = 0;
  if (digits.empty() || std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

std::span<const Primitive> primitives() { return kPrimitives; }

const Primitive* find_primitive(std::string_view name) {
  const auto found = std::ranges::find(kPrimitives, name, &Primitive::name);
  return found == kPrimitives.end() ? nullptr : &*found;
}

}  // namespace tonnx::aten
