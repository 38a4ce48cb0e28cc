#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/error.h"
#include "ir/tensor.h"

namespace tonnx::ir {
namespace {

// A binary floating-point format of at most 16 bits with a sign bit on top.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  std::uint16_t largest;   // bits of the largest finite number
  std::uint16_t overflow;  // bits for all larger numbers: infinity, or NaN if the format has none
  std::uint16_t nan;
  bool negative_zero = true;  // false: the bits of -0 are the only NaN
};

constexpr Format kHalf{5, 10, 15, 0x7bff, 0x7c00, 0x7e00};
constexpr Format kBFloat16{8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0};
constexpr Format kE5M2{5, 2, 15, 0x7b, 0x7c, 0x7f};
constexpr Format kE4M3FN{4, 3, 7, 0x7e, 0x7f, 0x7f};
constexpr Format kE5M2FNUZ{5, 2, 16, 0x7f, 0x80, 0x80, false};
constexpr Format kE4M3FNUZ{4, 3, 8, 0x7f, 0x80, 0x80, false};

constexpr std::uint16_t sign_bit(const Format& f) {
  return static_cast<std::uint16_t>(1u << (f.exponent_bits + f.mantissa_bits));
}

std::uint16_t encode(const Format& f, double value) {
  const std::uint16_t sign = std::signbit(value) ? sign_bit(f) : std::uint16_t{0};
  if (std::isnan(value)) return f.negative_zero ? sign | f.nan : f.nan;
  const double magnitude = std::fabs(value);
  std::uint32_t bits = 0;
  if (std::isinf(magnitude)) {
    bits = f.overflow;
  } else if (magnitude > 0) {
    int exponent = std::ilogb(magnitude);
    if (exponent > f.bias + 1) exponent = f.bias + 1;
    if (exponent < 1 - f.bias) exponent = 1 - f.bias;
    const double scaled = std::ldexp(magnitude, f.mantissa_bits - exponent);
    if (scaled >= 65536) {
      bits = f.overflow;
    } else {
      auto digits = static_cast<std::uint32_t>(scaled);
      const double rest = scaled - digits;
      if (rest > 0.5 || (rest == 0.5 && (digits & 1))) ++digits;
      // A carry out of the mantissa increments the exponent.
      bits = (static_cast<std::uint32_t>(exponent + f.bias - 1) << f.mantissa_bits) + digits;
      if (bits > f.largest) bits = f.overflow;
    }
  }
  if (!f.negative_zero) return static_cast<std::uint16_t>(bits == 0 || bits == f.nan ? bits : sign | bits);
  return static_cast<std::uint16_t>(sign | bits);
}

double decode(const Format& f, std::uint16_t bits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::uint16_t sign = sign_bit(f);
  if (!f.negative_zero && bits == f.nan) return kNan;
  const auto rest = static_cast<std::uint16_t>(bits & (sign - 1));
  double magnitude;
  if (rest > f.largest) {
    magnitude = rest == f.overflow && f.overflow != f.nan ? std::numeric_limits<double>::infinity() : kNan;
  } else {
    const int exponent = rest >> f.mantissa_bits;
    const int mantissa = rest & ((1 << f.mantissa_bits) - 1);
    magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
                              : std::ldexp(mantissa + (1 << f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
  }
  return bits & sign ? -magnitude : magnitude;
}

const Format* format_of(DType dtype) {
  switch (dtype) {
    case DType::Float16: return &kHalf;
    case DType::BFloat16: return &kBFloat16;
    case DType::Float8E5M2: return &kE5M2;
    case DType::Float8E4M3FN: return &kE4M3FN;
    case DType::Float8E5M2FNUZ: return &kE5M2FNUZ;
    case DType::Float8E4M3FNUZ: return &kE4M3FNUZ;
    default: return nullptr;
  }
}

template <class T>
void put(std::byte* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
T take(const std::byte* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

[[noreturn]] void no_number_form(DType dtype) {
  throw Error(Code::Internal, "an element of dtype " + std::string(name_of(dtype)) + " is not a number");
}

// Rounds towards zero; clamps to the range; NaN becomes 0.
std::int64_t truncate(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  if (value < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

void store_format(const Format& f, DType dtype, double value, std::byte* out) {
  const std::uint16_t bits = encode(f, value);
  if (size_of(dtype) == 1) {
    put(out, static_cast<std::uint8_t>(bits));
  } else {
    put(out, bits);
  }
}

}  // namespace

void store(DType dtype, double value, std::byte* out) {
  if (const Format* f = format_of(dtype)) return store_format(*f, dtype, value, out);
  switch (dtype) {
    case DType::Float32: return put(out, static_cast<float>(value));
    case DType::Float64: return put(out, value);
    case DType::Bool: return put(out, static_cast<std::uint8_t>(value != 0));
    case DType::UInt64:
      if (value >= 0x1p63) {
        return put(out, value >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(value));
      }
      return put(out, truncate(value));
    case DType::Complex32: {
      put(out, encode(kHalf, value));
      return put(out + 2, std::uint16_t{0});
    }
    case DType::Complex64: {
      put(out, static_cast<float>(value));
      return put(out + 4, 0.0f);
    }
    case DType::Complex128: {
      put(out, value);
      return put(out + 8, 0.0);
    }
    default: break;
  }
  if (!is_integral(dtype)) no_number_form(dtype);
  store(dtype, truncate(value), out);
}

void store(DType dtype, std::int64_t value, std::byte* out) {
  switch (dtype) {
    case DType::UInt8: return put(out, static_cast<std::uint8_t>(value));
    case DType::Int8: return put(out, static_cast<std::int8_t>(value));
    case DType::Int16: return put(out, static_cast<std::int16_t>(value));
    case DType::UInt16: return put(out, static_cast<std::uint16_t>(value));
    case DType::Int32: return put(out, static_cast<std::int32_t>(value));
    case DType::UInt32: return put(out, static_cast<std::uint32_t>(value));
    case DType::Int64:
    case DType::UInt64: return put(out, value);
    case DType::Bool: return put(out, static_cast<std::uint8_t>(value != 0));
    case DType::Float32: return put(out, static_cast<float>(value));
    default: return store(dtype, static_cast<double>(value), out);
  }
}

double load_double(DType dtype, const std::byte* in) {
  if (const Format* f = format_of(dtype)) {
    return decode(*f, size_of(dtype) == 1 ? take<std::uint8_t>(in) : take<std::uint16_t>(in));
  }
  switch (dtype) {
    case DType::Float32: return take<float>(in);
    case DType::Float64: return take<double>(in);
    case DType::UInt64: return static_cast<double>(take<std::uint64_t>(in));
    default: return static_cast<double>(load_int64(dtype, in));
  }
}

std::int64_t load_int64(DType dtype, const std::byte* in) {
  switch (dtype) {
    case DType::UInt8: return take<std::uint8_t>(in);
    case DType::Int8: return take<std::int8_t>(in);
    case DType::Int16: return take<std::int16_t>(in);
    case DType::UInt16: return take<std::uint16_t>(in);
    case DType::Int32: return take<std::int32_t>(in);
    case DType::UInt32: return take<std::uint32_t>(in);
    case DType::Int64:
    case DType::UInt64: return take<std::int64_t>(in);
    case DType::Bool: return take<std::uint8_t>(in) != 0;
    default: break;
  }
  if (!is_floating(dtype)) no_number_form(dtype);
  return truncate(load_double(dtype, in));
}

}  // namespace tonnx::ir
