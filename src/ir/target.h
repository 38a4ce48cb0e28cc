#pragma once

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"

namespace tonnx::ir {

// A defect of ONNX Runtime 1.31's CPU provider. The table in runtime_gaps.cpp says which operators, opsets and dtypes
// it concerns and what goes wrong.
enum class Defect {
  DeclaredEmptyExpand,
  DequantiseMove,
  DftRounding,
  DivisionOverflow,
  DropoutRemoval,
  EinsumRounding,
  EmptyDivision,
  EmptyExpand,
  EmptyGemm,
  EmptyMatMul,
  EmptySplit,
  IntegerProductRounding,
  IntegerRemainderRounding,
  IntegerSumRounding,
  Int64Extremes,
  LogSoftmaxNan,
  LowestMaxPool,
  NarrowSumSaturation,
  PadFusion,
  QuantisedMatMulFusion,
  QuantiseRounding,
  RangeFusion,
  RecurrentFloat64,
  ResizeAxes,
  ResizeCopy,
  ResizeIntegers,
  ScatterHalves,
  SequenceSplit,
  SharedStatistics,
  ShortBroadcast,
  SigmoidFloat64,
  TransposeFusion,
};

// The runtime that a model is made for. Builder, the model passes and the writer ask it before they make a model larger
// or slower because of what a runtime lacks.
class Target {
 public:
  // ONNX Runtime 1.31 on CPUs.
  constexpr Target() = default;
  // Any runtime that implements the standard: it has all kernels and no defects.
  static constexpr Target onnx() { return Target(false); }

  constexpr bool is_onnxruntime() const { return is_onnxruntime_; }
  // True if the target has a kernel for the operator's version at this opset, with this dtype for the type variable
  // ("T"). Does not ask whether ONNX allows the dtype.
  bool has_kernel(std::string_view op, std::int32_t opset, std::string_view variable, DType dtype) const;
  // The same for all type variables of the operator.
  bool has_kernel(std::string_view op, std::int32_t opset, DType dtype) const;
  // True if the target has the defect at this opset, for this dtype (Undefined: for any).
  bool has(Defect defect, std::int32_t opset, DType dtype = DType::Undefined) const;

 private:
  constexpr explicit Target(bool is_onnxruntime) : is_onnxruntime_(is_onnxruntime) {}
  bool is_onnxruntime_ = true;
};

}  // namespace tonnx::ir
