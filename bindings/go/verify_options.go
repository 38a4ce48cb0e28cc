package tonnx

// #include <tonnx.h>
import "C"

// Tolerance of the results of an operator: |model - program| <= Atol + Rtol * |program|. A negative value is the
// default.
type Tolerance struct {
	Rtol, Atol float64
}

// VerifyOptions for comparing a model with its program. The zero value of each field is its default.
type VerifyOptions struct {
	// Made from options.json by scripts/options.py.

	// Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
	// exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an
	// accelerator 1e-2, float64 1e-5).
	Rtol *float64

	// Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in the
	// model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).
	Atol *float64

	// Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one overload):
	// outputs of the model that it makes, also through views, but not through a branch or another operator; and, in a
	// search for the operators that differ, the results of each part that it makes. A negative value means rtol or atol.
	// Lists of tuples or dicts have none. A verification warns of a tolerance that no output uses. Default: none: rtol and
	// atol for all results.
	OperatorTolerances map[string]Tolerance

	// Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0, also if it
	// is negative: no element may differ.
	AcceptedShare *float64

	// Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared. Default: on.
	CheckDtype Toggle

	// Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in
	// order. Default: on.
	CheckShape Toggle

	// Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU.
	// Default: "".
	Provider string

	// Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default: none.
	RuntimeLibraries []string

	// Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that it
	// was run at.
	Sizes map[string]int64

	// Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
	// Default: on.
	OtherSizes Toggle

	// When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
	// differences that the outputs hide. Default: off.
	EveryOperator bool
	// Made until here.

	// Follows and cancels the verifications and searches. Default: none.
	Observer *Observer

	// Is called with each line of what could not be verified: dynamic axes at whose other sizes LibTorch itself does not
	// run. Default: that is an error.
	Warn func(line string)
}

// build creates the C library's object; nil stays nil. The caller frees it.
func (o *VerifyOptions) build() (*C.tonnx_verify_options, error) {
	if o == nil {
		return nil, nil
	}
	return filled(func(made **C.tonnx_verify_options, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_verify_options_new(made, failure)
	}, func(made *C.tonnx_verify_options) { C.tonnx_verify_options_free(made) }, o.fill)
}

func (o *VerifyOptions) fill(made *C.tonnx_verify_options) error {
	var c texts
	defer c.free()
	provider := c.add("provider", o.Provider)
	libraries := c.addAll("library of ONNX Runtime", o.RuntimeLibraries)
	symbols := map[*C.char]C.int64_t{}
	for symbol, size := range o.Sizes {
		symbols[c.add("symbol", symbol)] = C.int64_t(size)
	}
	tolerances := map[*C.char]Tolerance{}
	for name, tolerance := range o.OperatorTolerances {
		tolerances[c.add("operator", name)] = tolerance
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
		if o.Rtol != nil {
			set(func() C.tonnx_status { return C.tonnx_verify_options_set_rtol(made, C.double(*o.Rtol), failure) })
		}
		if o.Atol != nil {
			set(func() C.tonnx_status { return C.tonnx_verify_options_set_atol(made, C.double(*o.Atol), failure) })
		}
		if o.AcceptedShare != nil {
			set(func() C.tonnx_status {
				return C.tonnx_verify_options_set_accepted_share(made, C.double(*o.AcceptedShare), failure)
			})
		}
		set(func() C.tonnx_status {
			return C.tonnx_verify_options_set_check_dtype(made, o.CheckDtype.value(), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_verify_options_set_check_shape(made, o.CheckShape.value(), failure)
		})
		if o.Provider != "" {
			set(func() C.tonnx_status { return C.tonnx_verify_options_set_provider(made, provider, failure) })
		}
		set(func() C.tonnx_status {
			return C.tonnx_verify_options_set_other_sizes(made, o.OtherSizes.value(), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_verify_options_set_every_operator(made, toBool(o.EveryOperator), failure)
		})
		// Made until here.
		set(func() C.tonnx_status { return C.tonnx_verify_options_set_observer(made, observer, failure) })
		for i := range libraries {
			set(func() C.tonnx_status {
				return C.tonnx_verify_options_add_runtime_library(made, libraries[i], failure)
			})
		}
		for name, tolerance := range tolerances {
			set(func() C.tonnx_status {
				rtol, atol := C.double(tolerance.Rtol), C.double(tolerance.Atol)
				return C.tonnx_verify_options_add_operator_tolerance(made, name, rtol, atol, failure)
			})
		}
		for symbol, size := range symbols {
			set(func() C.tonnx_status { return C.tonnx_verify_options_add_size(made, symbol, size, failure) })
		}
		return status
	})
}
