#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ir/graph.h"
#include "lower/builder.h"
#include "lower/elementwise.h"
#include "lower/known.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

struct Extremes {
  DType dtype;
  std::int64_t lowest, highest;
};

TEST(Extremes, OfIntegersAreTheirRange) {
  ir::Graph graph;
  Builder b(graph, *onnx::opset(17));
  for (const auto& [dtype, low, high] : {
           Extremes{DType::Bool, 0, 1},
           Extremes{DType::Int8, -128, 127},
           Extremes{DType::UInt8, 0, 255},
           Extremes{DType::Int16, -32768, 32767},
           Extremes{DType::UInt16, 0, 65535},
           Extremes{DType::Int32, INT32_MIN, INT32_MAX},
           Extremes{DType::UInt32, 0, UINT32_MAX},
           Extremes{DType::Int64, INT64_MIN, INT64_MAX},
       }) {
    EXPECT_EQ(known_tensor(lowest(b, dtype))->as_int64(0), low) << ir::name_of(dtype);
    EXPECT_EQ(known_tensor(highest(b, dtype))->as_int64(0), high) << ir::name_of(dtype);
  }
  EXPECT_EQ(known_tensor(lowest(b, DType::UInt64))->as_int64(0), 0);
  EXPECT_THROW(highest(b, DType::UInt64), Refusal);
}

// The largest finite number of a dtype survives a conversion to it, and the next double is infinity there or rounds
// back.
TEST(Extremes, OfFloatsAreInfinitiesAndTheLargestFiniteNumber) {
  ir::Graph graph;
  Builder b(graph, *onnx::opset(17));
  for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    EXPECT_EQ(known_tensor(lowest(b, dtype))->as_double(0), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(known_tensor(highest(b, dtype))->as_double(0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(ir::Tensor::scalar(dtype, largest(dtype)).as_double(0), largest(dtype)) << ir::name_of(dtype);
    EXPECT_TRUE(std::isinf(ir::Tensor::scalar(dtype, largest(dtype) * 1.01).as_double(0))) << ir::name_of(dtype);
  }
}

}  // namespace
}  // namespace tonnx::lower
