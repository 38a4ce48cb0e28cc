package tonnx

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
)

// A Status is the kind of failure of an [Error]. It is itself an error, for use with errors.Is.
type Status int32

const (
	StatusOK           Status = C.TONNX_STATUS_OK
	StatusUnsupported  Status = C.TONNX_STATUS_UNSUPPORTED  // the program cannot be exported; Reasons lists all causes
	StatusArgument     Status = C.TONNX_STATUS_ARGUMENT     // wrong use: nil or closed object, unknown name, wrong count or shape
	StatusVerification Status = C.TONNX_STATUS_VERIFICATION // the model disagrees with LibTorch
	StatusFile         Status = C.TONNX_STATUS_FILE         // a file is missing, damaged, of another format, or not writable
	StatusCallback     Status = C.TONNX_STATUS_CALLBACK     // the caller's own callback failed
	StatusChecker      Status = C.TONNX_STATUS_CHECKER      // the ONNX checker rejected the model
	StatusProgram      Status = C.TONNX_STATUS_PROGRAM      // the program itself fails when run on the example inputs
	StatusMemory       Status = C.TONNX_STATUS_MEMORY       // out of memory
	StatusInternal     Status = C.TONNX_STATUS_INTERNAL     // a bug in tonnx
	StatusWarning      Status = C.TONNX_STATUS_WARNING      // the export warns, and warnings are errors; Reasons lists them
	StatusCancelled    Status = C.TONNX_STATUS_CANCELLED    // the context of an observer is done
)

// Error returns the status's name, such as "unsupported".
func (s Status) Error() string { return C.GoString(C.tonnx_status_name(C.tonnx_status(s))) }

// A Reason is a cause why a program cannot be exported.
type Reason struct {
	Operator string // "aten::add"
	Text     string
	Module   string // module path of the first location, "layer1.0.conv1"; may be empty
	Source   string // source line of the first location, "model.py:12"; may be empty
	Places   int64  // number of locations
}

// An Error is returned by a failed call.
type Error struct {
	Status  Status
	Class   string // "UnsupportedOperatorError", "CheckerError", "ArgumentError", ...
	Message string
	Reasons []Reason
	Report  string // report of the failure, a JSON object; for an export it includes everything found before the failure

	cause error
}

// Error returns the whole message, at most 15 lines.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the error of the caller's own callback, if it failed.
func (e *Error) Unwrap() error { return e.cause }

// Is returns true if target is the error's Status, or a [Class] that its own class is or derives from.
func (e *Error) Is(target error) bool {
	if class, ok := target.(Class); ok {
		return Class(e.Class).is(class)
	}
	status, ok := target.(Status)
	return ok && status == e.Status
}

// A Class is the class of an [Error] by its name, for use with errors.Is: Class("FileError") is true of all errors of
// classes that derive from it.
type Class string

// Error returns the name.
func (c Class) Error() string { return string(c) }

// is returns true if the class derives from base.
func (c Class) is(base Class) bool {
	var t texts
	defer t.free()
	name, wanted := t.add("class", string(c)), t.add("base", string(base))
	return t.err == nil && C.tonnx_error_class_is(name, wanted) != 0
}

// ErrDecline is returned by a symbolic that does not handle a node: the next registration for the operator is called.
var ErrDecline = errors.New("tonnx: the symbolic declines")

// A PanicError wraps a panic in a callback.
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // the goroutine's stack at the panic
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func argumentError(message string) error {
	return &Error{Status: StatusArgument, Class: "ArgumentError", Message: message}
}

// try makes a call of the library and returns its error.
func try(call func(failure **C.tonnx_error) C.tonnx_status) error {
	var failure *C.tonnx_error
	status := call(&failure)
	if status == C.TONNX_STATUS_OK {
		return nil
	}
	defer C.tonnx_error_free(failure)
	e := &Error{
		Status:  Status(status),
		Class:   C.GoString(C.tonnx_error_class(failure)),
		Message: C.GoString(C.tonnx_error_message(failure)),
		Report:  C.GoString(C.tonnx_error_report(failure)),
	}
	if e.Message == "" {
		e.Message = e.Status.Error()
	}
	for i, count := C.size_t(0), C.tonnx_error_reason_count(failure); i < count; i++ {
		e.Reasons = append(e.Reasons, Reason{
			Operator: C.GoString(C.tonnx_error_reason_operator(failure, i)),
			Text:     C.GoString(C.tonnx_error_reason_text(failure, i)),
			Module:   C.GoString(C.tonnx_error_reason_module(failure, i)),
			Source:   C.GoString(C.tonnx_error_reason_source(failure, i)),
			Places:   int64(C.tonnx_error_reason_places(failure, i)),
		})
	}
	if cause := C.tonnx_go_error_cause(failure); cause != 0 {
		e.cause, _ = cgo.Handle(cause).Value().(error)
		if errors.Is(e.cause, context.Canceled) || errors.Is(e.cause, context.DeadlineExceeded) {
			e.Status, e.Class = StatusCancelled, "CancelledError"
		}
	}
	return e
}
