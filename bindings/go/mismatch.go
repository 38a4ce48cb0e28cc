package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

import (
	"encoding/json"
	"unsafe"
)

// A Mismatch tells which operators of a program give other values in ONNX Runtime than in LibTorch. Goroutines may share it.
type Mismatch struct{ *handle }

// FindMismatch exports the program and compares its model with LibTorch. Where they differ, the program is cut into halves over
// and over, each exported and compared on its own, down to the operators that differ. options, registry and verification may be
// nil. That they differ is no error: Found tells.
func FindMismatch(program *Program, args *Args, options *Options, registry *Registry, verification *VerifyOptions) (*Mismatch, error) {
	compare, err := verification.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_verify_options_free(compare)
	var made *C.tonnx_mismatch
	err = lend([]*Args{args}, options, registry, func(given lent) error {
		return program.core().ask("program", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_find_mismatch(&made, (*C.tonnx_program)(object), given.groups[0], given.options, given.registry, compare, failure)
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

// Found tells whether the model, or an operator on its own, differs.
func (m *Mismatch) Found() (found bool) {
	m.read(func(mismatch *C.tonnx_mismatch) { found = C.tonnx_mismatch_found(mismatch) != 0 })
	return found
}

// Leaves lists the ids of the parts of the program that differ and have no part that does: a digit a half, "0" the first.
func (m *Mismatch) Leaves() []string {
	var all []string
	m.read(func(mismatch *C.tonnx_mismatch) {
		for i, count := C.size_t(0), C.tonnx_mismatch_leaf_count(mismatch); i < count; i++ {
			all = append(all, C.GoString(C.tonnx_mismatch_leaf(mismatch, i)))
		}
	})
	return all
}

// Text is the tree of the parts, those that differ and their operators, for people.
func (m *Mismatch) Text() (text string) {
	m.read(func(mismatch *C.tonnx_mismatch) { text = C.GoString(C.tonnx_mismatch_text(mismatch)) })
	return text
}

// JSON is the same as a JSON object.
func (m *Mismatch) JSON() (text json.RawMessage) {
	m.read(func(mismatch *C.tonnx_mismatch) { text = json.RawMessage(C.GoString(C.tonnx_mismatch_json(mismatch))) })
	return text
}

// SavePart writes the part of this id, "" being the whole, as a folder of ONNX's own tests: model.onnx, and input_I.pb and
// output_I.pb in test_data_set_0. The folder is made if need be.
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

// Close frees the mismatch. It always returns nil, and a second call does nothing.
func (m *Mismatch) Close() error {
	m.core().close()
	return nil
}
