#include <algorithm>

#include <gtest/gtest.h>

#include "ir/runtime_gaps.h"
#include "ir/target.h"

namespace tonnx::ir {
namespace {

TEST(Target, OnnxRuntimeLacksKernelsByOperatorVersionAndDtype) {
  const Target target;
  EXPECT_TRUE(target.has_kernel("RoiAlign", 10, DType::Float32));
  EXPECT_TRUE(target.has_kernel("RoiAlign", 21, DType::Float64));
  EXPECT_FALSE(target.has_kernel("RoiAlign", 22, DType::Float32));
  EXPECT_FALSE(target.has_kernel("MaxRoiPool", 21, DType::Float64));
  EXPECT_TRUE(target.has_kernel("Tanh", 26, DType::Float64));
  EXPECT_TRUE(target.has_kernel("Clip", 12, DType::Float64));  // the row of opset 12 replaces that of 7
  EXPECT_FALSE(target.has_kernel("Clip", 11, DType::Float64));
  EXPECT_FALSE(target.has_kernel("RoiAlign", 22, "T2", DType::Int64));
  EXPECT_TRUE(target.has_kernel("RoiAlign", 22, "T1", DType::Int64));
}

TEST(Target, OnnxRuntimeHasDefectsByOpsetAndDtype) {
  const Target target;
  EXPECT_TRUE(target.has(Defect::QuantiseRounding, 10));
  EXPECT_FALSE(target.has(Defect::QuantiseRounding, 11));
  EXPECT_TRUE(target.has(Defect::ScatterHalves, 18, DType::Float16));
  EXPECT_FALSE(target.has(Defect::ScatterHalves, 18, DType::Float32));
  EXPECT_TRUE(target.has(Defect::ScatterHalves, 18));
}

TEST(Target, PlainOnnxLacksNothing) {
  for (const DefectRow& row : defects()) {
    EXPECT_TRUE(Target().has(row.defect, row.since));
    EXPECT_FALSE(Target::onnx().has(row.defect, row.since));
  }
  EXPECT_TRUE(Target::onnx().has_kernel("RoiAlign", 22, DType::Float32));
}

TEST(Target, RowsAreSortedByDefect) { EXPECT_TRUE(std::ranges::is_sorted(defects(), {}, &DefectRow::defect)); }

}  // namespace
}  // namespace tonnx::ir
