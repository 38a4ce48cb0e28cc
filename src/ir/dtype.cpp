#include "ir/dtype.h"

#include <array>
#include <string>

namespace tonnx::ir {
namespace {

// Opaque: no number form here. Other: the same; of these, dtype_from_onnx() returns only String.
enum class Category { Bool, Integral, Floating, Complex, Opaque, Other };

struct Entry {
  DType dtype;
  std::size_t bits;
  Category category;
  std::int32_t onnx;
  std::string_view jit;
  std::string_view name;
};

constexpr std::array<Entry, 30> kEntries{{
    {DType::UInt8, 8, Category::Integral, 2, "Byte", "uint8"},
    {DType::Int8, 8, Category::Integral, 3, "Char", "int8"},
    {DType::Int16, 16, Category::Integral, 5, "Short", "int16"},
    {DType::Int32, 32, Category::Integral, 6, "Int", "int32"},
    {DType::Int64, 64, Category::Integral, 7, "Long", "int64"},
    {DType::Float16, 16, Category::Floating, 10, "Half", "float16"},
    {DType::Float32, 32, Category::Floating, 1, "Float", "float32"},
    {DType::Float64, 64, Category::Floating, 11, "Double", "float64"},
    {DType::Complex32, 32, Category::Complex, 0, "ComplexHalf", "complex32"},
    {DType::Complex64, 64, Category::Complex, 14, "ComplexFloat", "complex64"},
    {DType::Complex128, 128, Category::Complex, 15, "ComplexDouble", "complex128"},
    {DType::Bool, 8, Category::Bool, 9, "Bool", "bool"},
    {DType::QInt8, 8, Category::Other, 3, "QInt8", "qint8"},
    {DType::QUInt8, 8, Category::Other, 2, "QUInt8", "quint8"},
    {DType::QInt32, 32, Category::Other, 6, "QInt32", "qint32"},
    {DType::BFloat16, 16, Category::Floating, 16, "BFloat16", "bfloat16"},
    {DType::Float8E5M2, 8, Category::Floating, 19, "Float8_e5m2", "float8_e5m2"},
    {DType::Float8E4M3FN, 8, Category::Floating, 17, "Float8_e4m3fn", "float8_e4m3fn"},
    {DType::Float8E5M2FNUZ, 8, Category::Floating, 20, "Float8_e5m2fnuz", "float8_e5m2fnuz"},
    {DType::Float8E4M3FNUZ, 8, Category::Floating, 18, "Float8_e4m3fnuz", "float8_e4m3fnuz"},
    {DType::UInt16, 16, Category::Integral, 4, "UInt16", "uint16"},
    {DType::UInt32, 32, Category::Integral, 12, "UInt32", "uint32"},
    {DType::UInt64, 64, Category::Integral, 13, "UInt64", "uint64"},
    {DType::String, 0, Category::Other, 8, "String", "string"},
    {DType::Int4, 4, Category::Opaque, 22, "Int4", "int4"},
    {DType::UInt4, 4, Category::Opaque, 21, "UInt4", "uint4"},
    {DType::Int2, 2, Category::Opaque, 26, "Int2", "int2"},
    {DType::UInt2, 2, Category::Opaque, 25, "UInt2", "uint2"},
    {DType::Float4E2M1, 4, Category::Opaque, 23, "Float4_e2m1", "float4_e2m1"},
    {DType::Float8E8M0, 8, Category::Opaque, 24, "Float8_e8m0", "float8_e8m0"},
}};

constexpr Entry kUndefined{DType::Undefined, 0, Category::Other, 0, "Tensor", "undefined"};

const Entry& entry(DType dtype) {
  for (const Entry& e : kEntries)
    if (e.dtype == dtype) return e;
  return kUndefined;
}

struct Alias {
  std::string_view name;
  DType dtype;
};

constexpr std::array<Alias, 25> kAliases{{
    {"float", DType::Float32},      {"f32", DType::Float32},  {"fp32", DType::Float32},
    {"double", DType::Float64},     {"f64", DType::Float64},  {"half", DType::Float16},
    {"f16", DType::Float16},        {"fp16", DType::Float16}, {"bf16", DType::BFloat16},
    {"long", DType::Int64},         {"i64", DType::Int64},    {"int", DType::Int32},
    {"i32", DType::Int32},          {"short", DType::Int16},  {"i16", DType::Int16},
    {"char", DType::Int8},          {"i8", DType::Int8},      {"byte", DType::UInt8},
    {"u8", DType::UInt8},           {"u16", DType::UInt16},   {"u32", DType::UInt32},
    {"u64", DType::UInt64},         {"boolean", DType::Bool}, {"cfloat", DType::Complex64},
    {"cdouble", DType::Complex128},
}};

}  // namespace

std::size_t size_of(DType dtype) { return entry(dtype).bits / 8; }
std::size_t bits_per_element(DType dtype) { return entry(dtype).bits; }
bool is_packed(DType dtype) { return entry(dtype).bits % 8 != 0; }
std::size_t bytes_for(DType dtype, std::int64_t count) {
  const auto elements = static_cast<std::size_t>(count);
  const std::size_t in_a_byte = is_packed(dtype) ? 8 / entry(dtype).bits : 0;
  return in_a_byte ? elements / in_a_byte + (elements % in_a_byte != 0) : elements * size_of(dtype);
}

std::int32_t first_opset(DType dtype) {
  switch (dtype) {
    case DType::BFloat16: return 13;
    case DType::Float8E5M2:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E4M3FNUZ: return 19;
    case DType::Int4:
    case DType::UInt4: return 21;
    case DType::Float4E2M1: return 23;
    case DType::Float8E8M0: return 24;
    case DType::Int2:
    case DType::UInt2: return 25;
    default: return 1;
  }
}

bool is_integral(DType dtype) { return entry(dtype).category == Category::Integral; }
bool is_unsigned(DType dtype) {
  return dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64;
}
bool is_floating(DType dtype) { return entry(dtype).category == Category::Floating; }
bool has_number_form(DType dtype) { return entry(dtype).category <= Category::Floating; }
bool is_complex(DType dtype) { return entry(dtype).category == Category::Complex; }
std::string_view jit_name(DType dtype) { return entry(dtype).jit; }
std::string_view name_of(DType dtype) { return entry(dtype).name; }
std::int32_t onnx_type(DType dtype) { return entry(dtype).onnx; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Entry& e : kEntries)
    if (e.name == name) return e.dtype;
  for (const Alias& a : kAliases)
    if (a.name == name) return a.dtype;
  return std::nullopt;
}

