package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

// A Node is the source operator of a symbolic.
type Node struct {
	object *C.tonnx_node
	scope  *scope
}

// read makes a call on the node, unless its symbolic has returned.
func (n *Node) read(call func()) {
	if n == nil || n.scope.enter() != nil {
		return
	}
	defer n.scope.leave()
	call()
}

// Operator returns the name, "aten::add".
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

// Argument returns the index of the schema's argument with that name, or -1.
func (n *Node) Argument(name string) int {
	position := -1
	n.read(func() {
		var c texts
		defer c.free()
		if text := c.add("argument", name); c.err == nil {
			position = int(C.tonnx_node_argument(n.object, text))
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

// Output returns an output as LibTorch computes it: a value with dtype and shape to read. It cannot be an input of an
// ONNX node.
func (n *Node) Output(index int) (value Value) {
	n.read(func() {
		if object := C.tonnx_node_output(n.object, C.size_t(index)); object != nil {
			value = Value{object, n.scope}
		}
	})
	return value
}
