package split

import (
	"bytes"
	"compress/zlib"
	"sync"
)

// scratch is the memory that writing a chunk takes, and leaves to the next one.
type scratch struct {
	object []byte // the object that is being written
	short  []byte // the bytes of a short stream
	texts  []byte // the objects that wait for their object stream
	piece  []byte // what is not yet part of the chunk

	deflater *zlib.Writer
	deflated bytes.Buffer
}

var scratches = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, compression) // fails for an unknown level alone
	return &scratch{deflater: w}
}}

// putBack keeps the memory for the next chunk, unless it is unusually much.
func (s *scratch) putBack() {
	if cap(s.object)+cap(s.short)+cap(s.texts)+cap(s.piece)+s.deflated.Cap() <= 2*mebi {
		scratches.Put(s)
	}
}

// deflate compresses what parts make together. The result is valid until the next call.
func (s *scratch) deflate(parts ...[]byte) []byte {
	s.deflated.Reset()
	s.deflater.Reset(&s.deflated)
	for _, p := range parts {
		_, _ = s.deflater.Write(p) // a bytes.Buffer takes everything
	}
	_ = s.deflater.Close()
	return s.deflated.Bytes()
}
