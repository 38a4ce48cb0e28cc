package tonnx

// #include <tonnx.h>
import "C"

import "unsafe"

// Contents are the inputs, outputs, weights, operators and the graph of a program or a model. Graphs, nodes and values
// that are reached from it can be read until it is closed; they cannot be used in a symbolic. Goroutines may share it.
type Contents struct {
	*handle
	scope *scope
}

// An OperatorUse is a kind of operator and the number of its nodes.
type OperatorUse struct {
	Name string // "aten::add.Tensor" in a program, "Conv" in a model
	Uses int
}

// Kind says what a value is.
type Kind int32

const (
	KindNone       Kind = C.TONNX_KIND_NONE // None, or no value
	KindTensor     Kind = C.TONNX_KIND_TENSOR
	KindInt        Kind = C.TONNX_KIND_INT
	KindFloat      Kind = C.TONNX_KIND_FLOAT
	KindBool       Kind = C.TONNX_KIND_BOOL
	KindString     Kind = C.TONNX_KIND_STRING
	KindList       Kind = C.TONNX_KIND_LIST        // a list of numbers, strings or other values
	KindTensorList Kind = C.TONNX_KIND_TENSOR_LIST // a list of tensors: in a model a sequence
	KindOther      Kind = C.TONNX_KIND_OTHER       // a dict, tuple, object, device, complex number, or of unknown type
	KindType       Kind = C.TONNX_KIND_TYPE        // an attribute that is the type of a tensor or a sequence
)

// Contents returns the inputs, outputs, weights and operators of the model.
func (m *Model) Contents() (*Contents, error) {
	var made *C.tonnx_contents
	err := m.core().ask("model", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_contents(&made, (*C.tonnx_model)(object), failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapContents(made), nil
}

// Contents returns the inputs, outputs, weights and operators of the unconverted program: of the options' method,
// called with these arguments. args may be nil for a trace and for a program of torch.export, options always. It fails
// like Text.
func (p *Program) Contents(args *Args, options *Options) (*Contents, error) {
	given, release, err := args.optional()
	if err != nil {
		return nil, err
	}
	defer release()
	how, err := options.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_options_free(how)
	var made *C.tonnx_contents
	err = p.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_program_contents(&made, (*C.tonnx_program)(object), given, how, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapContents(made), nil
}

func wrapContents(object *C.tonnx_contents) *Contents {
	h := newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.tonnx_contents_free((*C.tonnx_contents)(object))
	})
	return &Contents{h, &scope{late: "a value was used after its contents were closed", owner: h}}
}

// Inputs lists the inputs, in order.
func (c *Contents) Inputs() (all []Value) {
	c.read(func(contents *C.tonnx_contents) {
		for i, count := C.size_t(0), C.tonnx_contents_input_count(contents); i < count; i++ {
			all = append(all, c.value(C.tonnx_contents_input(contents, i)))
		}
	})
	return all
}

// Outputs lists the outputs, in order.
func (c *Contents) Outputs() (all []Value) {
	c.read(func(contents *C.tonnx_contents) {
		for i, count := C.size_t(0), C.tonnx_contents_output_count(contents); i < count; i++ {
			all = append(all, c.value(C.tonnx_contents_output(contents, i)))
		}
	})
	return all
}

// Weights lists the weights, in the order of the state dict; Value.Tensor returns their elements.
func (c *Contents) Weights() (all []Value) {
	c.read(func(contents *C.tonnx_contents) {
		for i, count := C.size_t(0), C.tonnx_contents_weight_count(contents); i < count; i++ {
			all = append(all, c.value(C.tonnx_contents_weight(contents, i)))
		}
	})
	return all
}

// Graph returns the outermost graph, to walk. That of a program is unconverted, with its branches and loops.
func (c *Contents) Graph() (graph *Graph) {
	c.read(func(contents *C.tonnx_contents) {
		if c.scope.enter() == nil {
			defer c.scope.leave()
			graph = wrapGraph(C.tonnx_contents_graph(contents), c.scope)
		}
	})
	return graph
}

// Operators lists the kinds of operators, sorted by name.
func (c *Contents) Operators() (all []OperatorUse) {
	c.read(func(contents *C.tonnx_contents) {
		for i, count := C.size_t(0), C.tonnx_contents_operator_count(contents); i < count; i++ {
			name := C.GoString(C.tonnx_contents_operator(contents, i))
			all = append(all, OperatorUse{name, int(C.tonnx_contents_operator_uses(contents, i))})
		}
	})
	return all
}

func (c *Contents) core() *handle {
	if c == nil {
		return nil
	}
	return c.handle
}

func (c *Contents) read(call func(contents *C.tonnx_contents)) {
	c.core().read(func(object unsafe.Pointer) { call((*C.tonnx_contents)(object)) })
}

func (c *Contents) value(object *C.tonnx_value) Value { return Value{object, c.scope} }

// Close frees the contents; their values can no longer be read. It always returns nil, and a second call does nothing.
func (c *Contents) Close() error {
	if c != nil {
		c.scope.end()
	}
	c.core().close()
	return nil
}
