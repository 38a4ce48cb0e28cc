#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "aten/whole_numbers.h"

namespace tonnx::aten {
namespace {

std::optional<std::int64_t> given(const char* kind, std::vector<std::int64_t> operands) {
  return whole_number(kind, operands);
}

TEST(WholeNumber, IsWhatLibTorchComputes) {
  EXPECT_EQ(given("aten::add", {3, -5}), -2);
  EXPECT_EQ(given("aten::sub", {3, -5}), 8);
  EXPECT_EQ(given("aten::mul", {3, -5}), -15);
  EXPECT_EQ(given("aten::lt", {3, 3}), 0);
  EXPECT_EQ(given("aten::le", {3, 3}), 1);
  EXPECT_EQ(given("aten::gt", {3, 2}), 1);
  EXPECT_EQ(given("aten::ge", {2, 3}), 0);
  EXPECT_EQ(given("aten::eq", {1, 1}), 1);
  EXPECT_EQ(given("aten::ne", {1, 1}), 0);
  EXPECT_EQ(given("aten::__and__", {1, 0}), 0);
  EXPECT_EQ(given("aten::__or__", {4, 1}), 5);
  EXPECT_EQ(given("aten::__not__", {0}), 1);
}

TEST(WholeNumber, IsEmptyForOtherOperators) {
  EXPECT_FALSE(given("aten::pow", {2, 3}));
  EXPECT_FALSE(given("aten::add", {2, 3, 1}));
  EXPECT_FALSE(given("aten::add", {}));
}

}  // namespace
}  // namespace tonnx::aten
