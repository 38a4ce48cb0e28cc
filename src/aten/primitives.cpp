#include "aten/primitives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace tonnx::aten {
namespace {

constexpr std::array kPrimitives{
    Primitive{"prims::abs", "aten::abs", ""},
    Primitive{"prims::acos", "aten::acos", ""},
    Primitive{"prims::acosh", "aten::acosh", ""},
    Primitive{"prims::add", "aten::add.Tensor", ""},
    Primitive{"prims::amax", "aten::amax", "self=inp dim=dims"},
    Primitive{"prims::amin", "aten::amin", "self=inp dim=dims"},
    Primitive{"prims::as_strided", "aten::as_strided", "self=a"},
    Primitive{"prims::as_strided_scatter", "aten::as_strided_scatter", ""},
    Primitive{"prims::asin", "aten::asin", ""},
    Primitive{"prims::asinh", "aten::asinh", ""},
    Primitive{"prims::atan", "aten::atan", ""},
    Primitive{"prims::atan2", "aten::atan2", ""},
    Primitive{"prims::atanh", "aten::atanh", ""},
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
    Primitive{"prims::ceil", "aten::ceil", ""},
    Primitive{"prims::clone", "aten::clone", ""},
    Primitive{"prims::collapse", "aten::flatten.using_ints", "self=a start_dim=start end_dim=end"},
    Primitive{"prims::collapse_view", "aten::flatten.using_ints", "self=a start_dim=start end_dim=end"},
    Primitive{"prims::conj", "aten::conj", "self=a"},
    Primitive{"prims::conj_physical", "aten::conj_physical", ""},
    Primitive{"prims::convert_element_type", "aten::_to_copy", "self=a"},
    Primitive{"prims::copy_to", "aten::copy_", "self=a src=b"},
    Primitive{"prims::cos", "aten::cos", ""},
    Primitive{"prims::cosh", "aten::cosh", ""},
    Primitive{"prims::device_put", "aten::_to_copy", "self=a"},
    Primitive{"prims::digamma", "aten::digamma", ""},
    Primitive{"prims::div", "aten::div.Tensor", ""},
    Primitive{"prims::empty", "aten::empty.memory_format", "size=shape"},
    Primitive{"prims::empty_permuted", "aten::empty_permuted", "size=shape"},
    Primitive{"prims::empty_strided", "aten::empty_strided", "size=shape stride=strides"},
    Primitive{"prims::eq", "aten::eq.Tensor", ""},
    Primitive{"prims::erf", "aten::erf", ""},
    Primitive{"prims::erf_inv", "aten::erfinv", ""},
    Primitive{"prims::erfc", "aten::erfc", ""},
    Primitive{"prims::erfcx", "aten::special_erfcx", ""},
    Primitive{"prims::exp", "aten::exp", ""},
    Primitive{"prims::exp2", "aten::exp2", ""},
    Primitive{"prims::expm1", "aten::expm1", ""},
    Primitive{"prims::fft_c2c", "aten::_fft_c2c", "normalization:0"},
    Primitive{"prims::fft_c2r", "aten::_fft_c2r", "normalization:0"},
    Primitive{"prims::fft_r2c", "aten::_fft_r2c", "normalization:0"},
    Primitive{"prims::fill", "aten::fill.Scalar", ""},
    Primitive{"prims::floor", "aten::floor", ""},
    Primitive{"prims::fmax", "aten::fmax", ""},
    Primitive{"prims::fmin", "aten::fmin", ""},
    Primitive{"prims::fmod", "aten::fmod.Tensor", ""},
    Primitive{"prims::frexp", "aten::frexp.Tensor", ""},
    Primitive{"prims::full", "aten::full", "size=shape"},
    Primitive{"prims::full_like", "aten::full_like", "self=a"},
    Primitive{"prims::gcd", "aten::gcd", ""},
    Primitive{"prims::ge", "aten::ge.Tensor", ""},
    Primitive{"prims::gt", "aten::gt.Tensor", ""},
    Primitive{"prims::hypot", "aten::hypot", ""},
    Primitive{"prims::igamma", "aten::igamma", ""},
    Primitive{"prims::igammac", "aten::igammac", ""},
    Primitive{"prims::imag", "aten::imag", ""},
    Primitive{"prims::isfinite", "aten::isfinite", ""},
    Primitive{"prims::item", "aten::item", "self=a"},
    Primitive{"prims::le", "aten::le.Tensor", ""},
    Primitive{"prims::lgamma", "aten::lgamma", ""},
    Primitive{"prims::log", "aten::log", ""},
    Primitive{"prims::log10", "aten::log10", ""},
    Primitive{"prims::log1p", "aten::log1p", ""},
    Primitive{"prims::log2", "aten::log2", ""},
    Primitive{"prims::lt", "aten::lt.Tensor", ""},
    Primitive{"prims::maximum", "aten::maximum", ""},
    Primitive{"prims::minimum", "aten::minimum", ""},
    Primitive{"prims::mul", "aten::mul.Tensor", ""},
    Primitive{"prims::ndtri", "aten::special_ndtri", ""},
    Primitive{"prims::ne", "aten::ne.Tensor", ""},
    Primitive{"prims::neg", "aten::neg", ""},
    Primitive{"prims::nextafter", "aten::nextafter", ""},
    Primitive{"prims::normal", "aten::normal.float_float", "size=shape"},
    Primitive{"prims::pow", "aten::pow.Tensor_Tensor", "exponent=other"},
    Primitive{"prims::real", "aten::real", ""},
    Primitive{"prims::reciprocal", "aten::reciprocal", ""},
    Primitive{"prims::remainder", "aten::remainder.Tensor", ""},
    Primitive{"prims::reshape", "aten::reshape", "self=a"},
    Primitive{"prims::rev", "aten::flip", "self=a"},
    Primitive{"prims::round", "aten::round", ""},
    Primitive{"prims::rsqrt", "aten::rsqrt", ""},
    Primitive{"prims::scalar_tensor", "aten::scalar_tensor", ""},
    Primitive{"prims::shift_left", "aten::bitwise_left_shift.Tensor", ""},
    Primitive{"prims::shift_right_arithmetic", "aten::bitwise_right_shift.Tensor", ""},
    Primitive{"prims::sign", "aten::sign", ""},
    Primitive{"prims::signbit", "aten::signbit", ""},
    Primitive{"prims::sin", "aten::sin", ""},
    Primitive{"prims::sinh", "aten::sinh", ""},
    Primitive{"prims::spherical_bessel_j0", "aten::special_spherical_bessel_j0", "x=self"},
    Primitive{"prims::sqrt", "aten::sqrt", ""},
    Primitive{"prims::squeeze", "aten::squeeze.dims", "self=a dim=dimensions"},
    Primitive{"prims::sub", "aten::sub.Tensor", ""},
    Primitive{"prims::svd", "aten::linalg_svd", ""},
    Primitive{"prims::tan", "aten::tan", ""},
    Primitive{"prims::tanh", "aten::tanh", ""},
    Primitive{"prims::transpose", "aten::permute", "self=a dims=permutation"},
    Primitive{"prims::trunc", "aten::trunc", ""},
    Primitive{"prims::var", "aten::var.correction", "self=inp dim=dims"},
    Primitive{"prims::view_of", "aten::alias", "self=a"},
    Primitive{"prims::view_of_dtype", "aten::view.dtype", "self=a"},
    Primitive{"prims::where", "aten::where.self", "condition=pred self=a other=b"},
    Primitive{"prims::zeta", "aten::special_zeta", ""},
};

constexpr std::array kComposed{
    Primitive{"prims::broadcast_in_dim", "aten::expand", ""},
    Primitive{"prims::cbrt", "aten::copysign.Tensor", ""},
    Primitive{"prims::copy_strided", "aten::clone", ""},
    Primitive{"prims::iota", "aten::arange", ""},
    Primitive{"prims::prod", "aten::prod", ""},
    Primitive{"prims::resize", "aten::reshape", ""},
    Primitive{"prims::split_dim", "aten::unflatten.int", ""},
    Primitive{"prims::sum", "aten::sum.dim_IntList", ""},
    Primitive{"prims::uniform", "aten::uniform", ""},
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
std::span<const Primitive> composed_primitives() { return kComposed; }

const Primitive* find_primitive(std::string_view name) {
  const auto found = std::ranges::find(kPrimitives, name, &Primitive::name);
  return found == kPrimitives.end() ? nullptr : &*found;
}

}  // namespace tonnx::aten
