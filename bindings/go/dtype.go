package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

// A DType is an element type; the values are those of c10::ScalarType.
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
	Undefined      DType = C.TONNX_DTYPE_UNDEFINED // unknown
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

// Size returns the bytes per element; 0 for Undefined.
func (d DType) Size() int { return int(C.tonnx_dtype_size(C.tonnx_dtype(d))) }
