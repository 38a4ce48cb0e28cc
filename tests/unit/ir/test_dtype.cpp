#include <array>

#include <gtest/gtest.h>

#include "ir/dtype.h"
#include "ir/dtype_spelling.h"

namespace tonnx::ir {
namespace {

using enum DType;

struct Row {
  DType a, b, expected;
};

// The results of torch.promote_types.
constexpr std::array kPromotions = {
    Row{Bool, Bool, Bool},
    Row{Bool, UInt8, UInt8},
    Row{Bool, Float16, Float16},
    Row{UInt8, Int8, Int16},
    Row{UInt8, Int16, Int16},
    Row{UInt8, Int64, Int64},
    Row{Int8, Int16, Int16},
    Row{Int16, Int32, Int32},
    Row{Int32, Int64, Int64},
    Row{Int64, Float16, Float16},
    Row{Int64, BFloat16, BFloat16},
    Row{Int64, Float32, Float32},
    Row{Float16, BFloat16, Float32},
    Row{Float16, Float32, Float32},
    Row{BFloat16, Float64, Float64},
    Row{Float32, Float64, Float64},
    Row{Int32, Complex64, Complex64},
    Row{Float32, Complex32, Complex64},
    Row{Float64, Complex64, Complex128},
    Row{Float16, Complex32, Complex32},
    Row{Complex64, Complex128, Complex128},
    Row{Undefined, Int8, Int8},
    Row{Float32, Float32, Float32},
};

TEST(DType, PromotesAsLibTorchDoesInEitherOrder) {
  for (const Row& row : kPromotions) {
    EXPECT_EQ(promote(row.a, row.b), row.expected) << name_of(row.a) << " with " << name_of(row.b);
    EXPECT_EQ(promote(row.b, row.a), row.expected) << name_of(row.b) << " with " << name_of(row.a);
  }
}

TEST(DType, NamesReadBack) {
  for (const DType dtype : {UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64, Complex64, Bool, BFloat16,
                            Float8E4M3FN, Float8E5M2, UInt16, UInt32, UInt64}) {
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype) << name_of(dtype);
    EXPECT_EQ(dtype_from_onnx(onnx_type(dtype)), dtype) << name_of(dtype);
  }
  EXPECT_EQ(dtype_from_name("half"), Float16);
  EXPECT_EQ(dtype_from_name("nonsense"), std::nullopt);
  for (int number = 0; number < 64; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (jit_name(dtype) != "Tensor") {
      EXPECT_EQ(dtype_from_spelling(jit_name(dtype)), dtype) << name_of(dtype);
    }
  }
  for (const auto& [spelling, dtype] : {
           std::pair("torch.float32", Float32),
           std::pair("torch.long", Int64),
           std::pair("FLOAT", Float32),
           std::pair("FLOAT16", Float16),
           std::pair("TensorProto.INT64", Int64),
           std::pair("DOUBLE", Float64),
           std::pair("int64_t", Int64),
           std::pair("uint8_t", UInt8),
           std::pair("LongTensor", Int64),
           std::pair("np.int32", Int32),
           std::pair("ComplexFloat", Complex64),
           std::pair("Half", Float16),
           std::pair("FLOAT8E4M3FN", Float8E4M3FN),
           std::pair("float8_e5m2fnuz", Float8E5M2FNUZ),
           std::pair("Int", Int32),
       })
    EXPECT_EQ(dtype_from_spelling(spelling), dtype) << spelling;
  for (const char* none : {"", "Tensor", "torch.", "float33", "torch.nonsense", "_t", "undefined"})
    EXPECT_EQ(dtype_from_spelling(none), std::nullopt) << none;
}

TEST(DType, KindsAndSizes) {
  EXPECT_TRUE(is_integral(UInt8));
  EXPECT_FALSE(is_integral(Bool));
  EXPECT_TRUE(is_floating(BFloat16));
  EXPECT_TRUE(is_complex(Complex64));
  EXPECT_EQ(size_of(Complex128), 16u);
  EXPECT_EQ(size_of(String), 0u);
}

}  // namespace
}  // namespace tonnx::ir
