package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
// #include "shim.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// A Symbolic turns one operator of a program into ONNX nodes. The inputs are the operator's arguments in schema
// order: tensors as values of the graph under construction, other arguments as constants. It returns one value per
// output of the node, the zero Value where an output has no ONNX counterpart; of a node whose only
// output is a list of tensors it returns the items.
//
// ErrDecline says "not me"; any other error, or a panic, makes the export fail with StatusCallback, and errors.Is
// finds it in the export's error. A symbolic runs on the goroutine that exports, and several exports may run one at
// once.
type Symbolic func(graph *Graph, node *Node, inputs []Value) ([]Value, error)

// A Registry holds symbolics beside the built-in lowerings. Exports read it; Add and Remove want it alone.
type Registry struct{ *handle }

// A Registration is an entry of a registry.
type Registration struct {
	Name   string // "domain::op" or "domain::op.overload"
	Since  int    // the oldest opset that it serves
	Custom bool   // whether it is a symbolic, not a built-in lowering
}

func (r *Registry) core() *handle {
	if r == nil {
		return nil
	}
	return r.handle
}

// NewRegistry makes a registry of the built-in lowerings.
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

// Add registers a symbolic for "domain::op" (every overload) or "domain::op.overload", for targets from opset since
// on. It wins over every built-in of that name; among symbolics the newest not above the target wins. Registering the
// same name and opset again replaces.
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

// Remove removes a symbolic; a built-in of that name is in force again.
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

// Registrations lists every registration, by name, then opset.
func (r *Registry) Registrations() []Registration {
	var all []Registration
	r.core().read(func(object unsafe.Pointer) {
		registry := (*C.tonnx_registry)(object)
		for i, count := C.size_t(0), C.tonnx_registry_count(registry); i < count; i++ {
			all = append(all, Registration{
				Name:   C.GoString(C.tonnx_registry_name(registry, i)),
				Since:  int(C.tonnx_registry_since(registry, i)),
				Custom: C.tonnx_registry_is_custom(registry, i) != 0,
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