DType dtype_from_onnx(std::int32_t onnx_type) {
  for (const Entry& e : kEntries)
    if (e.onnx == onnx_type && e.onnx != 0 && e.category != Category::Other) return e.dtype;
  return onnx_type == 8 ? DType::String : DType::Undefined;
}

DType promote(DType a, DType b) {
  if (a == b || b == DType::Undefined) return a;
  if (a == DType::Undefined) return b;
  const Category ca = entry(a).category, cb = entry(b).category;
  if (ca >= Category::Opaque || cb >= Category::Opaque) return DType::Undefined;
  if (ca != cb) {
    if (ca == Category::Complex || cb == Category::Complex) {
      const DType complex = ca == Category::Complex ? a : b;
      const DType other = ca == Category::Complex ? b : a;
      const bool wide = complex == DType::Complex128 || other == DType::Float64;
      const bool narrow = complex == DType::Complex32 && (other == DType::Float16 || !is_floating(other));
      return wide ? DType::Complex128 : narrow ? DType::Complex32 : DType::Complex64;
    }
    return ca > cb ? a : b;
  }
  const std::size_t sa = size_of(a), sb = size_of(b);
  if (ca == Category::Floating) {
    if (sa == sb) return sa == 2 ? DType::Float32 : DType::Undefined;  // Half and BFloat16 promote to Float
    return sa > sb ? a : b;
  }
  if (ca == Category::Complex) return sa > sb ? a : b;
  if (is_unsigned(a) == is_unsigned(b)) return sa > sb ? a : b;
  const DType signed_type = is_unsigned(a) ? b : a;
  const std::size_t unsigned_size = is_unsigned(a) ? sa : sb;
  if (size_of(signed_type) > unsigned_size) return signed_type;
  switch (unsigned_size) {
    case 1: return DType::Int16;
    case 2: return DType::Int32;
    case 4: return DType::Int64;
    default: return DType::Undefined;
  }
}

}  // namespace tonnx::ir
