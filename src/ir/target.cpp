#include "ir/target.h"

#include <algorithm>

#include "ir/runtime_gaps.h"

namespace tonnx::ir {
namespace {

char letter_of(DType dtype) {
  switch (dtype) {
    case DType::Bool: return '?';
    case DType::UInt8: return 'B';
    case DType::Int8: return 'b';
    case DType::UInt16: return 'H';
    case DType::Int16: return 'h';
    case DType::UInt32: return 'I';
    case DType::Int32: return 'i';
    case DType::UInt64: return 'Q';
    case DType::Int64: return 'q';
    case DType::Float16: return 'e';
    case DType::BFloat16: return 'g';
    case DType::Float32: return 'f';
    case DType::Float64: return 'd';
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return '8';
    default: return '\0';
  }
}

}  // namespace

bool Target::has_kernel(std::string_view op, std::int32_t opset, std::string_view variable, DType dtype) const {
  const char letter = letter_of(dtype);
  if (!is_onnxruntime_ || letter == '\0') return true;
  const KernelGap* newest = nullptr;
  for (const KernelGap& row : std::ranges::equal_range(kernel_gaps(), op, {}, &KernelGap::op))
    if (row.since <= opset && row.variable == variable) newest = &row;
  return !newest || newest->dtypes.find(letter) == std::string_view::npos;
}

bool Target::has_kernel(std::string_view op, std::int32_t opset, DType dtype) const {
  return std::ranges::all_of(std::ranges::equal_range(kernel_gaps(), op, {}, &KernelGap::op),
                             [&](const KernelGap& row) { return has_kernel(op, opset, row.variable, dtype); });
}

bool Target::has(Defect defect, std::int32_t opset, DType dtype) const {
  const char letter = letter_of(dtype);
  return is_onnxruntime_ && std::ranges::any_of(defects(), [&](const DefectRow& row) {
           const bool concerns =
               letter == '\0' || row.dtypes.empty() || row.dtypes.find(letter) != std::string_view::npos;
           return row.defect == defect && row.since <= opset && opset <= row.until && concerns;
         });
}

}  // namespace tonnx::ir
