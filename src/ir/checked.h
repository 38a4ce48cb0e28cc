#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

// Integer arithmetic on values of a program. In C++ overflow is undefined, and an invalid division traps. Each
// operation has a checked form, which returns nullopt if the result is undefined or does not fit, or a wrapping form,
// which computes modulo 2^64 like LibTorch and ONNX Runtime, or both.
namespace tonnx::ir {

constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

constexpr std::optional<std::int64_t> checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

constexpr std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

constexpr std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

constexpr std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// INT64_MIN is its own negative and its own magnitude.
constexpr std::int64_t wrapping_negate(std::int64_t a) { return wrapping_subtract(0, a); }
constexpr std::int64_t wrapping_magnitude(std::int64_t a) { return a < 0 ? wrapping_negate(a) : a; }

// True if a / b does not trap: b is not 0, and the quotient fits.
template <std::integral Int>
constexpr bool can_divide(Int a, Int b) {
  if constexpr (std::signed_integral<Int>)
    if (b == -1 && a == std::numeric_limits<Int>::min()) return false;
  return b != 0;
}

// Rounds towards zero; the remainder has the sign of a. Nullopt if can_divide() is false.
constexpr std::optional<std::int64_t> checked_divide(std::int64_t a, std::int64_t b) {
  return can_divide(a, b) ? std::optional(a / b) : std::nullopt;
}

constexpr std::optional<std::int64_t> checked_remainder(std::int64_t a, std::int64_t b) {
  return can_divide(a, b) ? std::optional(a % b) : std::nullopt;
}

// Rounds down; the remainder has the sign of b, as in Python.
constexpr std::optional<std::int64_t> checked_floor_divide(std::int64_t a, std::int64_t b) {
  if (!can_divide(a, b)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

constexpr std::optional<std::int64_t> checked_floor_remainder(std::int64_t a, std::int64_t b) {
  if (!can_divide(a, b)) return std::nullopt;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Rounds up.
constexpr std::optional<std::int64_t> checked_ceil_divide(std::int64_t a, std::int64_t b) {
  if (!can_divide(a, b)) return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

// The number of elements of a tensor of these sizes. Nullopt if a size is negative, or if the product of the non-zero
// sizes does not fit: strides are such products.
constexpr std::optional<std::int64_t> checked_count(std::span<const std::int64_t> sizes) {
  std::int64_t product = 1;
  bool is_empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0 || (size > 0 && __builtin_mul_overflow(product, size, &product))) return std::nullopt;
    is_empty = is_empty || size == 0;
  }
  return is_empty ? 0 : product;
}

}  // namespace tonnx::ir
