package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

// A Node is the source operator of a symbolic.
type Node struct {
	object *C.tonnx_node
	scope  *scope
}

// read runs a call on the node, unless its symbolic has returned.
func (n *Node) read(call func()) {
	if n == nil || n.scope.enter() != nil {
		return
	}
	defer n.scope.leave()
	call()
}

// Operator tells the name, "aten::add".
func (n *Node) Operator() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_operator(n.object)) })
	return text
}

// Overload tells the overload, "Tensor"; it may be empty.
func (n *Node) Overload() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_overload(n.object)) })
	return text
}

// Module tells the module path, "layer1.0"; it may be empty.
func (n *Node) Module() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_module(n.object)) })
	return text
}

// Source tells the source line, "model.py:12"; it may be empty.
func (n *Node) Source() (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_source(n.object)) })
	return text
}

// Argument tells the position of the schema's argument of that name, or -1.
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

// ArgumentName tells the name of the schema's argument at a position; "" if there is none.
func (n *Node) ArgumentName(index int) (text string) {
	n.read(func() { text = C.GoString(C.tonnx_node_argument_name(n.object, C.size_t(index))) })
	return text
}

// OutputCount tells how many outputs the operator has, and so how many values its symbolic returns.
func (n *Node) OutputCount() (count int) {
	n.read(func() { count = int(C.tonnx_node_output_count(n.object)) })
	return count
}

// Output tells what LibTorch gives for an output: a value to read dtype and shape from; it cannot be an input of a
// node.
func (n *Node) Output(index int) (value Value) {
	n.read(func() {
		if object := C.tonnx_node_output(n.object, C.size_t(index)); object != nil {
			value = Value{object, n.scope}
		}
	})
	return value
}
