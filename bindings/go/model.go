package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
// #include "shim.h"
import "C"

import (
	"encoding/json"
	"io"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// A Model is a finished ONNX model. Goroutines may share it.
type Model struct{ *handle }

// TextFormat says how detailed a model's text is.
type TextFormat int32

const (
	TextShort TextFormat = C.TONNX_TEXT_SHORT // one line per node
	TextFull  TextFormat = C.TONNX_TEXT_FULL  // the protobuf message, without the bytes of the weights
	TextSVG   TextFormat = C.TONNX_TEXT_SVG   // a picture of the graph by module
	TextHTML  TextFormat = C.TONNX_TEXT_HTML  // a page for a web browser with the same picture; modules open and close
)

// Export exports a program. options nil: all defaults; registry nil: only built-in lowerings. The model keeps what it
// needs of the program. If the program cannot be exported the error lists every reason. Several goroutines may export
// at the same time.
func Export(program *Program, args *Args, options *Options, registry *Registry) (*Model, error) {
	var made *C.tonnx_model
	err := lend([]*Args{args}, options, registry, func(given lent) error {
		return program.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_program_export(&made, (*C.tonnx_program)(object), given.groups[0], given.options, given.registry, failure)
		})
	})
	if err != nil {
		return nil, err
	}
	return &Model{newHandle(unsafe.Pointer(made), func(object unsafe.Pointer) {
		C.tonnx_model_free((*C.tonnx_model)(object))
	})}, nil
}

// The arguments of an export besides its program: groups of arguments, usually one; registry may be nil.
type lent struct {
	groups   []*C.tonnx_args
	options  *C.tonnx_options
	registry *C.tonnx_registry
}

// Shares them for the duration of the call.
func lend(groups []*Args, options *Options, registry *Registry, call func(given lent) error) error {
	var given lent
	for _, args := range groups {
		list, err := args.core().share("argument list")
		if err != nil {
			return err
		}
		defer args.handle.done()
		given.groups = append(given.groups, (*C.tonnx_args)(list))
	}
	how, err := options.build()
	if err != nil {
		return err
	}
	defer C.tonnx_options_free(how)
	given.options = how
	if registry != nil {
		object, err := registry.handle.share("registry")
		if err != nil {
			return err
		}
		defer registry.handle.done()
		given.registry = (*C.tonnx_registry)(object)
	}
	return call(given)
}

func (m *Model) core() *handle {
	if m == nil {
		return nil
	}
	return m.handle
}

func (m *Model) ask(call func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status) error {
	return m.core().ask("model", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return call((*C.tonnx_model)(object), failure)
	})
}

func (m *Model) read(call func(model *C.tonnx_model)) {
	m.core().read(func(object unsafe.Pointer) { call((*C.tonnx_model)(object)) })
}

// Save writes the model to a file. Each file appears complete or not at all. options may be nil. If their observer
// cancels, no file appears.
func (m *Model) Save(path string, options *SaveOptions) error {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return c.err
	}
	how, err := options.build()
	if err != nil {
		return err
	}
	defer C.tonnx_save_options_free(how)
	return m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_save(model, name, how, failure)
	})
}

// WriteTo writes the bytes of the file to a writer. errors.Is finds the writer's error in the returned one.
func (m *Model) WriteTo(writer io.Writer) (int64, error) {
	if writer == nil {
		return 0, argumentError("the writer is nil")
	}
	call := &sink{writer: writer}
	data := cgo.NewHandle(call)
	defer data.Delete()
	err := m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_go_model_write(model, C.uintptr_t(data), failure)
	})
	return call.written, err
}

// Bytes returns the bytes of the file.
func (m *Model) Bytes() ([]byte, error) {
	var made *C.tonnx_buffer
	err := m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_bytes(&made, model, failure)
	})
	if err != nil {
		return nil, err
	}
	return takeBuffer(made), nil
}

// Text returns the model as text.
func (m *Model) Text(format TextFormat) (string, error) {
	var made *C.tonnx_buffer
	err := m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_text(&made, model, C.int32_t(format), failure)
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// Difference describes the first node at which this model and the other one differ: an operator, attribute, constant or
// weight, or another source of a value. It is "" if they are equal, whatever their sizes.
func (m *Model) Difference(other *Model) (string, error) {
	second, err := other.core().share("other model")
	if err != nil {
		return "", err
	}
	defer other.handle.done()
	var made *C.tonnx_buffer
	err = m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_difference(&made, model, (*C.tonnx_model)(second), failure)
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// ExportDifference exports the program for each group of arguments, at least two, and describes the first node at which
// a model differs from that of the first group, which then depends on values or sizes of the group; "" if there is
// none. For traced code, trace it with each group, and compare the models by Difference.
func ExportDifference(program *Program, groups []*Args, options *Options, registry *Registry) (string, error) {
	var made *C.tonnx_buffer
	err := lend(groups, options, registry, func(given lent) error {
		var first **C.tonnx_args
		if len(given.groups) > 0 {
			first = &given.groups[0]
		}
		return program.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_program_export_difference(&made, (*C.tonnx_program)(object), first, C.size_t(len(given.groups)), given.options,
				given.registry, failure)
		})
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// Check runs the ONNX checker: StatusChecker, with its message, if the model is invalid.
func (m *Model) Check() error {
	return m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_check(model, failure)
	})
}

// Verify runs the model in ONNX Runtime and the program in LibTorch on args, and compares count, dtype, shape and
// values, at the example's sizes and at another size of each dynamic axis. A traced program is compared with the
// results of the function, and args may be nil. options nil: all defaults. StatusVerification reports the first output
// that differs, or a dynamic axis at whose other sizes LibTorch itself does not run; StatusArgument the inputs that do
// not fit the model; StatusFile that ONNX Runtime is too old for the model or cannot be loaded (it is searched at
// $TONNX_ONNXRUNTIME, then where the loader searches).
func (m *Model) Verify(program *Program, args *Args, options *VerifyOptions) error {
	source, err := program.core().share("program")
	if err != nil {
		return err
	}
	defer program.handle.done()
	given, release, err := args.optional()
	if err != nil {
		return err
	}
	defer release()
	how, err := options.build()
	if err != nil {
		return err
	}
	defer C.tonnx_verify_options_free(how)
	var lines *C.tonnx_buffer
	out := &lines
	if options == nil || options.Warn == nil {
		out = nil
	}
	err = m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_verify(out, model, (*C.tonnx_program)(source), given, how, failure)
	})
	if err != nil || out == nil {
		return err
	}
	for _, line := range strings.Split(string(takeBuffer(lines)), "\n") {
		if line != "" {
			options.Warn(line)
		}
	}
	return nil
}

