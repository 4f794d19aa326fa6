package split

import (
	"context"
	"io"
)

// source is the file as pdfcpu reads it. It ends when the context does, and it
// remembers what stopped it, as pdfcpu takes any error for damage.
//
// pdfcpu reads every entry of the cross-reference table by itself. A small file
// with many entries for one place would so become a large document; source
// counts what is read again and again.
type source struct {
	*io.SectionReader
	ctx context.Context
	err error

	size   int64
	seen   []uint64 // a bit for each eight bytes in which an offset was sought
	again  int64    // how often one had been sought there before
	single int64    // bytes read since the last seek
	read   int64    // bytes beyond the first of each seek
}

const (
	// Two entries for one place are known from a word processor, and repairing
	// reads everything twice.
	againBase, againPerByte = 10_000, 100
	// What follows in one read is small objects, or the start of a large one.
	freeRead = 4 << 10
	// Repairing reads the file up to four times.
	readBase, readTimes = 32 * mebi, 8
)

func newSource(ctx context.Context, r io.ReaderAt, size int64) *source {
	return &source{
		SectionReader: io.NewSectionReader(r, 0, size),
		ctx:           ctx,
		size:          size,
		seen:          make([]uint64, size/512+1),
	}
}

func (s *source) Seek(offset int64, whence int) (int64, error) {
	off, err := s.SectionReader.Seek(offset, whence)
	if err != nil || whence != io.SeekStart || off >= s.size {
		return off, err
	}
	s.single = 0
	cell := off / 8 // no object is shorter
	if s.seen[cell/64]&(1<<(cell%64)) != 0 {
		s.again++
	}
	s.seen[cell/64] |= 1 << (cell % 64)
	return off, nil
}

func (s *source) Read(p []byte) (int, error) {
	switch {
	case s.err != nil:
		return 0, s.err
	case s.ctx.Err() != nil:
		s.err = context.Cause(s.ctx)
		return 0, s.err
	case s.again > againBase+s.size/againPerByte || s.read > readBase+readTimes*s.size:
		s.err = refuse(ErrTooLarge, "many of its objects are the same part of the file")
		return 0, s.err
	}
	n, err := s.SectionReader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	before := max(0, s.single-freeRead)
	s.single += int64(n)
	s.read += max(0, s.single-freeRead) - before
	return n, err
}
