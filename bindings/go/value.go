package tonnx

// #include <tonnx.h>
import "C"

import "unsafe"

// A Value is an argument of a symbolic's operator, a value of the graph that it builds, or one of Contents or of an
// attribute, which can only be read. Its methods return properties that hold in every run of the model. The zero Value
// is an omitted input or output. Values can be compared.
type Value struct {
	object *C.tonnx_value
	scope  *scope
}

// read makes a call on the value, unless it is absent or its symbolic has returned.
func (v Value) read(call func()) {
	if v.object == nil || v.scope.enter() != nil {
		return
	}
	defer v.scope.leave()
	call()
}

// ask makes a call that can fail.
func (v Value) ask(call func(failure **C.tonnx_error) C.tonnx_status) error {
	if v.object == nil {
		return argumentError("the value is absent")
	}
	if err := v.scope.enter(); err != nil {
		return err
	}
	defer v.scope.leave()
	return try(call)
}

// Name returns the name of an input, output or weight; "" if it has none yet.
func (v Value) Name() (name string) {
	v.read(func() { name = C.GoString(C.tonnx_value_name(v.object)) })
	return name
}

// Kind says what the value is.
func (v Value) Kind() Kind {
	kind := KindNone
	v.read(func() { kind = Kind(C.tonnx_value_kind(v.object)) })
	return kind
}

// Type returns the type as in a schema, "Tensor" or "int[]"; it may be empty.
func (v Value) Type() (text string) {
	v.read(func() { text = C.GoString(C.tonnx_value_type(v.object)) })
	return text
}

// DType returns the element type; Undefined if it is unknown.
func (v Value) DType() DType {
	dtype := Undefined
	v.read(func() { dtype = DType(C.tonnx_value_dtype(v.object)) })
	return dtype
}

// Rank returns the number of dimensions, and whether it is known.
func (v Value) Rank() (rank int, known bool) {
	v.read(func() {
		rank, known = int(C.tonnx_value_rank(v.object)), C.tonnx_value_has_rank(v.object) != 0
	})
	return rank, known
}

// Dim returns the size of a dimension; -1 if it is dynamic or unknown.
func (v Value) Dim(axis int) int64 {
	size := int64(-1)
	v.read(func() { size = int64(C.tonnx_value_dim(v.object, C.size_t(axis))) })
	return size
}

// DimSymbol returns the name of a dynamic dimension, "batch"; it may be empty.
func (v Value) DimSymbol(axis int) (symbol string) {
	v.read(func() { symbol = C.GoString(C.tonnx_value_dim_symbol(v.object, C.size_t(axis))) })
	return symbol
}

// IsNone returns true if the value is absent or None.
func (v Value) IsNone() bool {
	none := v.object == nil
	v.read(func() { none = C.tonnx_value_is_none(v.object) != 0 })
	return none
}

// RequiresGrad returns true for an argument or an output of a function of a trace (Recorder.Function) whose tensor
// required gradients when the code ran.
func (v Value) RequiresGrad() (requires bool) {
	v.read(func() { requires = C.tonnx_value_requires_grad(v.object) != 0 })
	return requires
}

// IsConstant returns true if the value's content is known.
func (v Value) IsConstant() (constant bool) {
	v.read(func() { constant = C.tonnx_value_is_constant(v.object) != 0 })
	return constant
}

// Int reads a constant int or bool.
func (v Value) Int() (int64, error) {
	var number C.int64_t
	err := v.ask(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_value_get_int(&number, v.object, failure) })
	return int64(number), err
}

// Float reads a constant number.
func (v Value) Float() (float64, error) {
	var number C.double
	err := v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_value_get_float(&number, v.object, failure)
	})
	return float64(number), err
}

// Bool reads a constant bool.
func (v Value) Bool() (bool, error) {
	var flag C.int32_t
	err := v.ask(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_value_get_bool(&flag, v.object, failure) })
	return flag != 0, err
}

// Text reads a constant string.
func (v Value) Text() (text string, err error) {
	err = v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		var borrowed *C.char
		status := C.tonnx_value_get_string(&borrowed, v.object, failure)
		text = C.GoString(borrowed)
		return status
	})
	return text, err
}

// Ints reads a constant list of ints.
func (v Value) Ints() (numbers []int64, err error) {
	err = v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		var first *C.int64_t
		var count C.size_t
		status := C.tonnx_value_get_ints(&first, &count, v.object, failure)
		numbers = append(numbers, unsafe.Slice((*int64)(unsafe.Pointer(first)), count)...)
		return status
	})
	return numbers, err
}

// Floats reads a constant list of numbers.
func (v Value) Floats() (numbers []float64, err error) {
	err = v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		var first *C.double
		var count C.size_t
		status := C.tonnx_value_get_floats(&first, &count, v.object, failure)
		numbers = append(numbers, unsafe.Slice((*float64)(unsafe.Pointer(first)), count)...)
		return status
	})
	return numbers, err
}

// Texts reads a constant list of strings.
func (v Value) Texts() (all []string, err error) {
	err = v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		var first **C.char
		var count C.size_t
		status := C.tonnx_value_get_strings(&first, &count, v.object, failure)
		for _, text := range unsafe.Slice(first, count) {
			all = append(all, C.GoString(text))
		}
		return status
	})
	return all, err
}

// Tensor reads a constant tensor or a weight. The tensor is the caller's to Close, and outlives the symbolic.
func (v Value) Tensor() (*Tensor, error) {
	var made *C.tonnx_tensor
	err := v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_value_get_tensor(&made, v.object, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapTensor(made), nil
}

// List returns the items of a list of tensors.
func (v Value) List() (items []Value, err error) {
	err = v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		var first **C.tonnx_value
		var count C.size_t
		status := C.tonnx_value_get_list(&first, &count, v.object, failure)
		items = wrapValues(unsafe.Slice(first, count), v.scope)
		return status
	})
	return items, err
}

// A Use is a use of a value of Contents: an input of a node. A graph or block that returns the value uses it as an input
// of a node "prim::Return", which is not one of its nodes; Node.Parent returns the graph.
type Use struct {
	Node  *Node
	Index int // of the input
}

// Producer returns the node that computes a value of contents; nil for inputs and weights, and in a symbolic.
func (v Value) Producer() (node *Node) {
	v.read(func() { node = wrapNode(C.tonnx_value_producer(v.object), v.scope) })
	return node
}

// Uses lists the uses of a value of contents, also those in blocks.
func (v Value) Uses() (all []Use) {
	v.read(func() {
		for i, count := C.size_t(0), C.tonnx_value_use_count(v.object); i < count; i++ {
			user := wrapNode(C.tonnx_value_user(v.object, i), v.scope)
			all = append(all, Use{user, int(C.tonnx_value_use_index(v.object, i))})
		}
	})
	return all
}

// SetType sets the type of a value that ONNX cannot infer, such as a result of a custom operator: a dim of -1 is
// unknown.
func (v Value) SetType(dtype DType, dims ...int64) error {
	return v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_value_set_type(v.object, C.tonnx_dtype(dtype), firstInt(dims), C.size_t(len(dims)), failure)
	})
}

// CopyType sets the type of the value to that of another one, such as Node.Output.
func (v Value) CopyType(from Value) error {
	if from.object == nil || from.scope != v.scope {
		return argumentError("the type must be that of a value of the same symbolic")
	}
	return v.ask(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_value_copy_type(v.object, from.object, failure)
	})
}