// FlatInputs returns the tensors for the model's inputs that correspond to arguments of an exported program, in the
// order of the inputs: nested values are flattened, values that are fixed in the program are omitted, complex tensors
// have a last axis of 2.
func (m *Model) FlatInputs(args *Args) ([]*Tensor, error) {
	return m.flat(args, func(out **C.tonnx_args, model *C.tonnx_model, given *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_flat_inputs(out, model, given, failure)
	})
}

// FlatOutputs returns the tensors for the model's outputs that correspond to a result of an exported program, in the
// order of the outputs. The result is the only argument; several results are a tuple.
func (m *Model) FlatOutputs(results *Args) ([]*Tensor, error) {
	return m.flat(results, func(out **C.tonnx_args, model *C.tonnx_model, given *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_flat_outputs(out, model, given, failure)
	})
}

type flatten func(out **C.tonnx_args, model *C.tonnx_model, given *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status

func (m *Model) flat(args *Args, call flatten) ([]*Tensor, error) {
	given, err := args.core().share("argument list")
	if err != nil {
		return nil, err
	}
	defer args.handle.done()
	var made *C.tonnx_args
	err = m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return call(&made, model, (*C.tonnx_args)(given), failure)
	})
	if err != nil {
		return nil, err
	}
	return takeTensors(made)
}

// takeTensors returns the tensors of a list, which it frees.
func takeTensors(made *C.tonnx_args) ([]*Tensor, error) {
	list := wrapArgs(made)
	defer list.Close()
	var tensors []*Tensor
	for i, count := 0, list.Count(); i < count; i++ {
		tensor, err := list.Tensor(i)
		if err != nil {
			return nil, err
		}
		tensors = append(tensors, tensor)
	}
	return tensors, nil
}

// Call returns how the program is called, as a JSON object: the trees of its arguments and of its result, with the
// names of inputs and outputs as leaves; empty if the program does not have them. The model has it as its metadata
// "tonnx.call".
func (m *Model) Call() (call json.RawMessage) {
	m.read(func(model *C.tonnx_model) { call = json.RawMessage(C.GoString(C.tonnx_model_call(model))) })
	return call
}

// InputNames lists the names of the model's inputs; none if the model is closed.
func (m *Model) InputNames() []string { return m.names((*Contents).Inputs) }

// OutputNames lists the names of the model's outputs; none if the model is closed.
func (m *Model) OutputNames() []string { return m.names((*Contents).Outputs) }

func (m *Model) names(values func(*Contents) []Value) (all []string) {
	contents, err := m.Contents()
	if err != nil {
		return nil
	}
	defer contents.Close()
	for _, value := range values(contents) {
		all = append(all, value.Name())
	}
	return all
}

// Opset returns the opset of the default domain.
func (m *Model) Opset() (opset int) {
	m.read(func(model *C.tonnx_model) { opset = int(C.tonnx_model_opset(model)) })
	return opset
}

// IRVersion returns the version of the ONNX format.
func (m *Model) IRVersion() (version int) {
	m.read(func(model *C.tonnx_model) { version = int(C.tonnx_model_ir_version(model)) })
	return version
}

// Warnings lists the warnings of the export.
func (m *Model) Warnings() []string {
	var all []string
	m.read(func(model *C.tonnx_model) {
		report := C.tonnx_model_report(model)
		for i, count := C.size_t(0), C.tonnx_report_warning_count(report); i < count; i++ {
			all = append(all, C.GoString(C.tonnx_report_warning(report, i)))
		}
	})
	return all
}

// Report returns the whole report of the export, a JSON object.
func (m *Model) Report() (report json.RawMessage) {
	m.read(func(model *C.tonnx_model) {
		report = json.RawMessage(C.GoString(C.tonnx_report_json(C.tonnx_model_report(model))))
	})
	return report
}

// Close frees the model. It always returns nil, and a second call does nothing.
func (m *Model) Close() error {
	m.core().close()
	return nil
}
