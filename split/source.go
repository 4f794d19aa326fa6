package split

import (
	"context"
	"io"
)

// source is the file as one task reads it. It ends when the task's context does, and it remembers
// what stopped it, as a parser takes any error for damage. It is not safe for concurrent use.
type source struct {
	ctx  context.Context
	file io.ReaderAt
	size int64
	err  error

	repaired map[int]bool // numbers of streams whose length was wrong
	unpacks  bool         // an object stream is being read

	window []byte // what lies at offset start
	start  int64
}

// One read of that size has most objects whole, and costs little more than a shorter one.
const windowSize = 4 << 10

func newSource(ctx context.Context, file io.ReaderAt, size int64) *source {
	return &source{ctx: ctx, file: file, size: size, repaired: map[int]bool{}}
}

// ReadAt reads as [io.ReaderAt] says, and fails once anything has stopped the source.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if s.err == nil && s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
	}
	switch {
	case s.err != nil:
		return 0, s.err
	case off < 0 || off >= s.size:
		return 0, io.EOF
	}
	var end error
	if int64(len(p)) > s.size-off {
		p, end = p[:s.size-off], io.EOF
	}
	if known := s.known(off, len(p)); known != nil {
		return copy(p, known), end
	}
	n, err := s.file.ReadAt(p, off)
	switch {
	case n == len(p):
		return n, end
	case err != nil && err != io.EOF:
		s.err = err
	}
	return n, err
}

// known returns n bytes from an offset that are in the window, nil where not all of them are.
func (s *source) known(off int64, n int) []byte {
	if skip := off - s.start; skip >= 0 && skip+int64(n) <= int64(len(s.window)) {
		return s.window[skip : skip+int64(n)]
	}
	return nil
}

// peek returns up to n bytes from an offset: fewer at the end of the file, none outside of it. They
// are valid until the next call.
func (s *source) peek(off int64, n int) []byte {
	if off < 0 || off >= s.size {
		return nil
	}
	n = int(min(int64(n), s.size-off))
	if known := s.known(off, n); known != nil {
		return known
	}
	want := int(min(int64(max(n, windowSize)), s.size-off))
	if cap(s.window) < want {
		s.window = make([]byte, want)
	}
	window := s.window[:want]
	s.window = nil
	got, _ := s.ReadAt(window, off) // what stopped it is in err
	s.window, s.start = window[:got], off
	return s.window[:min(n, got)]
}
