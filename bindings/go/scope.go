package tonnx

import "sync"

// A scope is the time of one callback, in which what the library lends to it may be used, by one goroutine at a time.
type scope struct {
	late  string // says what was used after the callback returned
	mutex sync.Mutex
	over  bool
}

// enter begins one use; leave must follow.
func (s *scope) enter() error {
	if s == nil {
		return argumentError("no callback has lent this graph or recorder")
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
