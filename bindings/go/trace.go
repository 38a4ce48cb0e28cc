package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// TraceOptions for a trace. The zero value of each field is its default.
type TraceOptions struct {
	// Made from options.json by scripts/options.py.

	// Weights share the storage of the declared or captured tensors. The caller must not write to it while the program or
	// a model of it lives. If off, weights are copied when the run ends. Default: off.
	ShareWeights bool

	// Run the first recording again on its inputs before it becomes a program. The trace is refused if the results differ
	// from what the code returned; the error names the first operator that differs. Further runs are compared with the
	// first one. If off, a trace takes only the time of the code itself. Default: on.
	Replay Toggle

	// An axis that is dynamic in every export, declared before the code runs, so that the code runs at several sizes. The
	// input is an index into the tensors and numbers of the arguments. Negative axes count from the end. Axes with the
	// same symbol have the same size; an axis without a symbol has its own. Default: none; an export can then have dynamic
	// axes only with single_run.
	DynamicAxes []TraceAxis

	// A size to run the code at, in addition to those that tonnx chooses. The trace fails if the code does not run at it.
	// Size 0 is run only if it is specified here, since the code may divide by the size; the results must equal those of
	// the program recorded by the other runs. Default: only the sizes that tonnx chooses.
	Sizes map[string][]int64

	// If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix this axis
	// in every export, and warn with the axis, the size and the reason. If off, the trace is refused. Default: off.
	AllowFixedAxes bool

	// The largest size at which tonnx runs the code on its own: first near the example, then at powers of two and sizes
	// next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large networks are
	// run at fewer sizes). This finds thresholds in the code (n > 512): the model follows them, or the trace is refused
	// and the error names the operator and the size. The smallest and largest size that were run are in the report and in
	// the model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are run. 1: only sizes near
	// the example. Default: 4096.
	LargestSize int

	// Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants of the
	// model, and exports may declare any axis dynamic. Default: off.
	SingleRun bool

	// Also run the code on other values of the same sizes: the example's values in another order, negated, and zeros; if
	// the code reads numbers by item(), equal() or similar operators, also three variants of the example with low, high
	// and no numbers in their place. The trace is refused if the code behaves differently; the error names the operator
	// and the reads. A warning is reported if the code runs on none of these values. If the code is run only once,
	// warnings name each read of a number, each value to whose elements the code took a pointer (data_ptr(), an accessor,
	// DLPack), and each operator whose output sizes depend on data (nonzero, unique), since the model keeps what the code
	// computed from them. Reads through pointers to const elements (const_data_ptr()) are found only by this option.
	// Default: on if the code runs at several sizes and single_run is off.
	OtherValues Toggle
	// Made until here.

	// Follows and cancels the traces; it receives no events while the function runs. Default: none.
	Observer *Observer

	// Creates the inputs of further runs: arguments like the example's, with these sizes by symbol; the trace closes them.
	// errors.As finds its error, or its panic as a *PanicError, in the trace's error. Default: the example's elements, cut
	// off or repeated.
	Resize func(sizes map[string]int64) (*Args, error)
}

// A TraceAxis is a dynamic axis of an input of the traced function.
type TraceAxis struct {
	Input  int    // index among the tensors and numbers of the arguments
	Axis   int    // negative: from the end
	Symbol string // axes with the same symbol have the same size; "": its own symbol
}

// build creates the C library's object; nil stays nil. The caller frees it.
func (o *TraceOptions) build() (*C.tonnx_trace_options, error) {
	if o == nil {
		return nil, nil
	}
	return filled(func(made **C.tonnx_trace_options, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_trace_options_new(made, failure)
	}, func(made *C.tonnx_trace_options) { C.tonnx_trace_options_free(made) }, o.fill)
}

