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

// ExternalData tells where a saved model's weights go.
type ExternalData int32

const (
	ExternalDataAuto    ExternalData = C.TONNX_EXTERNAL_DATA_AUTO // beside the model if it would pass 2 GiB
	ExternalDataYes     ExternalData = C.TONNX_EXTERNAL_DATA_YES  // one file NAME.onnx.data beside the model
	ExternalDataNo      ExternalData = C.TONNX_EXTERNAL_DATA_NO   // all in one file; an error beyond 2 GiB
	ExternalDataArchive ExternalData = C.TONNX_EXTERNAL_DATA_ARCHIVE
	ExternalDataEach    ExternalData = C.TONNX_EXTERNAL_DATA_EACH // each weight in a file of its own, in NAME_initializers for NAME.onnx, FILE.initializers for another FILE
)

// TextFormat tells how much a model's text shows.
type TextFormat int32

const (
	TextShort TextFormat = C.TONNX_TEXT_SHORT // one line a node
	TextFull  TextFormat = C.TONNX_TEXT_FULL  // the protobuf message, without the weights' bytes
)

// Export exports a program. options nil: all defaults; registry nil: built-in lowerings alone. The model keeps what
// it needs of the program. If the program cannot be exported the error lists every reason. Exports may run at once on
// several goroutines.
func Export(program *Program, args *Args, options *Options, registry *Registry) (*Model, error) {
	var made *C.tonnx_model
	err := lend([]*Args{args}, options, registry, func(given lent) error {
		return program.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_export(&made, (*C.tonnx_program)(object), given.groups[0], given.options, given.registry, failure)
		})
	})
	if err != nil {
		return nil, err
	}
	return &Model{newHandle(unsafe.Pointer(made), func(object unsafe.Pointer) {
		C.tonnx_model_free((*C.tonnx_model)(object))
	})}, nil
}

// What an export is given besides its program: groups of arguments, mostly one; registry may be nil.
type lent struct {
	groups   []*C.tonnx_args
	options  *C.tonnx_options
	registry *C.tonnx_registry
}

// Lends them for the length of the call.
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

// Save writes the model to a file. Each file appears whole or not at all.
func (m *Model) Save(path string, external ExternalData) error {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return c.err
	}
	return m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_save(model, name, C.int32_t(external), failure)
	})
}

// WriteTo writes the file's bytes to a writer. The writer's error is found in the returned one by errors.Is.
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
	return call.written, withCause(err, call.cause)
}

// Bytes gives the file's bytes.
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

// Text gives the model as text.
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

// Difference tells where this model and the other one are first built otherwise: an operator, attribute, constant or weight, or a
// value read from elsewhere. It is "" where they are built alike, whatever their sizes.
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

// ExportDifference exports the program for each group of arguments, of which there must be two or more, and tells where a model is
// first built otherwise than that of the first group, which a group of values or sizes then decides; "" where none is. Of code that
// is traced, trace it with each group, and compare the models by Difference.
func ExportDifference(program *Program, groups []*Args, options *Options, registry *Registry) (string, error) {
	var made *C.tonnx_buffer
	err := lend(groups, options, registry, func(given lent) error {
		var first **C.tonnx_args
		if len(given.groups) > 0 {
			first = &given.groups[0]
		}
		return program.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_export_difference(&made, (*C.tonnx_program)(object), first, C.size_t(len(given.groups)), given.options,
				given.registry, failure)
		})
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// Check runs the ONNX checker: StatusChecker with its text if the model is invalid.
func (m *Model) Check() error {
	return m.ask(func(model *C.tonnx_model, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_check(model, failure)
	})
}

// Verify runs the model in ONNX Runtime and the program in LibTorch on args, and compares count, dtype, shape and
// values, at the example's sizes and at another one of each dynamic axis. A traced program is compared with what the
// function gave, and args may be nil. options nil: all defaults. StatusVerification tells the first output that differs, or
// a dynamic axis at whose other sizes LibTorch itself does not run; StatusArgument the inputs that do not fit the model;
// StatusFile that ONNX Runtime is too old for the model or cannot be loaded (it is looked for at $TONNX_ONNXRUNTIME, then where
// the loader looks).
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
		return C.tonnx_model_verify_with(out, model, (*C.tonnx_program)(source), given, how, failure)
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

// FlatInputs gives the tensors that the inputs get for arguments of an exported program, in the order of the inputs: nested
// values are opened, what is fixed in the program is left out, complex tensors have a last axis of 2.
func (m *Model) FlatInputs(args *Args) ([]*Tensor, error) {
	return m.flat(args, func(out **C.tonnx_args, model *C.tonnx_model, given *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_model_flat_inputs(out, model, given, failure)
	})
}

// FlatOutputs gives the tensors that the outputs are for a result of an exported program, in the order of the outputs. The result
// is the one argument; several are a tuple of them.
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

// Call tells how the program is called, a JSON object: the trees of its arguments and of its result, with the names of inputs and
// outputs as leaves; empty where the program does not tell. The model has it as its metadata "tonnx.call".
func (m *Model) Call() (call json.RawMessage) {
	m.read(func(model *C.tonnx_model) { call = json.RawMessage(C.GoString(C.tonnx_model_call(model))) })
	return call
}

// InputNames lists the names of the model's inputs.
func (m *Model) InputNames() []string {
	var all []string
	m.read(func(model *C.tonnx_model) {
		for i, count := C.size_t(0), C.tonnx_model_input_count(model); i < count; i++ {
			all = append(all, C.GoString(C.tonnx_model_input_name(model, i)))
		}
	})
	return all
}

// OutputNames lists the names of the model's outputs.
func (m *Model) OutputNames() []string {
	var all []string
	m.read(func(model *C.tonnx_model) {
		for i, count := C.size_t(0), C.tonnx_model_output_count(model); i < count; i++ {
			all = append(all, C.GoString(C.tonnx_model_output_name(model, i)))
		}
	})
	return all
}

// Opset tells the opset of the default domain.
func (m *Model) Opset() (opset int) {
	m.read(func(model *C.tonnx_model) { opset = int(C.tonnx_model_opset(model)) })
	return opset
}

// IRVersion tells the version of the ONNX format.
func (m *Model) IRVersion() (version int) {
	m.read(func(model *C.tonnx_model) { version = int(C.tonnx_model_ir_version(model)) })
	return version
}

// Warnings lists what the export found worth telling.
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

// Report is the whole report of the export, a JSON object.
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
