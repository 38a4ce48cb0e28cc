package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
// #include "shim.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// A Symbolic converts one operator of a program to ONNX nodes. The inputs are the operator's arguments in schema order:
// tensors are values of the graph under construction, other arguments are constants. It returns one value per output of
// the node, the zero Value if an output has no ONNX counterpart. If the only output of the node is a list of tensors,
// it returns the items.
//
// ErrDecline leaves the node to the next registration. Any other error, or a panic, makes the export fail with
// StatusCallback, and errors.Is finds it in the export's error. A symbolic runs on the goroutine that exports, and
// several exports may run one at the same time.
type Symbolic func(graph *Graph, node *Node, inputs []Value) ([]Value, error)

// A Registry holds symbolics in addition to the built-in lowerings. A call uses those that it has when
// the call starts. Add and Remove are refused while a call uses it.
type Registry struct{ *handle }

// A Registration is an entry of a registry.
type Registration struct {
	Name   string // "domain::op" or "domain::op.overload"
	Since  int    // the oldest opset that it serves
	Custom bool   // whether it is a symbolic, not a built-in lowering
	// "lowering", "symbolic" or "function" by a registration; by passes "write", "container", "constant" and
	// "quantised"
	Kind string
}

func (r *Registry) core() *handle {
	if r == nil {
		return nil
	}
	return r.handle
}

// NewRegistry creates a registry of the built-in lowerings.
func NewRegistry() (*Registry, error) {
	var made *C.tonnx_registry
	err := try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_registry_new(&made, failure) })
	if err != nil {
		return nil, err
	}
	return &Registry{newHandle(unsafe.Pointer(made), func(object unsafe.Pointer) {
		C.tonnx_registry_free((*C.tonnx_registry)(object))
	})}, nil
}

// Add registers a symbolic for "domain::op" (every overload) or "domain::op.overload", for targets from opset since on.
// It takes precedence over every built-in lowering of that name; among symbolics the newest one not above the target is
// called. Registering the same name and opset again replaces the symbolic.
func (r *Registry) Add(name string, since int, symbolic Symbolic) error {
	if symbolic == nil {
		return argumentError("the symbolic is nil")
	}
	oldest, err := toInt32("opset", since)
	if err != nil {
		return err
	}
	var c texts
	defer c.free()
	text := c.add("operator name", name)
	if c.err != nil {
		return c.err
	}
	return r.core().change("registry", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		// The library deletes the handle, also when the call fails.
		data := C.uintptr_t(cgo.NewHandle(symbolic))
		return C.tonnx_go_registry_add((*C.tonnx_registry)(object), text, oldest, data, failure)
	})
}

// AddFunctions adds ONNX functions: one serialized FunctionProto, or one or more functions in ONNX text format. A
// symbolic calls one by Graph.Op with its domain and name; the model contains those that it calls, and those that they
// call. If name is not empty, this operator ("domain::op" or "domain::op.overload") is converted to a call of the last
// function, for targets from opset since on, or for every one if since is 0: arguments are passed as the inputs and
// attributes of the same names, other tensors as the other inputs, in order.
func (r *Registry) AddFunctions(source []byte, name string, since int) error {
	oldest, err := toInt32("opset", since)
	if err != nil {
		return err
	}
	size := C.size_t(len(source))
	if size == 0 {
		source = []byte{0}
	}
	var c texts
	defer c.free()
	var text *C.char
	if name != "" {
		text = c.add("operator name", name)
	}
	if c.err != nil {
		return c.err
	}
	return r.core().change("registry", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_registry_add_functions(
			(*C.tonnx_registry)(object), unsafe.Pointer(&source[0]), size, text, oldest, failure)
	})
}

// SetArguments declares the arguments of a symbolic: a kind for each, in the order of the schema, "v,i,is,f". v is any
// value, i f b s an int, float, bool or string, t a tensor or number, is fs ss a list, and none not used. All but v and
// none must be constants, or None. An export with other arguments fails before the symbolic is called, with
// StatusCallback and the argument, its value and type.
func (r *Registry) SetArguments(name string, since int, kinds string) error {
	oldest, err := toInt32("opset", since)
	if err != nil {
		return err
	}
	var c texts
	defer c.free()
	text, list := c.add("operator name", name), c.add("kinds", kinds)
	if c.err != nil {
		return c.err
	}
	return r.core().change("registry", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_registry_set_arguments((*C.tonnx_registry)(object), text, oldest, list, failure)
	})
}

// Remove removes a symbolic; a built-in lowering of that name applies again.
func (r *Registry) Remove(name string, since int) error {
	oldest, err := toInt32("opset", since)
	if err != nil {
		return err
	}
	var c texts
	defer c.free()
	text := c.add("operator name", name)
	if c.err != nil {
		return c.err
	}
	return r.core().change("registry", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_registry_remove((*C.tonnx_registry)(object), text, oldest, failure)
	})
}

// Registrations lists every operator that an export converts, by name, then opset.
func (r *Registry) Registrations() []Registration {
	var all []Registration
	r.core().read(func(object unsafe.Pointer) {
		registry := (*C.tonnx_registry)(object)
		for i, count := C.size_t(0), C.tonnx_registry_count(registry); i < count; i++ {
			all = append(all, Registration{
				Name:   C.GoString(C.tonnx_registry_name(registry, i)),
				Since:  int(C.tonnx_registry_since(registry, i)),
				Custom: C.tonnx_registry_is_custom(registry, i) != 0,
				Kind:   C.GoString(C.tonnx_registry_kind(registry, i)),
			})
		}
	})
	return all
}

// Close frees the registry. It always returns nil, and a second call does nothing.
func (r *Registry) Close() error {
	r.core().close()
	return nil
}