func (o *TraceOptions) fill(made *C.tonnx_trace_options) error {
	largestSize, err := toInt32("largest size", o.LargestSize)
	if err != nil {
		return err
	}
	var c texts
	defer c.free()
	axes := make([]*C.char, len(o.DynamicAxes)) // their symbols
	for i, axis := range o.DynamicAxes {
		if axis.Symbol != "" {
			axes[i] = c.add("symbol", axis.Symbol)
		}
	}
	symbols := map[*C.char][]int64{}
	for symbol, sizes := range o.Sizes {
		symbols[c.add("symbol", symbol)] = sizes
	}
	if c.err != nil {
		return c.err
	}
	observer, err := o.Observer.build()
	if err != nil {
		return err
	}
	defer C.tonnx_observer_free(observer)
	return try(func(failure **C.tonnx_error) C.tonnx_status {
		status := C.tonnx_status(C.TONNX_STATUS_OK)
		set := func(step func() C.tonnx_status) {
			if status == C.TONNX_STATUS_OK {
				status = step()
			}
		}
		// Made from options.json by scripts/options.py.
		set(func() C.tonnx_status {
			return C.tonnx_trace_options_set_share_weights(made, toBool(o.ShareWeights), failure)
		})
		set(func() C.tonnx_status { return C.tonnx_trace_options_set_replay(made, o.Replay.value(), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_trace_options_set_allow_fixed_axes(made, toBool(o.AllowFixedAxes), failure)
		})
		if o.LargestSize != 0 {
			set(func() C.tonnx_status { return C.tonnx_trace_options_set_largest_size(made, largestSize, failure) })
		}
		set(func() C.tonnx_status { return C.tonnx_trace_options_set_single_run(made, toBool(o.SingleRun), failure) })
		if o.OtherValues != 0 {
			set(func() C.tonnx_status {
				return C.tonnx_trace_options_set_other_values(made, o.OtherValues.value(), failure)
			})
		}
		// Made until here.
		set(func() C.tonnx_status { return C.tonnx_trace_options_set_observer(made, observer, failure) })
		for i, axis := range o.DynamicAxes {
			set(func() C.tonnx_status {
				return C.tonnx_trace_options_add_dynamic_axis(made, C.size_t(axis.Input), C.int64_t(axis.Axis), axes[i], failure)
			})
		}
		for symbol, sizes := range symbols {
			for _, size := range sizes {
				set(func() C.tonnx_status { return C.tonnx_trace_options_add_size(made, symbol, C.int64_t(size), failure) })
			}
		}
		if o.Resize != nil {
			set(func() C.tonnx_status {
				return C.tonnx_go_trace_options_set_resize(made, C.uintptr_t(cgo.NewHandle(o.Resize)), failure)
			})
		}
		return status
	})
}

// Trace records a function that runs LibTorch code on the tensors of args, in the caller's grad mode. It records all
// operators on tensors reached from the recorder's inputs. The results are kept, and Model.Verify compares with them.
// The function runs on the calling goroutine, locked to its thread, at several sizes if options declare dynamic axes.
// An error of the first run is the cause of an error with StatusCallback; an error of a later run makes the trace try
// another size; a panic is propagated. Nested traces are refused. options may be nil.
func Trace(args *Args, options *TraceOptions, record func(*Recorder) error) (*Program, error) {
	if record == nil {
		return nil, argumentError("the function to record is nil")
	}
	how, err := options.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_trace_options_free(how)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var trace *C.tonnx_trace
	err = args.core().ask("argument list", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_trace_begin(&trace, (*C.tonnx_args)(object), how, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.tonnx_trace_free(trace)
	first := true
	for again := C.int32_t(1); again != 0; first = false {
		cause := recordRun(trace, record)
		if cause != nil && first {
			return nil, &Error{Status: StatusCallback, Class: "CallbackError", Message: fmt.Sprint(cause), cause: cause}
		}
		if cause != nil {
			failRun(trace, cause)
		}
		if err := try(func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_next(&again, trace, failure)
		}); err != nil {
			return nil, err
		}
	}
	var made *C.tonnx_program
	err = try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_trace_end(&made, trace, failure) })
	if err != nil {
		return nil, err
	}
	return wrapProgram(made), nil
}

func recordRun(trace *C.tonnx_trace, record func(*Recorder) error) error {
	scope := &scope{late: "a recorder was used after its trace returned"}
	defer scope.end()
	return record(&Recorder{trace, scope})
}

// failRun reports that the function does not run at the sizes of this run.
func failRun(trace *C.tonnx_trace, cause error) {
	text := C.CString(failureText(cause))
	defer C.free(unsafe.Pointer(text))
	C.tonnx_go_trace_fail(trace, text, C.uintptr_t(cgo.NewHandle(cause)))
}

// A Recorder passes inputs to a traced function and receives its results. Tensors are at::Tensor* of the LibTorch of
// the process, borrowed for the call. It is valid until the function returns.
type Recorder struct {
	object *C.tonnx_trace
	scope  *scope
}

// InputCount returns the number of tensors in the arguments.
func (r *Recorder) InputCount() int {
	if r == nil || r.scope.enter() != nil {
		return 0
	}
	defer r.scope.leave()
	return int(C.tonnx_trace_input_count(r.object))
}

