// Package tonnx exports LibTorch programs as ONNX models, without Python. It binds tonnx's C library, which pkg-config
// finds as tonnx.
//
// Main calls: [Load] or [Trace], [NewArgs], [Export], [Model.Save].
//
// # Errors
//
// A call that fails returns an [*Error] with its status, the whole message, and one [Reason] per operator that cannot
// be exported. errors.Is(err, tonnx.StatusUnsupported) tests the status. errors.Is and errors.As also find the error
// that a callback returned, and a callback's panic as a [*PanicError].
//
// # Memory
//
// Tensor, Args, Program, Registry and Model own memory outside of Go's heap, which the garbage collector does not see.
// Close them when they are no longer needed, in any order; a finalizer frees those that were not closed. Close may be
// called more than once and at any time: an object in use is freed when that use ends. After Close, methods return an
// error, and methods without an error result return a zero value.
//
// # Goroutines
//
// Several goroutines may use a Tensor, Program or Model at once. This is also true for Args and Registry while nothing
// is added to them; a call during a change of the object returns an error. Callbacks run on the goroutine that called
// Export, Trace or WriteTo, locked to its thread. They must not call runtime.Goexit (nor testing's FailNow).
package tonnx

// #cgo pkg-config: tonnx
// #include <tonnx.h>
import "C"

// Version returns the library's version, such as "0.1.0".
func Version() string { return C.GoString(C.tonnx_version()) }

// VersionNumber returns the library's version as one number: 0x000100 is 0.1.0.
func VersionNumber() uint32 { return uint32(C.tonnx_version_number()) }

// BuildInfo returns the versions of the libraries that it is built with.
func BuildInfo() string { return C.GoString(C.tonnx_build_info()) }

// LibTorchVersion returns the version of the LibTorch that the process has loaded, itself or through tonnx: 0x020B00 is
// 2.11.0. It returns 0 if there is none, if there are several, or if it is older than 2.7.
func LibTorchVersion() uint32 { return uint32(C.tonnx_libtorch_version()) }

// LoadLibTorch loads the LibTorch of a folder, which contains libtorch_cpu.so or lib/libtorch_cpu.so. Call it before
// anything else loads LibTorch. It stays loaded, even if tonnx has no backend for its version.
func LoadLibTorch(folder string) error {
	var c texts
	defer c.free()
	name := c.add("folder", folder)
	if c.err != nil {
		return c.err
	}
	return try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_libtorch_load(name, failure) })
}
