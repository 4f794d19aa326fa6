package split

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"
	"sync"
)

// unzlib reads a sound zlib stream. It appends to out, and returns false for a stream that is not
// sound, or grows beyond limit bytes.
func unzlib(out, data []byte, limit int) ([]byte, bool) {
	reader, _ := zlibReaders.Get().(io.ReadCloser)
	var err error
	if reader == nil {
		reader, err = zlib.NewReader(bytes.NewReader(data))
	} else {
		err = reader.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
	}
	if err != nil {
		return out, false
	}
	defer zlibReaders.Put(reader)
	for end := len(out) + limit; ; {
		out = slices.Grow(out, 512)
		n, err := reader.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case len(out) > end:
			return out, false
		case err == io.EOF:
			return out, true
		case err != nil:
			return out, false
		}
	}
}

var zlibReaders sync.Pool
