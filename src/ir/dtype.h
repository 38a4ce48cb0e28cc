#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tonnx::ir {

// Element type of a tensor. Values below 30 are those of c10::ScalarType, except Undefined, so that importers and
// readers of dtype arguments convert by a cast.
enum class DType : std::int32_t {
  UInt8 = 0,
  Int8 = 1,
  Int16 = 2,
  Int32 = 3,
  Int64 = 4,
  Float16 = 5,
  Float32 = 6,
  Float64 = 7,
  Complex32 = 8,
  Complex64 = 9,
  Complex128 = 10,
  Bool = 11,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  BFloat16 = 15,
  Float8E5M2 = 23,
  Float8E4M3FN = 24,
  Float8E5M2FNUZ = 25,
  Float8E4M3FNUZ = 26,
  Undefined = 20,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
  // ONNX only.
  String = 64,
  Int4 = 65,
  UInt4 = 66,
  Int2 = 67,
  UInt2 = 68,
  Float4E2M1 = 69,
  Float8E8M0 = 70,
};

// Bytes of one element; 0 for Undefined, String and packed dtypes.
std::size_t size_of(DType dtype);
// Bits of one element; 0 for Undefined and String.
std::size_t bits_per_element(DType dtype);
// True for dtypes whose elements are smaller than a byte. Their tensors are contiguous and begin at offset 0; the first
// element is in the lowest bits of the first byte, as in ONNX's raw_data.
bool is_packed(DType dtype);
// Bytes of `count` elements that follow each other.
std::size_t bytes_for(DType dtype, std::int64_t count);

// The first opset whose operators have the dtype; source: onnx/defs, Cast.
std::int32_t first_opset(DType dtype);

// True for every signed or unsigned integer type; false for Bool.
bool is_integral(DType dtype);
bool is_unsigned(DType dtype);  // UInt8 to UInt64
bool is_floating(DType dtype);
// Bool, integers and floats: those whose elements can be read and written as numbers.
bool has_number_form(DType dtype);
bool is_complex(DType dtype);

// The name in a TorchScript type, "Float", "Long", "Half", "Bool".
std::string_view jit_name(DType dtype);

// The name users write, "float32", "int64", "bool".
std::string_view name_of(DType dtype);

// Reads name_of(), torch names ("float", "long", "half", "double", "int") and short forms ("f32", "i64").
std::optional<DType> dtype_from_name(std::string_view name);

// TensorProto.DataType of the ONNX format; 0 if ONNX has none.
std::int32_t onnx_type(DType dtype);
DType dtype_from_onnx(std::int32_t onnx_type);

// The dtype to which LibTorch promotes two operands of one category (c10::promoteTypes); source: PyTorch type
// promotion.
DType promote(DType a, DType b);

}  // namespace tonnx::ir
