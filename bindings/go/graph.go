package tonnx

// #include <tonnx.h>
import "C"

import (
	"unsafe"
)

// A Graph is the ONNX graph under construction in a symbolic. It, its nodes and its values are valid until the symbolic
// returns; afterwards their methods return errors and zero values.
type Graph struct {
	object *C.tonnx_graph
	scope  *scope
}

func (g *Graph) time() *scope {
	if g == nil {
		return nil
	}
	return g.scope
}

// Op appends a node with one output. The name is an operator of the default domain ("Conv") or "domain::Op". The zero
// Value is an omitted optional input; a constant argument used as an input becomes a Constant node. attributes may be
// nil.
func (g *Graph) Op(name string, inputs []Value, attributes Attributes) (Value, error) {
	outputs, err := g.OpN(name, inputs, attributes, 1)
	if err != nil {
		return Value{}, err
	}
	return outputs[0], nil
}

// OpN appends a node with several outputs.
func (g *Graph) OpN(name string, inputs []Value, attributes Attributes, outputs int) ([]Value, error) {
	if err := g.time().enter(); err != nil {
		return nil, err
	}
	defer g.scope.leave()
	if outputs < 1 {
		return nil, argumentError("a node needs at least one output")
	}
	given, err := g.objects(inputs)
	if err != nil {
		return nil, err
	}
	var c texts
	defer c.free()
	operator := c.add("operator name", name)
	if c.err != nil {
		return nil, c.err
	}
	set, err := attributes.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_attributes_free(set)
	made := make([]*C.tonnx_value, outputs)
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_op(&made[0], C.size_t(outputs), g.object, operator, firstValue(given), C.size_t(len(given)),
			set, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapValues(made, g.scope), nil
}

// Constant appends a Constant node; the tensor is shared.
func (g *Graph) Constant(tensor *Tensor) (Value, error) {
	if err := g.time().enter(); err != nil {
		return Value{}, err
	}
	defer g.scope.leave()
	var made *C.tonnx_value
	err := tensor.core().ask("tensor", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_constant(&made, g.object, (*C.tonnx_tensor)(object), failure)
	})
	if err != nil {
		return Value{}, err
	}
	return Value{made, g.scope}, nil
}

// Cast appends a Cast, or returns the value itself if it is known to have this dtype.
func (g *Graph) Cast(value Value, dtype DType) (Value, error) {
	if err := g.time().enter(); err != nil {
		return Value{}, err
	}
	defer g.scope.leave()
	given, err := g.objects([]Value{value})
	if err != nil {
		return Value{}, err
	}
	var made *C.tonnx_value
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_cast(&made, g.object, given[0], C.tonnx_dtype(dtype), failure)
	})
	if err != nil {
		return Value{}, err
	}
	return Value{made, g.scope}, nil
}

// Opset returns the opset of the default domain that the export targets.
func (g *Graph) Opset() int {
	if g.time().enter() != nil {
		return 0
	}
	defer g.scope.leave()
	return int(C.tonnx_graph_opset(g.object))
}

// objects unwraps values, which must be of this graph.
func (g *Graph) objects(values []Value) ([]*C.tonnx_value, error) {
	objects := make([]*C.tonnx_value, 0, len(values))
	for _, value := range values {
		if value.object != nil && value.scope != g.scope {
			return nil, argumentError("a value belongs to another graph")
		}
		objects = append(objects, value.object)
	}
	return objects, nil
}

func wrapValues(objects []*C.tonnx_value, scope *scope) []Value {
	values := make([]Value, 0, len(objects))
	for _, object := range objects {
		values = append(values, Value{object, scope})
	}
	return values
}

func firstValue(objects []*C.tonnx_value) **C.tonnx_value {
	if len(objects) == 0 {
		return nil
	}
	return &objects[0]
}
