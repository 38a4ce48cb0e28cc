//go:build cgo

package tonnx

import (
	"sync"
	"unsafe"
)

// A scope is the duration of a callback, or the life of contents, in which borrowed objects may be used, by one
// goroutine at a time.
type scope struct {
	late  string  // error message for a use after its end
	owner *handle // keeps what the objects are borrowed from; nil in a callback
	mutex sync.Mutex
	over  bool

	// Of contents: the one object for each node and graph, so that pointers can be compared.
	nodes  map[unsafe.Pointer]*Node
	graphs map[unsafe.Pointer]*Graph
}

// enter begins one use; leave must follow.
func (s *scope) enter() error {
	if s == nil {
		return argumentError("this graph or recorder does not belong to a callback")
	}
	s.mutex.Lock()
	if s.over {
		s.mutex.Unlock()
		return argumentError(s.late)
	}
	return nil
}

func (s *scope) leave() { s.mutex.Unlock() }

func (s *scope) end() {
	s.mutex.Lock()
	s.over = true
	s.mutex.Unlock()
}
