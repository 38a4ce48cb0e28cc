package tonnx

// #include <tonnx.h>
import "C"

import (
	"fmt"
	"sort"
	"strings"
	"unsafe"
)

// Attributes of an ONNX node, by name: an int, int64 or bool is an int attribute; a float64 or float32 is a float
// attribute; a string, a *Tensor and a TensorType are attributes of these types; a []int, []int64, []float64,
// []float32, []string or []*Tensor is a list attribute; a *Graph is a sub-graph (Graph.AddSubgraph). SetSuffixed sets the
// content of a Value.
type Attributes map[string]any

// suffixed is the content of a value as an attribute.
type suffixed struct {
	name  string // with its suffix
	value Value
}

// SetSuffixed sets an attribute to the content of a value of the symbolic, such as an argument. The suffixed name is that
// of the attribute with its kind: "alpha_f", "dims_i", "mode_s", "value_t", or "dtype_ty" for the type of the value. A
// list makes the attribute a list. None and the zero Value set nothing. An unknown suffix is an error of the call that
// reads the attributes.
func (a Attributes) SetSuffixed(suffixedName string, value Value) {
	name := suffixedName
	if end := strings.LastIndexByte(suffixedName, '_'); end > 0 {
		name = suffixedName[:end]
	}
	if _, set := a[name]; !set || !value.IsNone() {
		a[name] = suffixed{suffixedName, value}
	}
}

// A TensorType is a type attribute. A dim of -1 is unknown.
type TensorType struct {
	DType DType
	Dims  []int64
}

// build creates the C library's object for a node of a graph of this scope; the caller frees it.
func (a Attributes) build(scope *scope) (*C.tonnx_attributes, error) {
	if len(a) == 0 {
		return nil, nil
	}
	names := make([]string, 0, len(a))
	for name := range a {
		names = append(names, name)
	}
	sort.Strings(names)
	var made *C.tonnx_attributes
	err := try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_attributes_new(&made, failure) })
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := setAttribute(made, name, a[name], scope); err != nil {
			C.tonnx_attributes_free(made)
			return nil, err
		}
	}
	return made, nil
}

func setAttribute(attributes *C.tonnx_attributes, name string, value any, scope *scope) error {
	var c texts
	defer c.free()
	key := c.add("attribute name", name)
	var set func(failure **C.tonnx_error) C.tonnx_status
	switch v := value.(type) {
	case int:
		set = setInt(attributes, key, int64(v))
	case int64:
		set = setInt(attributes, key, v)
	case bool:
		set = setInt(attributes, key, int64(toBool(v)))
	case float32:
		set = setFloat(attributes, key, float64(v))
	case float64:
		set = setFloat(attributes, key, v)
	case string:
		text := c.add("attribute", v)
		set = func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_attributes_set_string(attributes, key, text, failure)
		}
	case *Tensor:
		object, err := v.core().share("tensor")
		if err != nil {
			return err
		}
		defer v.done()
		set = func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_attributes_set_tensor(attributes, key, (*C.tonnx_tensor)(object), failure)
		}
	case TensorType:
		set = func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_attributes_set_type(attributes, key, C.tonnx_dtype(v.DType), firstInt(v.Dims),
				C.size_t(len(v.Dims)), failure)
		}
	case []int:
		set = setInts(attributes, key, widen[int64](v))
	case []int64:
		set = setInts(attributes, key, v)
	case []float32:
		set = setFloats(attributes, key, widen[float64](v))
	case []float64:
		set = setFloats(attributes, key, v)
	case []string:
		all := c.addAll("attribute", v)
		set = func(failure **C.tonnx_error) C.tonnx_status {
			var first **C.char
			if len(all) > 0 {
				first = &all[0]
			}
			return C.tonnx_attributes_set_strings(attributes, key, first, C.size_t(len(all)), failure)
		}
	case *Graph:
		if v == nil {
			return argumentError("the sub-graph " + name + " is nil")
		}
		if v.scope != scope {
			return argumentError("the sub-graph " + name + " belongs to another symbolic")
		}
		set = func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_attributes_set_graph(attributes, key, v.object, failure)
		}
	case suffixed:
		if v.value.object != nil && v.value.scope != scope {
			return argumentError("the value of " + name + " belongs to another symbolic")
		}
		text := c.add("attribute name", v.name)
		set = func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_attributes_set_suffixed(attributes, text, v.value.object, failure)
		}
	case Value:
		return argumentError("a Value is set by Attributes.SetSuffixed (" + name + ")")
	case []*Tensor:
		return setTensors(attributes, key, v)
	default:
		return argumentError(fmt.Sprintf("a value of type %T cannot be an attribute (%s)", value, name))
	}
	if c.err != nil {
		return c.err
	}
	return try(set)
}

func setInt(attributes *C.tonnx_attributes, key *C.char, value int64) func(**C.tonnx_error) C.tonnx_status {
	return func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_attributes_set_int(attributes, key, C.int64_t(value), failure)
	}
}

func setFloat(attributes *C.tonnx_attributes, key *C.char, value float64) func(**C.tonnx_error) C.tonnx_status {
	return func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_attributes_set_float(attributes, key, C.double(value), failure)
	}
}

func setInts(attributes *C.tonnx_attributes, key *C.char, values []int64) func(**C.tonnx_error) C.tonnx_status {
	return func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_attributes_set_ints(attributes, key, firstInt(values), C.size_t(len(values)), failure)
	}
}

func setFloats(attributes *C.tonnx_attributes, key *C.char, values []float64) func(**C.tonnx_error) C.tonnx_status {
	return func(failure **C.tonnx_error) C.tonnx_status {
		var first *C.double
		if len(values) > 0 {
			first = (*C.double)(unsafe.Pointer(&values[0]))
		}
		return C.tonnx_attributes_set_floats(attributes, key, first, C.size_t(len(values)), failure)
	}
}

func setTensors(attributes *C.tonnx_attributes, key *C.char, tensors []*Tensor) error {
	objects := make([]*C.tonnx_tensor, 0, len(tensors))
	for _, tensor := range tensors {
		object, err := tensor.core().share("tensor")
		if err != nil {
			return err
		}
		defer tensor.done()
		objects = append(objects, (*C.tonnx_tensor)(object))
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status {
		var first **C.tonnx_tensor
		if len(objects) > 0 {
			first = &objects[0]
		}
		return C.tonnx_attributes_set_tensors(attributes, key, first, C.size_t(len(objects)), failure)
	})
}

func widen[To, From int | int64 | float32 | float64](values []From) []To {
	wide := make([]To, 0, len(values))
	for _, value := range values {
		wide = append(wide, To(value))
	}
	return wide
}
