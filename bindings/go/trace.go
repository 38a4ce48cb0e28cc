package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
// #include "shim.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Trace records one call of a function that runs LibTorch code on the tensors of args, in the caller's grad mode.
// Everything that runs on tensors reached from the recorder's inputs is recorded. The results that it adds are kept:
// Model.Verify compares with them. The function runs on the calling goroutine, locked to its thread; its error comes
// out as for a symbolic. A trace inside a trace is refused.
func Trace(args *Args, record func(*Recorder) error) (*Program, error) {
	if record == nil {
		return nil, argumentError("the function to record is nil")
	}
	call := &traceCall{record: record}
	data := cgo.NewHandle(call)
	defer data.Delete()
	var made *C.tonnx_program
	err := args.core().ask("argument list", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_go_program_trace(&made, C.uintptr_t(data), (*C.tonnx_args)(object), failure)
	})
	if err != nil {
		return nil, withCause(err, call.cause)
	}
	return wrapProgram(made), nil
}

// A Recorder is what a traced function reads its inputs from and gives its results to. Tensors are at::Tensor* of the
// LibTorch that tonnx is linked with, borrowed for the call. It can be used until the function returns.
type Recorder struct {
	object *C.tonnx_trace
	scope  *scope
}

// InputCount tells how many tensors the arguments hold.
func (r *Recorder) InputCount() int {
	if r == nil || r.scope.enter() != nil {
		return 0
	}
	defer r.scope.leave()
	return int(C.tonnx_trace_input_count(r.object))
}

// Input is a tensor of the arguments, valid until the function returns; nil if there is none at that index.
func (r *Recorder) Input(index int) unsafe.Pointer {
	if r == nil || r.scope.enter() != nil {
		return nil
	}
	defer r.scope.leave()
	return C.tonnx_trace_input(r.object, C.size_t(index))
}

// Weight declares a weight: where this tensor is read it becomes the named weight. Call it before the tensor is used.
// A tensor that is captured undeclared becomes a weight "constant_N".
func (r *Recorder) Weight(name string, tensor unsafe.Pointer) error {
	return r.tell(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		text := c.add("weight name", name)
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_weight(r.object, text, tensor, failure)
		}
	})
}

// Output adds a result of the program; the name may be empty.
func (r *Recorder) Output(name string, tensor unsafe.Pointer) error {
	return r.tell(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		var text *C.char
		if name != "" {
			text = c.add("output name", name)
		}
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_output(r.object, text, tensor, failure)
		}
	})
}

// Enter begins a module: operators up to the matching Leave belong to the module of that name and class. It nests.
func (r *Recorder) Enter(class, name string) error {
	return r.tell(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		kind, text := c.add("module class", class), c.add("module name", name)
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_enter(r.object, kind, text, failure)
		}
	})
}

// Leave ends a module.
func (r *Recorder) Leave() error {
	return r.tell(func(*texts) func(**C.tonnx_error) C.tonnx_status {
		return func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_trace_leave(r.object, failure) }
	})
}

func (r *Recorder) tell(prepare func(c *texts) func(**C.tonnx_error) C.tonnx_status) error {
	if r == nil {
		return argumentError("the recorder is nil")
	}
	if err := r.scope.enter(); err != nil {
		return err
	}
	defer r.scope.leave()
	var c texts
	defer c.free()
	call := prepare(&c)
	if c.err != nil {
		return c.err
	}
	return try(call)
}
