package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

// A DType is an element type; the values below 64 are those of c10::ScalarType. No tensor of LibTorch can have the
// others.
type DType int32

const (
	Uint8          DType = C.TONNX_DTYPE_UINT8
	Int8           DType = C.TONNX_DTYPE_INT8
	Int16          DType = C.TONNX_DTYPE_INT16
	Int32          DType = C.TONNX_DTYPE_INT32
	Int64          DType = C.TONNX_DTYPE_INT64
	Float16        DType = C.TONNX_DTYPE_FLOAT16
	Float32        DType = C.TONNX_DTYPE_FLOAT32
	Float64        DType = C.TONNX_DTYPE_FLOAT64
	Complex32      DType = C.TONNX_DTYPE_COMPLEX32
	Complex64      DType = C.TONNX_DTYPE_COMPLEX64
	Complex128     DType = C.TONNX_DTYPE_COMPLEX128
	Bool           DType = C.TONNX_DTYPE_BOOL
	QInt8          DType = C.TONNX_DTYPE_QINT8
	QUint8         DType = C.TONNX_DTYPE_QUINT8
	QInt32         DType = C.TONNX_DTYPE_QINT32
	BFloat16       DType = C.TONNX_DTYPE_BFLOAT16
	Float8E5M2     DType = C.TONNX_DTYPE_FLOAT8E5M2
	Float8E4M3FN   DType = C.TONNX_DTYPE_FLOAT8E4M3FN
	Float8E5M2FNUZ DType = C.TONNX_DTYPE_FLOAT8E5M2FNUZ
	Float8E4M3FNUZ DType = C.TONNX_DTYPE_FLOAT8E4M3FNUZ
	Uint16         DType = C.TONNX_DTYPE_UINT16
	Uint32         DType = C.TONNX_DTYPE_UINT32
	Uint64         DType = C.TONNX_DTYPE_UINT64
	Int4           DType = C.TONNX_DTYPE_INT4       // from opset 21 on
	Uint4          DType = C.TONNX_DTYPE_UINT4      // from opset 21 on
	Int2           DType = C.TONNX_DTYPE_INT2       // from opset 25 on
	Uint2          DType = C.TONNX_DTYPE_UINT2      // from opset 25 on
	Float4E2M1     DType = C.TONNX_DTYPE_FLOAT4E2M1 // from opset 23 on
	Float8E8M0     DType = C.TONNX_DTYPE_FLOAT8E8M0 // from opset 24 on
	Undefined      DType = C.TONNX_DTYPE_UNDEFINED  // unknown
)

// ParseDType parses a name such as "float32", also "float", "half", "long" and "f32"; Undefined if it is unknown.
func ParseDType(name string) DType {
	var c texts
	defer c.free()
	text := c.add("dtype", name)
	if c.err != nil {
		return Undefined
	}
	return DType(C.tonnx_dtype_from_name(text))
}

// String returns the name, such as "float32"; "undefined" for an unknown value.
func (d DType) String() string { return C.GoString(C.tonnx_dtype_name(C.tonnx_dtype(d))) }

// Bits returns the bits per element; 0 for Undefined. Elements of 4 and 2 bits are packed, the first one in the lowest
// bits of a byte.
func (d DType) Bits() int { return int(C.tonnx_dtype_bits(C.tonnx_dtype(d))) }

// Size returns the bytes per element; 0 for Undefined and for elements of less than 8 bits.
func (d DType) Size() int { return int(C.tonnx_dtype_size(C.tonnx_dtype(d))) }
