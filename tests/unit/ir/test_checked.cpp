#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ir/checked.h"

using namespace tonnx::ir;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST(Checked, SumsAndProductsExistWhereTheyFit) {
  EXPECT_EQ(checked_add(kMost, -1), kMost - 1);
  EXPECT_EQ(checked_add(kMost, 1), std::nullopt);
  EXPECT_EQ(checked_subtract(kLeast, 1), std::nullopt);
  EXPECT_EQ(checked_subtract(-1, kLeast), kMost);
  EXPECT_EQ(checked_multiply(kLeast, -1), std::nullopt);
  EXPECT_EQ(checked_multiply(kLeast, 1), kLeast);
}

TEST(Checked, WrappingFormsComputeModulo2To64) {
  EXPECT_EQ(wrapping_add(kMost, 1), kLeast);
  EXPECT_EQ(wrapping_subtract(kLeast, 1), kMost);
  EXPECT_EQ(wrapping_multiply(kLeast, -1), kLeast);
  EXPECT_EQ(wrapping_negate(kLeast), kLeast);
  EXPECT_EQ(wrapping_magnitude(kLeast), kLeast);
  EXPECT_EQ(wrapping_magnitude(-7), 7);
}

TEST(Checked, QuotientsExistUnlessTheProcessorTraps) {
  for (const auto divide :
       {checked_divide, checked_remainder, checked_floor_divide, checked_floor_remainder, checked_ceil_divide}) {
    EXPECT_EQ(divide(kLeast, -1), std::nullopt);
    EXPECT_EQ(divide(0, 0), std::nullopt);
    EXPECT_EQ(divide(kLeast, 0), std::nullopt);
    EXPECT_NE(divide(kLeast, 1), std::nullopt);
    EXPECT_NE(divide(kMost, -1), std::nullopt);
  }
  EXPECT_FALSE(can_divide(std::numeric_limits<std::int32_t>::min(), std::int32_t{-1}));
  EXPECT_TRUE(can_divide(std::uint64_t{5}, ~std::uint64_t{0}));
}

TEST(Checked, QuotientsRoundAsTheirNamesSay) {
  for (const std::int64_t a : {-7, -6, 6, 7})
    for (const std::int64_t b : {-3, 3}) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(checked_divide(a, b), static_cast<std::int64_t>(quotient)) << a << " / " << b;
      EXPECT_EQ(checked_floor_divide(a, b), static_cast<std::int64_t>(std::floor(quotient))) << a << " / " << b;
      EXPECT_EQ(checked_ceil_divide(a, b), static_cast<std::int64_t>(std::ceil(quotient))) << a << " / " << b;
      EXPECT_EQ(*checked_floor_divide(a, b) * b + *checked_floor_remainder(a, b), a) << a << " / " << b;
      EXPECT_EQ(*checked_divide(a, b) * b + *checked_remainder(a, b), a) << a << " / " << b;
    }
}

TEST(Checked, CountsElementsIfTheStridesFit) {
  const auto count = [](std::vector<std::int64_t> sizes) { return checked_count(sizes); };
  EXPECT_EQ(count({}), 1);
  EXPECT_EQ(count({2, 3}), 6);
  EXPECT_EQ(count({2, 0, 3}), 0);
  EXPECT_EQ(count({2, -1}), std::nullopt);
  EXPECT_EQ(count({kMost, 2}), std::nullopt);
  EXPECT_EQ(count({0, kMost, 2}), std::nullopt);
}
