package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

import "unsafe"

// A Node is the source operator of a symbolic, or a node of Contents, where each node has one pointer.
type Node struct {
	object *C.tonnx_node
	scope  *scope
}

// wrapNode returns the object of a node of contents; the caller has entered their scope.
func wrapNode(object *C.tonnx_node, s *scope) *Node {
	if object == nil {
		return nil
	}
	if s.nodes == nil {
		s.nodes = map[unsafe.Pointer]*Node{}
	}
	node := s.nodes[unsafe.Pointer(object)]
	if node == nil {
		node = &Node{object, s}
		s.nodes[unsafe.Pointer(object)] = node
	}
	return node
}

// read makes a call on the node, unless its symbolic has returned.
func (n *Node) read(call func()) {
	if n == nil || n.scope.enter() != nil {
		return
	}
	defer n.scope.leave()
	call()
}

// Name returns the name of a node of a model; it may be empty.
func (n *Node) Name() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_name(n.object)) })
	return text
}

// Operator returns the operator, "aten::add"; of a model "Add".
func (n *Node) Operator() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_operator(n.object)) })
	return text
}

// Overload returns the overload, "Tensor"; it may be empty.
func (n *Node) Overload() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_overload(n.object)) })
	return text
}

// Module returns the module path, "layer1.0"; it may be empty.
func (n *Node) Module() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_module(n.object)) })
	return text
}

// Source returns the source line, "model.py:12"; it may be empty.
func (n *Node) Source() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_source(n.object)) })
	return text
}

// ArgumentIndex returns the index of the schema's argument with that name, or -1.
func (n *Node) ArgumentIndex(name string) int {
	position := -1
	n.read(func() {
		var c texts
		defer c.free()
		if text := c.add("argument", name); c.err == nil {
			position = int(C.tonnx_node_argument_index(n.object, text))
		}
	})
	return position
}

// ArgumentName returns the name of the schema's argument at an index; "" if there is none.
func (n *Node) ArgumentName(index int) (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_argument_name(n.object, C.size_t(index))) })
	return text
}

// OutputCount returns the number of outputs of the operator, which is the number of values that its symbolic returns.
func (n *Node) OutputCount() (count int) {
	n.read(func() { count = int(C.tonnx_node_output_count(n.object)) })
	return count
}

// Output returns an output; in a symbolic as LibTorch computes it: a value with dtype and shape to read, which cannot be
// an input of an ONNX node.
func (n *Node) Output(index int) (value Value) {
	n.read(func() {
		if object := C.tonnx_node_output(n.object, C.size_t(index)); object != nil {
			value = Value{object, n.scope}
		}
	})
	return value
}

// Outputs lists the outputs.
func (n *Node) Outputs() (all []Value) {
	n.read(func() {
		for i, count := C.size_t(0), C.tonnx_node_output_count(n.object); i < count; i++ {
			all = append(all, Value{C.tonnx_node_output(n.object, i), n.scope})
		}
	})
	return all
}

// Inputs lists the inputs; the zero Value is an omitted one.
func (n *Node) Inputs() (all []Value) {
	n.read(func() {
		for i, count := C.size_t(0), C.tonnx_node_input_count(n.object); i < count; i++ {
			all = append(all, n.value(C.tonnx_node_input(n.object, i)))
		}
	})
	return all
}

// TensorsFirst returns the indices of the inputs, with tensors and lists of tensors before all others, as in old
// symbolics of PyTorch.
func (n *Node) TensorsFirst() (order []int, err error) {
	n.read(func() {
		err = try(func(failure **C.tonnx_error) C.tonnx_status {
			var first *C.size_t
			var count C.size_t
			status := C.tonnx_node_get_tensors_first(&first, &count, n.object, failure)
			for _, index := range unsafe.Slice(first, count) {
				order = append(order, int(index))
			}
			return status
		})
	})
	return order, err
}

// Attributes lists the attributes, without graphs, sorted by name: values with name, kind and content.
func (n *Node) Attributes() (all []Value) {
	n.read(func() {
		for i, count := C.size_t(0), C.tonnx_node_attribute_count(n.object); i < count; i++ {
			name := C.tonnx_node_attribute_name(n.object, i)
			all = append(all, n.value(C.tonnx_node_attribute(n.object, name)))
		}
	})
	return all
}

// Attribute returns an attribute by its name; the zero Value if the node has none of this name.
func (n *Node) Attribute(name string) (value Value) {
	n.read(func() {
		var c texts
		defer c.free()
		if text := c.add("attribute", name); c.err == nil {
			value = n.value(C.tonnx_node_attribute(n.object, text))
		}
	})
	return value
}

// Graphs lists the blocks of a node of contents: the branches of an If, the body of a Loop or Scan.
func (n *Node) Graphs() (all []*Graph) {
	n.read(func() {
		for i, count := C.size_t(0), C.tonnx_node_graph_count(n.object); i < count; i++ {
			all = append(all, wrapGraph(C.tonnx_node_graph(n.object, i), n.scope))
		}
	})
	return all
}

// Parent returns the graph that contains a node of contents; nil in a symbolic.
func (n *Node) Parent() (graph *Graph) {
	n.read(func() { graph = wrapGraph(C.tonnx_node_parent(n.object), n.scope) })
	return graph
}

func (n *Node) value(object *C.tonnx_value) Value {
	if object == nil {
		return Value{}
	}
	return Value{object, n.scope}
}
