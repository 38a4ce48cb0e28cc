package tonnx

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"
)

// guarded runs a callback; a panic inside becomes its error. No panic may unwind the C++ frames below.
func guarded(call func() error) (err error) {
	finished := false
	defer func() {
		if value := recover(); value != nil || !finished {
			err = &PanicError{value, debug.Stack()}
		}
	}()
	err = call()
	finished = true
	return err
}

// failureText returns the message of a callback's error, whose Error method may panic.
func failureText(err error) string { return plainText(fmt.Sprint(err)) }

//export tonnxGoSymbolic
func tonnxGoSymbolic(graph *C.tonnx_graph, node *C.tonnx_node, inputs **C.tonnx_value, count C.size_t,
	symbolic C.uintptr_t) C.int32_t {
	run := cgo.Handle(symbolic).Value().(Symbolic)
	scope := &scope{late: "a graph or value was used after its symbolic returned"}
	defer scope.end()
	g := &Graph{graph, scope}
	answer := C.int32_t(C.TONNX_SYMBOLIC_DONE)
	err := guarded(func() error {
		results, err := run(g, &Node{node, scope}, wrapValues(unsafe.Slice(inputs, count), scope))
		if errors.Is(err, ErrDecline) {
			answer = C.TONNX_SYMBOLIC_DECLINE
			return nil
		}
		if err != nil {
			return err
		}
		return g.giveBack(results)
	})
	if err == nil {
		return answer
	}
	text := C.CString(failureText(err))
	defer C.free(unsafe.Pointer(text))
	C.tonnx_go_graph_fail(graph, text, C.uintptr_t(cgo.NewHandle(err)))
	return C.TONNX_SYMBOLIC_FAIL
}

func (g *Graph) giveBack(results []Value) error {
	if err := g.scope.enter(); err != nil {
		return err
	}
	defer g.scope.leave()
	given, err := g.objects(results)
	if err != nil {
		return err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_graph_set_results(g.object, firstValue(given), C.size_t(len(given)), failure)
	})
}

//export tonnxGoResize
func tonnxGoResize(args *C.tonnx_args, symbols **C.char, sizes *C.int64_t, count C.size_t, resize C.uintptr_t) C.int32_t {
	run := cgo.Handle(resize).Value().(func(map[string]int64) (*Args, error))
	err := guarded(func() error {
		bySymbol := make(map[string]int64, count)
		for i, symbol := range unsafe.Slice(symbols, count) {
			bySymbol[C.GoString(symbol)] = int64(unsafe.Slice(sizes, count)[i])
		}
		made, err := run(bySymbol)
		if err != nil {
			return err
		}
		defer made.Close()
		return made.core().ask("argument list", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_extend(args, (*C.tonnx_args)(object), failure)
		})
	})
	if err == nil {
		return 0
	}
	text := C.CString(failureText(err))
	defer C.free(unsafe.Pointer(text))
	C.tonnx_go_args_fail(args, text, C.uintptr_t(cgo.NewHandle(err)))
	return 1
}

//export tonnxGoDestroy
func tonnxGoDestroy(data C.uintptr_t) { cgo.Handle(data).Delete() }

// A sink wraps the io.Writer that a model is written to.
type sink struct {
	writer  io.Writer
	written int64
}

//export tonnxGoWrite
func tonnxGoWrite(writer *C.tonnx_writer, data unsafe.Pointer, size C.size_t, call C.uintptr_t) C.int32_t {
	s := cgo.Handle(call).Value().(*sink)
	err := guarded(func() error {
		bytes := unsafe.Slice((*byte)(data), size)
		count, err := s.writer.Write(bytes)
		s.written += int64(count)
		if err == nil && count < len(bytes) {
			err = io.ErrShortWrite
		}
		return err
	})
	if err == nil {
		return 0
	}
	text := C.CString(failureText(err))
	defer C.free(unsafe.Pointer(text))
	C.tonnx_go_writer_fail(writer, text, C.uintptr_t(cgo.NewHandle(err)))
	return 1
}
