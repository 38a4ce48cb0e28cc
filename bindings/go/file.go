package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

import (
	"encoding/json"
	"strings"
)

// CheckFile runs the ONNX checker with shape inference on a model file and its external data.
func CheckFile(path string) error {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_file_check(name, failure) })
}

// SaveReport writes a report, of a Model or of an Error, as SARIF to a file NAME.sarif.
func SaveReport(path, report string) error {
	var c texts
	defer c.free()
	name, text := c.add("path", path), c.add("report", report)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_report_save(name, text, failure) })
}

// FileText returns a model file as text. It does not read the bytes of the weights.
func FileText(path string, format TextFormat) (string, error) {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return "", c.err
	}
	var made *C.tonnx_buffer
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_file_text(&made, name, C.int32_t(format), failure)
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// FilePicture returns a picture of a model file (TextSVG or TextHTML). The operators that differ in mismatch, a result
// of Mismatch.JSON, are marked; it may be nil.
func FilePicture(path string, format TextFormat, mismatch json.RawMessage) (string, error) {
	var c texts
	defer c.free()
	name := c.add("path", path)
	var marked *C.char
	if mismatch != nil {
		marked = c.add("mismatch", string(mismatch))
	}
	if c.err != nil {
		return "", c.err
	}
	var made *C.tonnx_buffer
	err := try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_file_picture(&made, name, C.int32_t(format), marked, failure)
	})
	if err != nil {
		return "", err
	}
	return string(takeBuffer(made)), nil
}

// A NamedTensor is an output of a model. The items of a sequence are NAME.0, NAME.1, ...
type NamedTensor struct {
	Name   string
	Tensor *Tensor
}

// RunFile runs a model file in ONNX Runtime, which is searched as by Model.Verify, and returns its outputs in order. The
// arguments go to the model's inputs by position or, as keyword arguments, by name. Of the options, which may be nil,
// it uses the provider, the runtime libraries and the observer.
func RunFile(path string, inputs *Args, options *VerifyOptions) ([]NamedTensor, error) {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return nil, c.err
	}
	given, release, err := inputs.optional()
	if err != nil {
		return nil, err
	}
	defer release()
	how, err := options.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_verify_options_free(how)
	var made *C.tonnx_args
	var terminated *C.tonnx_buffer
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_file_run(&made, &terminated, name, given, how, failure)
	})
	if err != nil {
		return nil, err
	}
	names := strings.Split(string(takeBuffer(terminated)), "\x00")
	tensors, err := takeTensors(made)
	if err != nil {
		return nil, err
	}
	results := make([]NamedTensor, len(tensors))
	for i, tensor := range tensors {
		results[i] = NamedTensor{names[i], tensor}
	}
	return results, nil
}

// InferFile infers the types and shapes of the values of a model file, as ONNX does, and writes the model with them to
// another file. It must be in the same folder if the model has external data.
func InferFile(path, result string) error {
	var c texts
	defer c.free()
	from, to := c.add("path", path), c.add("result", result)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_file_infer(from, to, failure) })
}

// IsExporting returns true if the calling thread is inside an export or a trace. Call it in a symbolic or in a function
// that is recorded.
func IsExporting() bool { return C.tonnx_is_exporting() != 0 }
