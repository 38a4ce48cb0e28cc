#include "lower/dtype_support.h"

#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace tonnx::lower {
namespace {

using ir::DType;

// Wider dtypes that represent every value, nearest first (float64 for int64: it represents every index and size).
std::span<const DType> wider(DType dtype) {
  static constexpr std::array kBool{DType::Int32, DType::Int64, DType::UInt8, DType::Float32, DType::Float64};
  static constexpr std::array kSmall{DType::Int32, DType::Int64, DType::Float32, DType::Float64};
  static constexpr std::array kWord{DType::Int64, DType::Float64};
  static constexpr std::array kLong{DType::Float64};
  static constexpr std::array kHalf{DType::Float32, DType::Float64};
  switch (dtype) {
    case DType::Bool: return kBool;
    case DType::UInt8:
    case DType::Int8:
    case DType::UInt16:
    case DType::Int16: return kSmall;
    case DType::Int32:
    case DType::UInt32: return kWord;
    case DType::Int64:
    case DType::UInt64: return kLong;
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return kHalf;
    case DType::Float32: return kLong;
    default: return {};
  }
}

}  // namespace

DType widen(const ir::Target& target, std::string_view op, std::int32_t opset, const ir::OpSlot& slot, DType dtype) {
  const bool allowed = slot.allows(dtype);
  const auto runs = [&](DType as) { return target.has_kernel(op, opset, slot.type_variable, as); };
  if (op == "Cast") return allowed ? dtype : DType::Undefined;  // the widening itself is a Cast
  if (allowed && runs(dtype)) return dtype;
  for (const DType wide : wider(dtype))
    if (slot.allows(wide) && runs(wide)) return wide;
  return allowed ? dtype : DType::Undefined;
}

bool holds_attribute(DType dtype, double number) {
  return dtype != DType::Float64 || static_cast<double>(static_cast<float>(number)) == number;
}

bool fits_attribute(double number) {
  using Limits = std::numeric_limits<float>;
  const double size = std::fabs(number);
  return !std::isfinite(number) || size == 0 ||
         (size >= static_cast<double>(Limits::min()) && size <= static_cast<double>(Limits::max()));
}

}  // namespace tonnx::lower
