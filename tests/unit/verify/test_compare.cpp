#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.h"
#include "verify/compare.h"

using namespace tonnx;
using ir::DType;
using ir::Tensor;
using testing::HasSubstr;

namespace {

Tensor floats(std::vector<float> values) {
  return Tensor::from_bytes(DType::Float32, {static_cast<std::int64_t>(values.size())}, values.data(),
                            values.size() * sizeof(float));
}

std::string difference(const std::vector<Tensor>& expected, const std::vector<Tensor>& got,
                       verify::Tolerance tolerance = {}) {
  try {
    verify::compare(expected, got, {"y"}, tolerance);
  } catch (const ir::Error& e) {
    EXPECT_EQ(e.code(), ir::Code::Verification);
    return e.what();
  }
  return {};
}

}  // namespace

TEST(Compare, AcceptsRounding) {
  EXPECT_EQ(difference({floats({1, 2})}, {floats({1.0005f, 2})}), "");
  EXPECT_EQ(difference({floats({NAN, INFINITY, -INFINITY})}, {floats({NAN, INFINITY, -INFINITY})}), "");
}

TEST(Compare, F241_AResultMayHaveItsOwnLimits) {
  const auto agree = [](std::vector<verify::Limits> own) {
    try {
      verify::compare({floats({1}), floats({1})}, {floats({1.5}), floats({1})}, {"y", "z"}, {}, own);
    } catch (const ir::Error&) {
      return false;
    }
    return true;
  };
  EXPECT_FALSE(agree({}));
  EXPECT_TRUE(agree({{.rtol = -1, .atol = 1}}));
  EXPECT_TRUE(agree({{.rtol = 0.5, .atol = -1}}));
  EXPECT_FALSE(agree({{.rtol = -1, .atol = -1}, {.rtol = 1, .atol = 1}}));
}

TEST(Compare, ReportsTheLargestDifference) {
  const std::string text = difference({floats({1, 2, 3})}, {floats({1, 2.5, 4})});
  EXPECT_THAT(text, HasSubstr("2 of 3 elements"));
  EXPECT_THAT(text, HasSubstr("at [2]"));
}

TEST(Compare, NoticesNonFiniteNumbers) {
  EXPECT_NE(difference({floats({1})}, {floats({NAN})}), "");
  EXPECT_NE(difference({floats({NAN})}, {floats({1})}), "");
  EXPECT_NE(difference({floats({INFINITY})}, {floats({-INFINITY})}), "");
}

TEST(Compare, NoticesCountDtypeAndShape) {
  EXPECT_THAT(difference({floats({1})}, {}), HasSubstr("0 outputs"));
  EXPECT_THAT(difference({floats({1})}, {Tensor::scalar(DType::Float32, 1.0)}), HasSubstr("float32[1]"));
  EXPECT_THAT(
      difference({Tensor::scalar(DType::Int32, std::int64_t{1})}, {Tensor::scalar(DType::Int64, std::int64_t{1})}),
      HasSubstr("int32"));
}

TEST(Compare, TheLoosestDtypeOfTheModelDecides) {
  const std::vector<Tensor> expected = {floats({1})}, got = {floats({1.005f})};
  EXPECT_THAT(difference(expected, got), HasSubstr("a larger rtol"));
  EXPECT_EQ(difference(expected, got, {.loosest = DType::Float16}), "");
  EXPECT_EQ(difference(expected, got, {.loosest = DType::BFloat16}), "");
  EXPECT_NE(difference(expected, got, {.loosest = DType::Float64}), "");
  EXPECT_NE(difference(expected, got, {.rtol = 1e-3, .loosest = DType::Float16}), "");
  EXPECT_NE(difference({Tensor::scalar(DType::Int64, std::int64_t{1000})},
                       {Tensor::scalar(DType::Int64, std::int64_t{1001})}, {.loosest = DType::Float16}),
            "");
}

TEST(Compare, IntegersAreExact) {
  EXPECT_NE(difference({Tensor::scalar(DType::Int64, std::int64_t{1000000})},
                       {Tensor::scalar(DType::Int64, std::int64_t{1000001})}, {1, 1}),
            "");
}

TEST(Compare, F241_AcceptsAShareOfElementsThatDiffer) {
  const std::vector<Tensor> expected{floats({1, 2, 3, 4})}, got{floats({1, 2, 3, 9})};
  EXPECT_NE(difference(expected, got, {.accepted_share = 0}), "");
  EXPECT_NE(difference(expected, got, {.accepted_share = 0.24}), "");
  EXPECT_EQ(difference(expected, got, {.accepted_share = 0.25}), "");
  EXPECT_NE(difference(expected, {floats({1, 2, 8, 9})}, {.accepted_share = 0.25}), "");
  EXPECT_EQ(difference({floats({})}, {floats({})}, {.accepted_share = 0}), "");
}

TEST(Compare, F241_MayIgnoreDtypesOfOneKind) {
  const std::vector<double> wide{1, 2.5};
  const Tensor doubles = Tensor::from_bytes(DType::Float64, {2}, wide.data(), 16);
  EXPECT_NE(difference({floats({1, 2.5})}, {doubles}), "");
  EXPECT_EQ(difference({floats({1, 2.5})}, {doubles}, {.check_dtype = false}), "");
  EXPECT_EQ(difference({doubles}, {floats({1, 2.5})}, {.check_dtype = false}), "");
  EXPECT_NE(difference({floats({1, 3})}, {doubles}, {.check_dtype = false}), "");
  const std::vector<std::int64_t> whole{1, 2};
  EXPECT_NE(difference({floats({1, 2})}, {Tensor::of_int64(whole)}, {.check_dtype = false}), "");
}

TEST(Compare, F241_MayIgnoreShapes) {
  Tensor row = floats({1, 2});
  row.dims = {1, 2};
  row.strides = {2, 1};
  EXPECT_NE(difference({floats({1, 2})}, {row}), "");
  EXPECT_EQ(difference({floats({1, 2})}, {row}, {.check_shape = false}), "");
  EXPECT_NE(difference({floats({1, 2, 3})}, {row}, {.check_shape = false}), "");
  EXPECT_NE(difference({floats({2, 1})}, {row}, {.check_shape = false}), "");
}
