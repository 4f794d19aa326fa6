package split

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"sync"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// inflate returns what a stream's filters make of its bytes, at most limit
// bytes. The stream itself stays as it is.
func (t *table) inflate(s types.StreamDict, limit int64) ([]byte, error) {
	if limit <= 0 {
		return nil, errInflates()
	}
	if s.HasSoleFilterNamed(pdffilter.Flate) && s.FilterPipeline[0].DecodeParms == nil {
		if data, ok := inflatePlain(s.Raw, limit); ok {
			return data, nil
		}
	}
	s.Content = nil
	err := s.DecodeWithLimit(limit)
	if errors.Is(err, pdffilter.ErrDecodeLimitExceeded) {
		return nil, errInflates()
	}
	if err != nil {
		return nil, refuse(ErrDamaged, "a stream cannot be decompressed (%s)", reason(err))
	}
	return s.Content, nil
}

// inflatePlain reads a sound zlib stream. pdfcpu, which also makes something of
// others, takes half as long again, as it starts with nothing for each stream.
func inflatePlain(data []byte, limit int64) ([]byte, bool) {
	in, _ := inflaters.Get().(*inflater)
	if in == nil {
		in = &inflater{}
	}
	in.source.Reset(data)
	if in.zlib == nil {
		z, err := zlib.NewReader(&in.source)
		if err != nil {
			return nil, false
		}
		in.zlib = z
	} else if in.zlib.(zlib.Resetter).Reset(&in.source, nil) != nil {
		return nil, false
	}
	in.out.Reset()
	n, err := in.out.ReadFrom(io.LimitReader(in.zlib, limit+1))
	if err != nil || n > limit {
		return nil, false
	}
	all := bytes.Clone(in.out.Bytes())
	if in.out.Cap() <= mebi {
		in.source.Reset(nil)
		inflaters.Put(in)
	}
	return all, true
}

// inflater is what a stream leaves to the next: the decompressor and a buffer.
type inflater struct {
	source bytes.Reader
	zlib   io.ReadCloser
	out    bytes.Buffer
}

var inflaters sync.Pool

func errInflates() error {
	return refuse(ErrTooLarge, "its streams grow beyond the limit when they are decompressed (Limits.DecodedBytes)")
}

// tryStreams reports whether a stream makes sense, and whether there was one to
// try. An old security handler may take a wrong password for right; then every
// stream is noise, which no zlib stream survives.
func (t *table) tryStreams() (tried, sound bool) {
	left := 5
	for _, nr := range sortedKeys(t.direct) {
		s, ok := t.direct[nr].(types.StreamDict)
		if !ok || !s.HasSoleFilterNamed(pdffilter.Flate) || len(s.Raw) == 0 || s.Image() {
			continue
		}
		tried = true
		if _, err := t.inflate(s, t.limits.DecodedBytes); !errors.Is(err, ErrDamaged) {
			return true, true
		}
		if left--; left == 0 {
			break
		}
	}
	return tried, false
}
