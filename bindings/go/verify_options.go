package tonnx

// #include <tonnx.h>
import "C"

// VerifyOptions tell how a model is compared with its program. The zero value of each field is its default.
type VerifyOptions struct {
	// By how much values may differ. Default: by the loosest floating dtype in the model.
	Tolerance *Tolerance
	// Sizes that dynamic axes, by symbol, have in the second run. Default: sizes that tonnx chooses; of a trace, one that it
	// ran at.
	Sizes map[string]int64
	// A second run, at another size of each dynamic axis. Default: On.
	OtherSizes Toggle
	// Is given what could not be verified, a line each: dynamic axes at whose other sizes LibTorch itself does not run.
	// Default: that is an error.
	Warn func(line string)
}

// A Tolerance tells how far a model may be from the program: |model - program| <= Absolute + Relative * |program|.
type Tolerance struct{ Relative, Absolute float64 }

// build makes the C library's object; nil stays nil. The caller frees it.
func (o *VerifyOptions) build() (*C.tonnx_verify_options, error) {
	if o == nil {
		return nil, nil
	}
	return filled(func(made **C.tonnx_verify_options, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_verify_options_new(made, failure)
	}, func(made *C.tonnx_verify_options) { C.tonnx_verify_options_free(made) }, o.fill)
}

func (o *VerifyOptions) fill(made *C.tonnx_verify_options) error {
	if bounds := o.Tolerance; bounds != nil {
		if err := try(func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_verify_options_set_tolerance(made, C.double(bounds.Relative), C.double(bounds.Absolute), failure)
		}); err != nil {
			return err
		}
	}
	var c texts
	defer c.free()
	for name, size := range o.Sizes {
		symbol, size := c.add("symbol", name), C.int64_t(size)
		if c.err != nil {
			return c.err
		}
		if err := try(func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_verify_options_add_size(made, symbol, size, failure)
		}); err != nil {
			return err
		}
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_verify_options_set_other_sizes(made, o.OtherSizes.value(), failure)
	})
}
