package tonnx

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// EventKind is the kind of an event.
type EventKind int32

const (
	EventLog      EventKind = C.TONNX_EVENT_LOG      // a decision: which lowering was used, why a loop stayed, what was folded
	EventWarning  EventKind = C.TONNX_EVENT_WARNING  // a warning, when it is found, also if the call fails later
	EventProgress EventKind = C.TONNX_EVENT_PROGRESS // how far a stage is
)

// String returns "log", "warning" or "progress".
func (k EventKind) String() string {
	switch k {
	case EventLog:
		return "log"
	case EventWarning:
		return "warning"
	case EventProgress:
		return "progress"
	}
	return fmt.Sprintf("kind %d", int32(k))
}

// Level is the level of a log message. The zero value is LevelInfo.
type Level int32

const (
	LevelDebug   Level = C.TONNX_LEVEL_DEBUG - C.TONNX_LEVEL_INFO   // each operator
	LevelInfo    Level = 0                                          // each larger step
	LevelWarning Level = C.TONNX_LEVEL_WARNING - C.TONNX_LEVEL_INFO // warnings
)

// String returns "debug", "info" or "warning".
func (l Level) String() string {
	switch l {
	case LevelDebug:
		return "debug"
	case LevelInfo:
		return "info"
	case LevelWarning:
		return "warning"
	}
	return fmt.Sprintf("level %d", int32(l))
}

// Category says what a warning is about.
type Category int32

const (
	CategoryNone         Category = C.TONNX_CATEGORY_NONE         // the event is not a warning
	CategoryOther        Category = C.TONNX_CATEGORY_OTHER        // anything else
	CategoryProgram      Category = C.TONNX_CATEGORY_PROGRAM      // a construct of the program was changed or dropped
	CategoryState        Category = C.TONNX_CATEGORY_STATE        // the program writes to memory that outlives the call
	CategoryTraining     Category = C.TONNX_CATEGORY_TRAINING     // modules are not in the mode of the export
	CategorySizes        Category = C.TONNX_CATEGORY_SIZES        // an axis is fixed, or the model is wrong at some sizes
	CategoryTrace        Category = C.TONNX_CATEGORY_TRACE        // what a recording does not contain
	CategoryOptions      Category = C.TONNX_CATEGORY_OPTIONS      // an option has no effect, or another one
	CategorySymbolic     Category = C.TONNX_CATEGORY_SYMBOLIC     // a symbolic returned an incomplete result
	CategoryKernel       Category = C.TONNX_CATEGORY_KERNEL       // ONNX Runtime has no kernel for an operator of the model
	CategoryVerification Category = C.TONNX_CATEGORY_VERIFICATION // what could not be verified
)

// String returns the name in lower case, "state"; "category N" for one of a later version.
func (c Category) String() string {
	if name := C.GoString(C.tonnx_category_name(C.tonnx_category(c))); name != "unknown" {
		return name
	}
	return fmt.Sprintf("category %d", int32(c))
}

// An Event is what an observer receives.
type Event struct {
	Kind     EventKind
	Level    Level
	Category Category
	Stage    string // "import", "lowering", "writing", ...
	Done     int64  // steps of the stage that are done, or bytes
	Total    int64  // 0: unknown
	IsBytes  bool   // Done and Total are bytes of a file
	Text     string // message of a log or a warning
	Module   string // module path of the operator that it is about, "layer1.0.conv1"; may be empty
	Source   string // source line of the operator that it is about, "model.py:12"; may be empty
}

// An Observer follows calls and cancels them. It is set on the options of exports, traces, verifications and saves
// (SaveOptions.Observer). There is an event about every 50 ms. The zero value of each field is its default; the fields
// must not change while a call uses the observer. Its functions run on the goroutine of the call.
type Observer struct {
	// Ends the call when it is done: the call returns an error with StatusCancelled, in which errors.Is finds
	// context.Canceled or context.DeadlineExceeded. Default: never.
	Context context.Context

	// Is called with each event. An error, or a panic, ends the call with StatusCallback, and errors.Is finds it in the
	// call's error. Default: none.
	Observe func(event Event) error

	// The lowest level of log messages. Default: LevelInfo.
	Level Level
}

func (o *Observer) receive(event Event) error {
	if o.Context != nil {
		if err := o.Context.Err(); err != nil {
			return err
		}
	}
	if o.Observe == nil {
		return nil
	}
	return o.Observe(event)
}

// build creates the C library's object; nil stays nil. The caller frees it.
func (o *Observer) build() (*C.tonnx_observer, error) {
	if o == nil {
		return nil, nil
	}
	return filled(func(made **C.tonnx_observer, failure **C.tonnx_error) C.tonnx_status {
		// The library deletes the handle, also when the call fails.
		return C.tonnx_go_observer_new(made, C.uintptr_t(cgo.NewHandle(o)), failure)
	}, func(made *C.tonnx_observer) { C.tonnx_observer_free(made) }, func(made *C.tonnx_observer) error {
		return try(func(failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_observer_set_level(made, C.int32_t(o.Level)+C.TONNX_LEVEL_INFO, failure)
		})
	})
}

//export tonnxGoObserve
func tonnxGoObserve(event *C.tonnx_event, observer C.uintptr_t) C.int32_t {
	o := cgo.Handle(observer).Value().(*Observer)
	err := guarded(func() error {
		return o.receive(Event{
			Kind:     EventKind(C.tonnx_event_kind(event)),
			Level:    Level(C.tonnx_event_level(event) - C.TONNX_LEVEL_INFO),
			Category: Category(C.tonnx_event_category(event)),
			Stage:    C.GoString(C.tonnx_event_stage(event)),
			Done:     int64(C.tonnx_event_done(event)),
			Total:    int64(C.tonnx_event_total(event)),
			IsBytes:  C.tonnx_event_is_bytes(event) != 0,
			Text:     C.GoString(C.tonnx_event_text(event)),
			Module:   C.GoString(C.tonnx_event_module(event)),
			Source:   C.GoString(C.tonnx_event_source(event)),
		})
	})
	if err == nil {
		return 0
	}
	text := C.CString(failureText(err))
	defer C.free(unsafe.Pointer(text))
	C.tonnx_go_event_fail(event, text, C.uintptr_t(cgo.NewHandle(err)))
	return 1
}
