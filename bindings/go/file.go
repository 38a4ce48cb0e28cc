package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

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

// SaveDiagnostics writes a report, of a Model or of an Error, as SARIF to a file NAME.sarif.
func SaveDiagnostics(path, report string) error {
	var c texts
	defer c.free()
	name, text := c.add("path", path), c.add("report", report)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_save_diagnostics(name, text, failure) })
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
