package tonnx_test

import (
	"math"
	"reflect"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func roundTrip[T tonnx.Element](t *testing.T, dtype tonnx.DType, elements ...T) {
	t.Helper()
	dims := []int64{int64(len(elements)), 1}
	tensor, err := tonnx.NewTensor(dims, elements)
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	if tensor.DType() != dtype || !reflect.DeepEqual(tensor.Dims(), dims) {
		t.Errorf("%v%v; wanted %v%v", tensor.DType(), tensor.Dims(), dtype, dims)
	}
	if back, err := tonnx.Elements[T](tensor); err != nil || !reflect.DeepEqual(back, elements) {
		t.Errorf("%v, %v; wanted %v", back, err, elements)
	}
}

func TestTensorKeepsElementsOfEachType(t *testing.T) {
	roundTrip(t, tonnx.Uint8, uint8(0), math.MaxUint8)
	roundTrip(t, tonnx.Uint16, uint16(0), math.MaxUint16)
	roundTrip(t, tonnx.Uint32, uint32(0), math.MaxUint32)
	roundTrip(t, tonnx.Uint64, uint64(0), math.MaxUint64)
	roundTrip(t, tonnx.Int8, int8(math.MinInt8), math.MaxInt8)
	roundTrip(t, tonnx.Int16, int16(math.MinInt16), math.MaxInt16)
	roundTrip(t, tonnx.Int32, int32(math.MinInt32), math.MaxInt32)
	roundTrip(t, tonnx.Int64, int64(math.MinInt64), math.MaxInt64)
	roundTrip(t, tonnx.Float32, float32(-1.5), math.MaxFloat32)
	roundTrip(t, tonnx.Float64, -1.5, math.MaxFloat64)
	roundTrip(t, tonnx.Complex64, complex64(complex(1, -2)))
	roundTrip(t, tonnx.Complex128, complex(1, -2))
	roundTrip(t, tonnx.Bool, true, false)
}

func TestTensorOfNoElementsAndOfOne(t *testing.T) {
	empty, err := tonnx.NewTensor([]int64{0, 3}, []float32{})
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if elements, err := tonnx.Elements[float32](empty); err != nil || len(elements) != 0 {
		t.Errorf("%v, %v", elements, err)
	}
	scalar, err := tonnx.NewTensor(nil, []int64{7})
	if err != nil {
		t.Fatal(err)
	}
	defer scalar.Close()
	if elements, err := tonnx.Elements[int64](scalar); err != nil || len(scalar.Dims()) != 0 || elements[0] != 7 {
		t.Errorf("%v, %v, %v", scalar.Dims(), elements, err)
	}
}

func TestTensorCopiesWhatItIsGiven(t *testing.T) {
	elements := []float32{1, 2}
	tensor, err := tonnx.NewTensor([]int64{2}, elements)
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	elements[0] = 9
	back, err := tonnx.Elements[float32](tensor)
	if err != nil || back[0] != 1 {
		t.Errorf("%v, %v", back, err)
	}
}

func TestTensorOfBytesInsideAStructWithPointers(t *testing.T) {
	owner := struct {
		bytes [2]byte
		other *int
	}{[2]byte{0, 0x3c}, new(int)}
	tensor, err := tonnx.NewTensorFromBytes(tonnx.Float16, []int64{1}, owner.bytes[:])
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	if bytes, err := tensor.Bytes(); err != nil || len(bytes) != 2 || bytes[1] != 0x3c {
		t.Errorf("%v, %v", bytes, err)
	}
}

func TestTensorRefusesWrongUse(t *testing.T) {
	_, err := tonnx.NewTensor([]int64{3}, []float32{1, 2})
	wantError(t, err, tonnx.StatusArgument, "")
	_, err = tonnx.NewTensor([]int64{-1}, []float32{1})
	wantError(t, err, tonnx.StatusArgument, "")
	_, err = tonnx.NewTensorFromBytes(tonnx.Undefined, []int64{1}, []byte{1})
	wantError(t, err, tonnx.StatusArgument, "")
	_, err = tonnx.NewTensorFromBytes(tonnx.DType(9999), []int64{1}, []byte{1})
	wantError(t, err, tonnx.StatusArgument, "")
	_, err = tonnx.NewTensorFromTorch(nil)
	wantError(t, err, tonnx.StatusArgument, "")
	_, err = tonnx.NewTensorFromDLPack(nil)
	wantError(t, err, tonnx.StatusArgument, "")
	managed, err := vector(t, 2).NewVersionedDLPack()
	if err != nil {
		t.Fatal(err)
	}
	_, err = tonnx.NewTensorFromDLPack(managed)
	wantError(t, err, tonnx.StatusArgument, "this is a DLManagedTensorVersioned")
	if managed, err = vector(t, 2).NewVersionedDLPack(); err != nil {
		t.Fatal(err)
	}
	taken, err := tonnx.NewTensorFromVersionedDLPack(managed)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if elements, err := tonnx.Elements[float32](taken); err != nil || len(elements) != 2 || elements[1] != 1 {
		t.Error(elements, err)
	}
	_, err = tonnx.Elements[int32](vector(t, 2))
	wantError(t, err, tonnx.StatusArgument, "float32, not int32")
}

func TestTensorClosedTwiceAndUsed(t *testing.T) {
	closed, err := tonnx.NewTensor([]int64{1}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 2; i++ {
		if err := closed.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, tensor := range []*tonnx.Tensor{closed, nil, {}} {
		if tensor.DType() != tonnx.Undefined || tensor.Dims() != nil {
			t.Errorf("%v%v", tensor.DType(), tensor.Dims())
		}
		part := "the tensor is nil"
		if tensor == closed {
			part = "the tensor is closed"
		}
		_, err := tensor.Bytes()
		wantError(t, err, tonnx.StatusArgument, part)
		_, err = tonnx.Elements[float32](tensor)
		wantError(t, err, tonnx.StatusArgument, part)
		_, err = tonnx.NewArgs(tensor)
		wantError(t, err, tonnx.StatusArgument, part)
		tensor.Close()
	}
}

func TestDTypeNames(t *testing.T) {
	for name, dtype := range map[string]tonnx.DType{
		"float32": tonnx.Float32, "half": tonnx.Float16, "long": tonnx.Int64, "bool": tonnx.Bool, "bfloat16": tonnx.BFloat16,
		"no dtype": tonnx.Undefined, "float32\x00": tonnx.Undefined,
	} {
		if parsed := tonnx.ParseDType(name); parsed != dtype {
			t.Errorf("%q is %v, not %v", name, parsed, dtype)
		}
	}
	if tonnx.Float32.String() != "float32" || tonnx.DType(9999).String() != "undefined" {
		t.Errorf("%v, %v", tonnx.Float32, tonnx.DType(9999))
	}
	if tonnx.Float64.Size() != 8 || tonnx.Undefined.Size() != 0 || tonnx.DType(9999).Size() != 0 {
		t.Errorf("%d, %d, %d", tonnx.Float64.Size(), tonnx.Undefined.Size(), tonnx.DType(9999).Size())
	}
}
