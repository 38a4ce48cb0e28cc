#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/target.h"

// What ONNX Runtime 1.31's CPU provider lacks. A row has an operator of the default ONNX domain, the opsets, the
// dtypes, and what is missing. Dtype letters: ? bool, B b uint8 int8, H h uint16 int16, I i uint32 int32, Q q uint64
// int64, e float16, g bfloat16, f float32, d float64, 8 any 8-bit float.
namespace tonnx::ir {

// Kernels that do not exist although ONNX allows the dtype: from opset `since` on, the dtypes of one type variable. A
// later row of a variable replaces an earlier one. Sorted by operator.
struct KernelGap {
  std::string_view op;
  std::int32_t since;
  std::string_view variable;
  std::string_view dtypes;
};
std::span<const KernelGap> kernel_gaps();

// A kernel, or an optimisation of the runtime, that exists and is wrong.
struct DefectRow {
  Defect defect;
  std::string_view op;
  std::int32_t since;
  std::int32_t until;       // the last opset
  std::string_view dtypes;  // empty: all
  std::string_view effect;
  std::string_view test;  // a case of tests/python that needs the workaround
};
std::span<const DefectRow> defects();

}  // namespace tonnx::ir
