// Package tonnx turns LibTorch programs into ONNX models, without Python. It binds tonnx's C library, which
// pkg-config finds under the name tonnx.
//
// The road: [Load] or [Trace], [NewArgs], [Export], [Model.Save].
//
// # Errors
//
// A call that fails returns an [*Error]: its status, the core's whole message, and one [Reason] per operator that
// cannot be exported. errors.Is(err, tonnx.StatusUnsupported) tells the status. The error that a callback returned is
// reached by errors.Is and errors.As too, and a callback's panic as a [*PanicError].
//
// # Who frees
//
// Tensor, Args, Program, Registry and Model own memory outside of Go's heap, which the garbage collector does not
// see: Close them when they are no longer needed, in any order; a finalizer frees those that were forgotten. Close
// may be called twice, and at any time: what is in use is freed when that use ends. After Close a method returns an
// error, and one without an error result returns a zero value.
//
// # Goroutines
//
// Tensor, Program and Model may be used by several goroutines at once, and so may Args and Registry as long as
// nothing is added to them; a call that comes while another one changes the object returns an error. Callbacks run on
// the goroutine that called Export, Trace or WriteTo, locked to its thread. They must not call runtime.Goexit (nor
// testing's FailNow).
package tonnx

// #cgo pkg-config: tonnx
// #include <tonnx.h>
import "C"

// Version tells the library's version, such as "0.1.0".
func Version() string { return C.GoString(C.tonnx_version()) }

// BuildInfo tells the versions of what the library is built with.
func BuildInfo() string { return C.GoString(C.tonnx_build_info()) }
