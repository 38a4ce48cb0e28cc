package tonnx

// #include <tonnx.h>
import "C"

import (
	"unsafe"
)

// A Graph has nodes and values. In a symbolic it is the ONNX graph under construction, and is valid until the symbolic
// returns; afterwards its methods, and those of its nodes and values, return errors and zero values. In Contents it is a
// graph or a block, which can only be read; each has one pointer.
type Graph struct {
	object *C.tonnx_graph
	scope  *scope
}

// wrapGraph returns the object of a graph of contents; the caller has entered their scope.
func wrapGraph(object *C.tonnx_graph, s *scope) *Graph {
	if object == nil {
		return nil
	}
	if s.graphs == nil {
		s.graphs = map[unsafe.Pointer]*Graph{}
	}
	graph := s.graphs[unsafe.Pointer(object)]
	if graph == nil {
		graph = &Graph{object, s}
		s.graphs[unsafe.Pointer(object)] = graph
	}
	return graph
}

// read makes a call on a graph of contents, unless they are closed.
func (g *Graph) read(call func()) {
	if g.time().enter() != nil {
		return
	}
	defer g.scope.leave()
	call()
}

// Name returns the name of a graph of contents; for a block that of the attribute, such as "then_branch".
func (g *Graph) Name() (name string) {
	g.read(func() { name = C.GoString(C.tonnx_graph_name(g.object)) })
	return name
}

// Owner returns the node of a block of contents, such as an If or an operator of another domain; nil for the outermost
// graph.
func (g *Graph) Owner() (owner *Node) {
	g.read(func() { owner = wrapNode(C.tonnx_graph_owner(g.object), g.scope) })
	return owner
}

// Nodes lists the nodes of a graph of contents in the order in which they run, without those of blocks.
func (g *Graph) Nodes() (all []*Node) {
	g.read(func() {
		for i, count := C.size_t(0), C.tonnx_graph_node_count(g.object); i < count; i++ {
			all = append(all, wrapNode(C.tonnx_graph_node(g.object, i), g.scope))
		}
	})
	return all
}

// Inputs lists the inputs of a graph of contents; weights are not among them.
func (g *Graph) Inputs() (all []Value) {
	g.read(func() {
		for i, count := C.size_t(0), C.tonnx_graph_input_count(g.object); i < count; i++ {
			all = append(all, Value{C.tonnx_graph_input(g.object, i), g.scope})
		}
	})
	return all
}

// Outputs lists the outputs of a graph of contents.
func (g *Graph) Outputs() (all []Value) {
	g.read(func() {
		for i, count := C.size_t(0), C.tonnx_graph_output_count(g.object); i < count; i++ {
			all = append(all, Value{C.tonnx_graph_output(g.object, i), g.scope})
		}
	})
	return all
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
	return g.make(name, inputs, attributes, outputs,
		func(made **C.tonnx_value, operator *C.char, given []*C.tonnx_value, set *C.tonnx_attributes,
			failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_graph_op(made, C.size_t(outputs), g.object, operator, firstValue(given),
				C.size_t(len(given)), set, failure)
		})
}

// make passes an operator with inputs and attributes to a function of the C library that makes outputs.
func (g *Graph) make(name string, inputs []Value, attributes Attributes, outputs int,
	call func(**C.tonnx_value, *C.char, []*C.tonnx_value, *C.tonnx_attributes, **C.tonnx_error) C.tonnx_status,
) ([]Value, error) {
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
	set, err := attributes.build(g.scope)
	if err != nil {
		return nil, err
	}
	defer C.tonnx_attributes_free(set)
	made := make([]*C.tonnx_value, outputs)
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return call(&made[0], operator, given, set, failure)
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

// Opset returns the opset of the default domain that the export targets, or that a model has; 0 for a program.
func (g *Graph) Opset() int {
	if g.time().enter() != nil {
		return 0
	}
	defer g.scope.leave()
	return int(C.tonnx_graph_opset(g.object))
}

// Training returns true if the export is in training mode.
func (g *Graph) Training() bool {
	if g.time().enter() != nil {
		return false
	}
	defer g.scope.leave()
	return C.tonnx_graph_is_training(g.object) != 0
}

// Call converts another operator of LibTorch as tonnx itself does, such as "aten::gelu" or "aten::add.Tensor", with one
// output. inputs are its first arguments; arguments has further ones by name, as ints, bools, floats, strings, tensors
// and lists of these, and may be nil. Symbolics are not called.
func (g *Graph) Call(name string, inputs []Value, arguments Attributes) (Value, error) {
	outputs, err := g.CallN(name, inputs, arguments, 1)
	if err != nil {
		return Value{}, err
	}
	return outputs[0], nil
}

// CallN is Call for an operator with several outputs.
func (g *Graph) CallN(name string, inputs []Value, arguments Attributes, outputs int) ([]Value, error) {
	return g.make(name, inputs, arguments, outputs,
		func(made **C.tonnx_value, operator *C.char, given []*C.tonnx_value, set *C.tonnx_attributes,
			failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_graph_call(made, C.size_t(outputs), g.object, operator, firstValue(given),
				C.size_t(len(given)), set, failure)
		})
}

// List returns a list of tensors, as an argument of Call.
func (g *Graph) List(values ...Value) (Value, error) {
	if err := g.time().enter(); err != nil {
		return Value{}, err
	}
	defer g.scope.leave()
	given, err := g.objects(values)
	if err != nil {
		return Value{}, err
	}
	var made *C.tonnx_value
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_list(&made, g.object, firstValue(given), C.size_t(len(given)), failure)
	})
	if err != nil {
		return Value{}, err
	}
	return Value{made, g.scope}, nil
}

// AddSubgraph adds a sub-graph: a branch of an If (attributes "then_branch" and "else_branch"), the body of a Loop,
// Scan or SequenceMap ("body"), or any attribute of an operator of another domain. Add its nodes, call SetResults, then
// pass it to Op of this graph as an attribute. Its nodes may use the values of the graphs around it.
func (g *Graph) AddSubgraph() (*Graph, error) {
	if err := g.time().enter(); err != nil {
		return nil, err
	}
	defer g.scope.leave()
	var made *C.tonnx_graph
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_add_subgraph(&made, g.object, failure)
	})
	if err != nil {
		return nil, err
	}
	return &Graph{made, g.scope}, nil
}

// AddInput adds an input to a sub-graph.
func (g *Graph) AddInput() (Value, error) {
	if err := g.time().enter(); err != nil {
		return Value{}, err
	}
	defer g.scope.leave()
	var made *C.tonnx_value
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_add_input(&made, g.object, failure)
	})
	if err != nil {
		return Value{}, err
	}
	return Value{made, g.scope}, nil
}

// SetResults ends a sub-graph. A symbolic returns its own results instead.
func (g *Graph) SetResults(values ...Value) error {
	if err := g.time().enter(); err != nil {
		return err
	}
	defer g.scope.leave()
	given, err := g.objects(values)
	if err != nil {
		return err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_set_results(g.object, firstValue(given), C.size_t(len(given)), failure)
	})
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
