#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "ir/tensor.h"

namespace tonnx::ir {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double round_trip(DType dtype, double value) {
  std::array<std::byte, 16> bytes{};
  store(dtype, value, bytes.data());
  return load_double(dtype, bytes.data());
}

std::uint16_t stored(DType dtype, double value) {
  std::uint16_t bits = 0;
  store(dtype, value, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

std::uint16_t half(double value) { return stored(DType::Float16, value); }
std::uint16_t bfloat16(double value) { return stored(DType::BFloat16, value); }

double from_half(std::uint16_t bits) { return load_double(DType::Float16, reinterpret_cast<const std::byte*>(&bits)); }

TEST(Half, KnownPatterns) {
  EXPECT_EQ(half(0.0), 0x0000);
  EXPECT_EQ(half(-0.0), 0x8000);
  EXPECT_EQ(half(1.0), 0x3c00);
  EXPECT_EQ(half(-2.0), 0xc000);
  EXPECT_EQ(half(65504.0), 0x7bff);
  EXPECT_EQ(half(65519.99), 0x7bff);
  EXPECT_EQ(half(65520.0), 0x7c00);
  EXPECT_EQ(half(1e300), 0x7c00);
  EXPECT_EQ(half(-kInfinity), 0xfc00);
  EXPECT_EQ(half(0x1p-24), 0x0001);
  EXPECT_EQ(half(0x1p-25), 0x0000);  // a tie, rounded to even
  EXPECT_EQ(half(0x1.8p-24), 0x0002);
  EXPECT_EQ(half(0x1p-14), 0x0400);
  EXPECT_EQ(half(0x1.ffep-15), 0x0400);  // a carry into the exponent
  EXPECT_EQ(half(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(half(1.0 + 0x3p-11), 0x3c02);
  EXPECT_EQ(half(1e-320), 0x0000);
  EXPECT_TRUE(std::isnan(from_half(half(std::nan("")))));
}

TEST(Half, EveryPatternReadsBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7fff, 0x7c00u);
    } else {
      ASSERT_EQ(half(value), bits);
    }
  }
}

TEST(BFloat16, AgreesWithTheUpperHalfOfFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const std::uint32_t wide = bits << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    if (std::isnan(value)) continue;
    ASSERT_EQ(bfloat16(value), bits);
  }
  EXPECT_EQ(bfloat16(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bfloat16(1.0 + 0x3p-8), 0x3f82);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(Float8, BoundsAndSpecials) {
  EXPECT_EQ(round_trip(DType::Float8E4M3FN, 448), 448);
  EXPECT_EQ(round_trip(DType::Float8E4M3FN, 464), 448);
  EXPECT_TRUE(std::isnan(round_trip(DType::Float8E4M3FN, 465)));
  EXPECT_EQ(round_trip(DType::Float8E4M3FN, 0x1p-9), 0x1p-9);
  EXPECT_EQ(round_trip(DType::Float8E5M2, 57344), 57344);
  EXPECT_EQ(round_trip(DType::Float8E5M2, 61440), kInfinity);
  EXPECT_EQ(round_trip(DType::Float8E4M3FNUZ, 240), 240);
  EXPECT_TRUE(std::isnan(round_trip(DType::Float8E4M3FNUZ, kInfinity)));
  EXPECT_FALSE(std::signbit(round_trip(DType::Float8E5M2FNUZ, -0.0)));
  EXPECT_EQ(round_trip(DType::Float8E5M2FNUZ, -57344), -57344);
}

TEST(Element, IntegersKeepAllBitsAndFloatsTruncate) {
  std::array<std::byte, 16> bytes{};
  store(DType::Int64, std::numeric_limits<std::int64_t>::max(), bytes.data());
  EXPECT_EQ(load_int64(DType::Int64, bytes.data()), std::numeric_limits<std::int64_t>::max());
  store(DType::Int32, -2.9, bytes.data());
  EXPECT_EQ(load_int64(DType::Int32, bytes.data()), -2);
  store(DType::Int64, 1e30, bytes.data());
  EXPECT_EQ(load_int64(DType::Int64, bytes.data()), std::numeric_limits<std::int64_t>::max());
  store(DType::UInt64, 1.8e19, bytes.data());
  EXPECT_EQ(load_double(DType::UInt64, bytes.data()), 1.8e19);
  store(DType::Bool, 0.5, bytes.data());
  EXPECT_EQ(load_int64(DType::Bool, bytes.data()), 1);
  EXPECT_EQ(round_trip(DType::Float32, 0.1), static_cast<double>(0.1f));
}

TEST(Element, NoNumberFormIsAnError) {
  std::array<std::byte, 16> bytes{};
  EXPECT_THROW(load_double(DType::Complex64, bytes.data()), Error);
  EXPECT_THROW(load_int64(DType::QInt8, bytes.data()), Error);
  EXPECT_THROW(store(DType::String, 1.0, bytes.data()), Error);
}

}  // namespace
}  // namespace tonnx::ir
