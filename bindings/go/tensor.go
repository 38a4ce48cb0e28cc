package tonnx

// #include <tonnx.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// An Element is a Go type that can be the element of a tensor.
type Element interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64 | complex64 | complex128 | bool
}

// A Tensor is an example input, a constant or a weight. It is immutable, and goroutines may share it.
type Tensor struct{ *handle }

func (t *Tensor) core() *handle {
	if t == nil {
		return nil
	}
	return t.handle
}

func wrapTensor(object *C.tonnx_tensor) *Tensor {
	return &Tensor{newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.tonnx_tensor_free((*C.tonnx_tensor)(object))
	})}
}

// NewTensor creates a tensor of row-major elements, which are copied. A scalar has no dims.
func NewTensor[T Element](dims []int64, data []T) (*Tensor, error) {
	var element T
	var bytes []byte
	if len(data) > 0 {
		bytes = unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), uintptr(len(data))*unsafe.Sizeof(element))
	}
	return NewTensorFromBytes(dtypeOf[T](), dims, bytes)
}

// NewTensorFromBytes creates a tensor of the bytes of row-major elements, which are copied.
func NewTensorFromBytes(dtype DType, dims []int64, data []byte) (*Tensor, error) {
	size := C.size_t(len(data))
	if size == 0 {
		data = []byte{0}
	}
	var made *C.tonnx_tensor
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_new(&made, C.tonnx_dtype(dtype), firstInt(dims), C.size_t(len(dims)),
			unsafe.Pointer(&data[0]), size, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapTensor(made), nil
}

// NewTensorFromTorch wraps an at::Tensor* of the LibTorch of the process. The pointer is borrowed for the
// call; the storage is shared, and must not be written to while this tensor lives. A tensor on another device is copied
// to the host; a trace receives it on its device.
func NewTensorFromTorch(tensor unsafe.Pointer) (*Tensor, error) {
	var made *C.tonnx_tensor
	err := try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_tensor_from_torch(&made, tensor, failure) })
	if err != nil {
		return nil, err
	}
	return wrapTensor(made), nil
}

// NewTensorFromDLPack wraps a DLManagedTensor*, which is taken: its deleter runs when the tensor is freed, also if this
// call fails.
func NewTensorFromDLPack(managed unsafe.Pointer) (*Tensor, error) {
	var made *C.tonnx_tensor
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_from_dlpack(&made, (*C.struct_DLManagedTensor)(managed), failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapTensor(made), nil
}

// NewTensorFromVersionedDLPack is NewTensorFromDLPack for a DLManagedTensorVersioned*.
func NewTensorFromVersionedDLPack(managed unsafe.Pointer) (*Tensor, error) {
	var made *C.tonnx_tensor
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_from_dlpack_versioned(&made, (*C.struct_DLManagedTensorVersioned)(managed), failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapTensor(made), nil
}

// NewTorch creates an at::Tensor with a copy of the elements. The caller owns it: another package adopts the pointer,
// or DeleteTorch deletes it.
func (t *Tensor) NewTorch() (unsafe.Pointer, error) {
	var made unsafe.Pointer
	err := t.core().ask("tensor", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_to_torch(&made, (*C.tonnx_tensor)(object), failure)
	})
	return made, err
}

// DeleteTorch deletes an at::Tensor that no other package has adopted; nil is allowed.
func DeleteTorch(tensor unsafe.Pointer) { C.tonnx_tensor_delete_torch(tensor) }

// NewDLPack creates a DLManagedTensor with a copy of the elements; the consumer calls its deleter.
func (t *Tensor) NewDLPack() (unsafe.Pointer, error) {
	var made *C.struct_DLManagedTensor
	err := t.core().ask("tensor", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_to_dlpack(&made, (*C.tonnx_tensor)(object), failure)
	})
	return unsafe.Pointer(made), err
}

// NewVersionedDLPack creates a DLManagedTensorVersioned with a copy of the elements; the consumer calls its deleter.
func (t *Tensor) NewVersionedDLPack() (unsafe.Pointer, error) {
	var made *C.struct_DLManagedTensorVersioned
	err := t.core().ask("tensor", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_to_dlpack_versioned(&made, (*C.tonnx_tensor)(object), failure)
	})
	return unsafe.Pointer(made), err
}

// DType returns the element type; Undefined after Close.
func (t *Tensor) DType() DType {
	dtype := Undefined
	t.core().read(func(object unsafe.Pointer) { dtype = DType(C.tonnx_tensor_dtype((*C.tonnx_tensor)(object))) })
	return dtype
}

// Dims returns the shape.
func (t *Tensor) Dims() []int64 {
	var dims []int64
	t.core().read(func(object unsafe.Pointer) {
		first := (*int64)(unsafe.Pointer(C.tonnx_tensor_dims((*C.tonnx_tensor)(object))))
		dims = append(dims, unsafe.Slice(first, C.tonnx_tensor_rank((*C.tonnx_tensor)(object)))...)
	})
	return dims
}

// Bytes copies the row-major elements.
func (t *Tensor) Bytes() ([]byte, error) { return copyElements[byte](t) }

// Elements copies the row-major elements of a tensor with T's dtype.
func Elements[T Element](t *Tensor) ([]T, error) {
	if dtype := t.DType(); dtype != dtypeOf[T]() && dtype != Undefined {
		return nil, argumentError(fmt.Sprintf("the tensor's elements are %v, not %v", dtype, dtypeOf[T]()))
	}
	return copyElements[T](t)
}

func copyElements[T Element](t *Tensor) ([]T, error) {
	object, err := t.core().share("tensor")
	if err != nil {
		return nil, err
	}
	defer t.handle.done()
	tensor := (*C.tonnx_tensor)(object)
	var element T
	elements := make([]T, uintptr(C.tonnx_tensor_size(tensor))/unsafe.Sizeof(element))
	if len(elements) == 0 {
		return elements, nil
	}
	size := C.size_t(uintptr(len(elements)) * unsafe.Sizeof(element))
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_tensor_read(tensor, 0, unsafe.Pointer(&elements[0]), size, failure)
	})
	if err != nil {
		return nil, err
	}
	return elements, nil
}

// Close frees the tensor. It always returns nil, and a second call does nothing.
func (t *Tensor) Close() error {
	t.core().close()
	return nil
}

func dtypeOf[T Element]() DType {
	var element T
	switch any(element).(type) {
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	default:
		return Bool
	}
}
