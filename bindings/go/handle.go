package tonnx

// #include <tonnx.h>
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// A handle owns an object of the C library. Reading calls share it; a changing call has exclusive access. An object
// that is closed while in use is freed by the last call.
type handle struct {
	free func(unsafe.Pointer)

	mutex    sync.Mutex
	object   unsafe.Pointer
	readers  int
	changing bool
	closed   bool
}

func newHandle(object unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	h := &handle{object: object, free: free}
	runtime.SetFinalizer(h, (*handle).close)
	return h
}

// share returns the object to a call that reads it; done must follow.
func (h *handle) share(noun string) (unsafe.Pointer, error) { return h.take(noun, false) }

// own returns the object to a call that changes it; done must follow.
func (h *handle) own(noun string) (unsafe.Pointer, error) { return h.take(noun, true) }

func (h *handle) take(noun string, change bool) (unsafe.Pointer, error) {
	if h == nil {
		return nil, argumentError("the " + noun + " is nil")
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.closed {
		return nil, argumentError("the " + noun + " is closed")
	}
	if h.changing || change && h.readers > 0 {
		return nil, argumentError("the " + noun + " is in use by another call")
	}
	if change {
		h.changing = true
	} else {
		h.readers++
	}
	return h.object, nil
}

func (h *handle) done() {
	h.mutex.Lock()
	if h.changing {
		h.changing = false
	} else {
		h.readers--
	}
	h.release()
}

func (h *handle) close() {
	if h == nil {
		return
	}
	h.mutex.Lock()
	h.closed = true
	h.release()
}

// release frees a closed object that no call uses, and unlocks. The free runs unlocked, since it may end in a
// callback.
func (h *handle) release() {
	var object unsafe.Pointer
	if h.closed && !h.changing && h.readers == 0 {
		object, h.object = h.object, nil
	}
	h.mutex.Unlock()
	if object != nil {
		runtime.SetFinalizer(h, nil)
		h.free(object)
	}
}

// read makes a call that reads the object and cannot fail; it does nothing if there is no object.
func (h *handle) read(call func(object unsafe.Pointer)) {
	object, err := h.share("")
	if err != nil {
		return
	}
	defer h.done()
	call(object)
}

// change makes a call that changes the object.
func (h *handle) change(noun string, call func(unsafe.Pointer, **C.tonnx_error) C.tonnx_status) error {
	object, err := h.own(noun)
	if err != nil {
		return err
	}
	defer h.done()
	return try(func(failure **C.tonnx_error) C.tonnx_status { return call(object, failure) })
}

// ask makes a call that reads the object and can fail.
func (h *handle) ask(noun string, call func(unsafe.Pointer, **C.tonnx_error) C.tonnx_status) error {
	object, err := h.share(noun)
	if err != nil {
		return err
	}
	defer h.done()
	return try(func(failure **C.tonnx_error) C.tonnx_status { return call(object, failure) })
}

// filled creates an object of the C library, which P points to, and fills it; on failure it frees the object.
func filled[P any](create func(made *P, failure **C.tonnx_error) C.tonnx_status, free func(P), fill func(P) error) (P, error) {
	var made, none P
	if err := try(func(failure **C.tonnx_error) C.tonnx_status { return create(&made, failure) }); err != nil {
		return none, err
	}
	if err := fill(made); err != nil {
		free(made)
		return none, err
	}
	return made, nil
}