// Input returns a tensor of the arguments, valid until the function returns; nil if there is none at that index.
func (r *Recorder) Input(index int) unsafe.Pointer {
	if r == nil || r.scope.enter() != nil {
		return nil
	}
	defer r.scope.leave()
	return C.tonnx_trace_input(r.object, C.size_t(index))
}

// NewInput returns the same tensor as a new at::Tensor*, which the caller deletes: for packages that own every tensor
// they wrap.
func (r *Recorder) NewInput(index int) (unsafe.Pointer, error) {
	var made unsafe.Pointer
	err := r.record(func(*texts) func(**C.tonnx_error) C.tonnx_status {
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_new_input(&made, r.object, C.size_t(index), failure)
		}
	})
	return made, err
}

// Weight declares a weight: reads of this tensor become reads of the named weight. Call it before the tensor is used. A
// captured tensor that is not declared becomes a weight "constant_N".
func (r *Recorder) Weight(name string, tensor unsafe.Pointer) error {
	return r.record(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		text := c.add("weight name", name)
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_weight(r.object, text, tensor, failure)
		}
	})
}

// Output adds a result of the program; the name may be empty.
func (r *Recorder) Output(name string, tensor unsafe.Pointer) error {
	return r.record(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		var text *C.char
		if name != "" {
			text = c.add("output name", name)
		}
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_output(r.object, text, tensor, failure)
		}
	})
}

// Size returns a size of a recorded tensor as a recorded value, for traces with a single run: an at::Tensor* of rank 0
// and dtype int64, valid until the run ends.
func (r *Recorder) Size(tensor unsafe.Pointer, axis int) (unsafe.Pointer, error) {
	var made unsafe.Pointer
	err := r.record(func(*texts) func(**C.tonnx_error) C.tonnx_status {
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_size(&made, r.object, tensor, C.int64_t(axis), failure)
		}
	})
	return made, err
}

// Enter begins a module: operators up to the matching Leave belong to the module of that name and class. Calls may be
// nested.
func (r *Recorder) Enter(class, name string) error {
	return r.record(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		kind, text := c.add("module class", class), c.add("module name", name)
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_enter(r.object, kind, text, failure)
		}
	})
}

// Leave ends a module.
func (r *Recorder) Leave() error {
	return r.record(func(*texts) func(**C.tonnx_error) C.tonnx_status {
		return func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_trace_leave(r.object, failure) }
	})
}

// Function runs body as one function, called on these tensors and arguments, which a symbolic prim::PythonOp.NAME or
// prim::PythonOp converts; without one, an export converts the operators, unless Options.AutogradInlining is off.
// Arguments are ints, floats, strings and lists of ints or floats, and may be nil. body returns the tensors that code
// after it reads, at least one; they must live until Function returns, so keep the objects that own them in variables
// outside of body. Its error is returned; then, and if it panics, the function is dropped, and its operators stay in the
// program. Calls may be nested.
func (r *Recorder) Function(name string, inputs []unsafe.Pointer, arguments Attributes,
	body func() ([]unsafe.Pointer, error)) error {
	if r == nil {
		return argumentError("the recorder is nil")
	}
	given, err := arguments.build(r.scope)
	if err != nil {
		return err
	}
	defer C.tonnx_attributes_free(given)
	err = r.record(func(c *texts) func(**C.tonnx_error) C.tonnx_status {
		text := c.add("function name", name)
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_begin_function(r.object, text, firstPointer(inputs), C.size_t(len(inputs)), given,
				failure)
		}
	})
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended {
			_ = r.record(func(*texts) func(**C.tonnx_error) C.tonnx_status {
				return func(failure **C.tonnx_error) C.tonnx_status {
					return C.tonnx_trace_abandon_function(r.object, failure)
				}
			})
		}
	}()
	outputs, err := body()
	if err != nil {
		return err
	}
	err = r.record(func(*texts) func(**C.tonnx_error) C.tonnx_status {
		return func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_trace_end_function(r.object, firstPointer(outputs), C.size_t(len(outputs)), failure)
		}
	})
	ended = err == nil
	return err
}

func firstPointer(tensors []unsafe.Pointer) *unsafe.Pointer {
	if len(tensors) == 0 {
		return nil
	}
	return &tensors[0]
}

func (r *Recorder) record(prepare func(c *texts) func(**C.tonnx_error) C.tonnx_status) error {
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
