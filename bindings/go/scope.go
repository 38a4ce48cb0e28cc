package tonnx

import "sync"

// A scope is the time of one callback, in which what the library lends to it may be used, by one goroutine at a time.
type scope struct {
	noun  string
	mutex sync.Mutex
	over  bool
}

// enter begins one use; leave must follow.
func (s *scope) enter() error {
	if s == nil {
		return argumentError("it belongs to no callback")
	}
	s.mutex.Lock()
	if s.over {
		s.mutex.Unlock()
		return argumentError("it was used after its " + s.noun + " returned")
	}
	return nil
}

func (s *scope) leave() { s.mutex.Unlock() }

func (s *scope) end() {
	s.mutex.Lock()
	s.over = true
	s.mutex.Unlock()
}
