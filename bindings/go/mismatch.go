package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

import (
	"encoding/json"
	"unsafe"
)

// A Mismatch lists the operators of a program whose results in ONNX Runtime differ from LibTorch's. Goroutines may
// share it.
type Mismatch struct{ *handle }

// FindMismatch exports the program and compares its model with LibTorch. If they differ, the program is split into
// halves repeatedly; each half is exported and compared on its own, down to the operators that differ. options,
// registry and verification may be nil. A difference is not an error: call Found.
func FindMismatch(program *Program, args *Args, options *Options, registry *Registry, verification *VerifyOptions) (*Mismatch, error) {
	compare, err := verification.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_verify_options_free(compare)
	var made *C.tonnx_mismatch
	err = lend([]*Args{args}, options, registry, func(given lent) error {
		return program.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_program_find_mismatch(&made, (*C.tonnx_program)(object), given.groups[0], given.options, given.registry, compare, failure)
		})
	})
	if err != nil {
		return nil, err
	}
	return &Mismatch{newHandle(unsafe.Pointer(made), func(object unsafe.Pointer) {
		C.tonnx_mismatch_free((*C.tonnx_mismatch)(object))
	})}, nil
}

func (m *Mismatch) core() *handle {
	if m == nil {
		return nil
	}
	return m.handle
}

func (m *Mismatch) read(call func(mismatch *C.tonnx_mismatch)) {
	m.core().read(func(object unsafe.Pointer) { call((*C.tonnx_mismatch)(object)) })
}

// Found returns true if the model, or an operator on its own, differs.
func (m *Mismatch) Found() (found bool) {
	m.read(func(mismatch *C.tonnx_mismatch) { found = C.tonnx_mismatch_found(mismatch) != 0 })
	return found
}

// Leaves lists the ids of the parts that differ and that have no part that differs: one digit per half, "0" for the
// first.
func (m *Mismatch) Leaves() []string {
	var all []string
	m.read(func(mismatch *C.tonnx_mismatch) {
		for i, count := C.size_t(0), C.tonnx_mismatch_leaf_count(mismatch); i < count; i++ {
			all = append(all, C.GoString(C.tonnx_mismatch_leaf(mismatch, i)))
		}
	})
	return all
}

// Text returns the tree of the parts and the operators that differ, for people.
func (m *Mismatch) Text() (text string) {
	m.read(func(mismatch *C.tonnx_mismatch) { text = C.GoString(C.tonnx_mismatch_text(mismatch)) })
	return text
}

// JSON returns the same as a JSON object.
func (m *Mismatch) JSON() (text json.RawMessage) {
	m.read(func(mismatch *C.tonnx_mismatch) { text = json.RawMessage(C.GoString(C.tonnx_mismatch_json(mismatch))) })
	return text
}

// SavePart writes the part with this id ("" is the whole) as a folder in the format of ONNX's own tests: model.onnx,
// and input_I.pb and output_I.pb in test_data_set_0. It creates the folder if needed.
func (m *Mismatch) SavePart(id, folder string) error {
	var c texts
	defer c.free()
	part, path := c.add("id", id), c.add("folder", folder)
	if c.err != nil {
		return c.err
	}
	return m.core().ask("mismatch", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_mismatch_save_part((*C.tonnx_mismatch)(object), part, path, failure)
	})
}

// ProgramContents returns the operators of the part with this id that were converted, with inputs and outputs where it
// was cut off.
func (m *Mismatch) ProgramContents(id string) (*Contents, error) {
	return m.contents(id, func(out **C.tonnx_contents, m *C.tonnx_mismatch, id *C.char, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_mismatch_program_contents(out, m, id, failure)
	})
}

// ModelContents returns the model of the part with this id, which is exported again.
func (m *Mismatch) ModelContents(id string) (*Contents, error) {
	return m.contents(id, func(out **C.tonnx_contents, m *C.tonnx_mismatch, id *C.char, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_mismatch_model_contents(out, m, id, failure)
	})
}

func (m *Mismatch) contents(id string, call func(**C.tonnx_contents, *C.tonnx_mismatch, *C.char, **C.tonnx_error) C.tonnx_status) (*Contents, error) {
	var c texts
	defer c.free()
	part := c.add("id", id)
	if c.err != nil {
		return nil, c.err
	}
	var made *C.tonnx_contents
	err := m.core().ask("mismatch", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return call(&made, (*C.tonnx_mismatch)(object), part, failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapContents(made), nil
}

// Close frees the mismatch. It always returns nil, and a second call does nothing.
func (m *Mismatch) Close() error {
	m.core().close()
	return nil
}
