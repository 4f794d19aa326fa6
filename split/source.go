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
	short := int64(len(p)) > s.size-off
	if short {
		p = p[:s.size-off]
	}
	n, err := s.file.ReadAt(p, off)
	switch {
	case n == len(p) && short:
		return n, io.EOF
	case n == len(p):
		return n, nil
	case err != nil && err != io.EOF:
		s.err = err
	}
	return n, err
}

// peek returns up to n bytes from an offset: fewer at the end of the file, none outside of it. They
// are valid until the next call.
func (s *source) peek(off int64, n int) []byte {
	if off < 0 || off >= s.size {
		return nil
	}
	n = int(min(int64(n), s.size-off))
	if skip := off - s.start; skip >= 0 && skip+int64(n) <= int64(len(s.window)) {
		return s.window[skip : skip+int64(n)]
	}
	want := int(min(int64(max(n, windowSize)), s.size-off))
	if cap(s.window) < want {
		s.window = make([]byte, want)
	}
	s.window, s.start = s.window[:want], off
	got, _ := s.ReadAt(s.window, off) // what stopped it is in err
	s.window = s.window[:got]
	return s.window[:min(n, got)]
}
