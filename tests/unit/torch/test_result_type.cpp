// Type promotion beside LibTorch's own.
#include <string>

#include <ATen/ops/ones.h>
#include <ATen/ops/result_type.h>
#include <gtest/gtest.h>

#include "aten/result_type.h"
#include "torch/convert.h"

namespace tonnx::torch {
namespace {

using aten::Promoted;
using By = Promoted::By;

const at::ScalarType kDtypes[] = {at::kBool,   at::kByte,         at::kChar,          at::kShort,
                                  at::kInt,    at::kLong,         at::kHalf,          at::kFloat,
                                  at::kDouble, at::kComplexFloat, at::kComplexDouble, at::kBFloat16};

struct Operand {
  at::Tensor tensor;
  Promoted promoted;
};

// Each dtype as a tensor with axes and without, and each kind of number, which LibTorch wraps as a tensor.
std::vector<Operand> operands() {
  std::vector<Operand> all;
  for (const at::ScalarType dtype : kDtypes) {
    all.push_back({at::ones({2}, dtype), {dtype_of(dtype), By::Axes}});
    all.push_back({at::ones({}, dtype), {dtype_of(dtype), By::RankZero}});
  }
  for (const at::ScalarType dtype : {at::kBool, at::kLong, at::kDouble, at::kComplexDouble}) {
    const at::Tensor number = at::ones({}, dtype);
    number.unsafeGetTensorImpl()->set_wrapped_number(true);
    all.push_back({number, {dtype_of(dtype), By::Number}});
  }
  return all;
}

TEST(ResultType, OfTwoOperandsIsThatOfLibTorch) {
  int checked = 0;
  for (const Operand& a : operands()) {
    for (const Operand& b : operands()) {
      if (a.promoted.by == By::Number && b.promoted.by == By::Number)
        continue;  // arithmetic of numbers has no result_type
      const at::ScalarType expected = at::result_type(a.tensor, b.tensor);
      if (expected == at::kComplexHalf) continue;  // ONNX has none
      const Promoted both[] = {a.promoted, b.promoted};
      EXPECT_EQ(aten::result_type(both), dtype_of(expected))
          << a.tensor.scalar_type() << static_cast<int>(a.promoted.by) << " with " << b.tensor.scalar_type()
          << static_cast<int>(b.promoted.by);
      ++checked;
    }
  }
  EXPECT_GE(checked, 700);
}

TEST(ResultType, IsUnknownBesideAnUnknownOperand) {
  const Promoted both[] = {{ir::DType::Float32, By::Axes}, {ir::DType::Undefined, By::Number}};
  EXPECT_EQ(aten::result_type(both), ir::DType::Undefined);
  const Promoted numbers[] = {{ir::DType::Int64, By::Number}, {ir::DType::Float64, By::Number}};
  EXPECT_EQ(aten::result_type(numbers), ir::DType::Float64);
}

}  // namespace
}  // namespace tonnx::torch
