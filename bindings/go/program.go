package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

import "unsafe"

// A Program is a LibTorch program: a loaded archive, compiled source text, a module of the process or a trace.
// Goroutines may share it.
type Program struct{ *handle }

func (p *Program) core() *handle {
	if p == nil {
		return nil
	}
	return p.handle
}

func wrapProgram(object *C.tonnx_program) *Program {
	return &Program{newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.tonnx_program_free((*C.tonnx_program)(object))
	})}
}

// Load loads a TorchScript archive (.pt) or an exported program (.pt2). It does not read the bytes of the weights: the
// file must stay in place, unchanged, while the program or a model made of it lives.
func Load(path string) (*Program, error) {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return nil, c.err
	}
	var made *C.tonnx_program
	err := try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_program_load(&made, name, failure) })
	if err != nil {
		return nil, err
	}
	return wrapProgram(made), nil
}

// LoadBytes loads an archive from memory; the bytes are copied.
func LoadBytes(archive []byte) (*Program, error) {
	size := C.size_t(len(archive))
	if size == 0 {
		archive = []byte{0}
	}
	var made *C.tonnx_program
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_program_load_bytes(&made, unsafe.Pointer(&archive[0]), size, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapProgram(made), nil
}

// WithWeights returns the same program with other weights, for an exported program (.pt2): path is a state dict of
// torch.save, a .safetensors file, or the index of several. A missing weight is allowed if it is tied to one that is
// present; a weight that does not fit is reported by Export. The file must stay unchanged while the program or a model
// made of it lives.
func (p *Program) WithWeights(path string) (*Program, error) {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return nil, c.err
	}
	var made *C.tonnx_program
	err := p.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_program_with_weights(&made, (*C.tonnx_program)(object), name, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapProgram(made), nil
}

// Compile compiles TorchScript source text in this process. Every function is a method of the program; an export takes
// "forward" by default, or the last function if none has this name. Functions with a first parameter self are methods
// of a module, whose attributes are the keyword arguments, or the only Dict, of attributes, which may be nil: tensors
// are the model's weights under these names, "layer1.weight" is self.layer1.weight, other values are constants.
// torch.NAME is LibTorch's operator; torch.nn and classes are not available. file is the name of the text in messages
// and locations and may be "". If the text does not compile, the error has StatusProgram and the location.
func Compile(source, file string, attributes *Args) (*Program, error) {
	var c texts
	defer c.free()
	text := c.add("source", source)
	name := c.add("file", file)
	if c.err != nil {
		return nil, c.err
	}
	given, release, err := attributes.optional()
	if err != nil {
		return nil, err
	}
	defer release()
	var made *C.tonnx_program
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_program_compile(&made, text, name, given, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapProgram(made), nil
}

// FromModule copies a module of this process: a torch::jit::Module * of the LibTorch of the process. It is
// borrowed for the call, and must not be changed or run during the call. The copy has its own weights or, with
// shareWeights, shares those of the module, which must not be written to while the program or a model made of it lives.
func FromModule(module unsafe.Pointer, shareWeights bool) (*Program, error) {
	var made *C.tonnx_program
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_program_from_module(&made, module, toBool(shareWeights), failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapProgram(made), nil
}

// Methods lists the methods that can be exported. The first one is the method that "forward" refers to; a trace has
// only "forward".
func (p *Program) Methods() []string {
	var all []string
	p.core().read(func(object unsafe.Pointer) {
		program := (*C.tonnx_program)(object)
		for i, count := C.size_t(0), C.tonnx_program_method_count(program); i < count; i++ {
			all = append(all, C.GoString(C.tonnx_program_method(program, i)))
		}
	})
	return all
}

// Text returns the unconverted program, as recorded or stored, in a form other than TextFull. args may be nil for a trace,
// options always.
func (p *Program) Text(args *Args, options *Options, format TextFormat) (string, error) {
	given, release, err := args.optional()
	if err != nil {
		return "", err
	}
	defer release()
	how, err := options.build()
	if err != nil {
		return "", err
	}
	defer C.tonnx_options_free(how)
	var made *C.tonnx_buffer
	err = p.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_program_text(&made, (*C.tonnx_program)(object), given, how, C.int32_t(format), failure)
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// Close frees the program; its models stay valid. It always returns nil, and a second call does nothing.
func (p *Program) Close() error {
	p.core().close()
	return nil
}

// optional shares arguments that may be nil; release must follow.
func (a *Args) optional() (args *C.tonnx_args, release func(), err error) {
	if a == nil {
		return nil, func() {}, nil
	}
	object, err := a.handle.share("argument list")
	if err != nil {
		return nil, nil, err
	}
	return (*C.tonnx_args)(object), a.handle.done, nil
}

// LoadOperators loads a shared library that registers operators with LibTorch (TORCH_LIBRARY), for archives that use
// them. It affects the whole process.
func LoadOperators(path string) error {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_operators_load_library(name, failure) })
}

// RegisterOperator registers the schema of an operator, "my_ops::foo(Tensor x, float alpha) -> Tensor". This is enough
// to load and export an archive that uses it. It does nothing if the operator is known. It affects the whole process.
func RegisterOperator(schema string) error {
	var c texts
	defer c.free()
	text := c.add("schema", schema)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_operators_register(text, failure) })
}
