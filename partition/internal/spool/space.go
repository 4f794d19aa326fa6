package spool

import (
	"context"
	"fmt"
	"sync"

	"github.com/quire-dev/quire/partition/internal/text"
)

// A Space bounds what all stores of several scratches have, in bytes: in files and in memory. The
// last sixteenth of each bound is for stores that have little, so that those which grow without end
// do not take the room of the others.
type Space struct {
	files, memory bound

	mu    sync.Mutex
	freed chan struct{} // closed when there is room again; nil while nobody waits for it
}

// NewSpace returns a space with so many bytes in files and in memory.
func NewSpace(files, memory int64) *Space {
	return &Space{
		files:  bound{limit: files, what: "in temporary files"},
		memory: bound{limit: memory, what: "in memory"},
	}
}

// A bound is a limit and what is taken of it.
type bound struct {
	limit, taken int64
	what         string
}

const (
	reserved   = 16   // the part of a bound that only small stores may take
	smallStore = 1024 // the part of a bound up to which a store is small
)

// LongestInFiles is how many bytes one store may have in files: half of the bound.
func (s *Space) LongestInFiles() int64 { return s.files.limit / 2 }

// LongestInMemory is how many bytes one store may have in memory: half of the bound.
func (s *Space) LongestInMemory() int64 { return s.memory.limit / 2 }

// take takes n bytes of a bound for a store that has size bytes, or returns why it cannot.
func (s *Space) take(b *bound, n, size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := b.limit
	if size+n > b.limit/smallStore {
		most -= b.limit / reserved
	}
	if b.taken+n > most {
		return &fullError{b}
	}
	b.taken += n
	return nil
}

// A fullError is that a bound is reached.
type fullError struct{ bound *bound }

func (e *fullError) Error() string {
	return fmt.Sprintf("what waits %s has %s in all already, the most that it may have", e.bound.what, text.Bytes(e.bound.limit))
}

// give gives n bytes of a bound back.
func (s *Space) give(b *bound, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.taken -= n
	if s.freed != nil && s.roomy() {
		close(s.freed)
		s.freed = nil
	}
}

// roomy reports whether less than half of each bound is taken.
func (s *Space) roomy() bool {
	return s.files.taken <= s.files.limit/2 && s.memory.taken <= s.memory.limit/2
}

// Wait waits until there is room for what is not begun yet: until half of each bound is free, or
// first says that nothing comes before it, which then must not wait for room. The error is the cause
// of the end of ctx.
func (s *Space) Wait(ctx context.Context, first <-chan struct{}) error {
	for {
		freed := s.whenFreed()
		if freed == nil {
			return nil
		}
		select {
		case <-freed:
		case <-first:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// whenFreed is closed when there is room again; nil where there is.
func (s *Space) whenFreed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.roomy() {
		return nil
	}
	if s.freed == nil {
		s.freed = make(chan struct{})
	}
	return s.freed
}
