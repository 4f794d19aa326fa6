package split

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"sync"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// inflate returns what a stream's filters make of its bytes, at most limit bytes.
func (v *view) inflate(s *stream, limit int64) ([]byte, error) {
	filters, ok := v.filters(s.Dict)
	switch {
	case !ok:
		return nil, refuse(ErrDamaged, "the filters of stream %d cannot be read", s.number)
	case limit <= 0 || s.size > mostContent:
		return nil, errInflates()
	case len(filters) == 1 && filters[0].Name == pdffilter.Flate && filters[0].DecodeParms == nil:
		if data, ok := inflatePlain(s.section(v.src), limit); ok {
			return data, nil
		}
	}
	raw, err := s.bytes(v.src)
	switch {
	case v.src.err != nil:
		return nil, v.src.err
	case err != nil:
		return nil, errLost(s.number)
	case len(filters) == 0:
		return raw, nil
	}
	decoder := types.StreamDict{Dict: s.Dict, Raw: raw, FilterPipeline: filters}
	err = decoder.DecodeWithLimit(limit)
	if errors.Is(err, pdffilter.ErrDecodeLimitExceeded) {
		return nil, errInflates()
	}
	if err != nil {
		return nil, refuse(ErrDamaged, "a stream cannot be decompressed (%s)", reason(err))
	}
	return decoder.Content, nil
}

// section returns the bytes of a stream from its start.
func (s *stream) section(file io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(s.reader(file), 0, s.size)
}

// inflatePlain reads a sound zlib stream. pdfcpu also makes something of others, and takes half as
// long again, as it starts with nothing for each stream.
func inflatePlain(data io.Reader, limit int64) ([]byte, bool) {
	in, _ := inflaters.Get().(*inflater)
	if in == nil {
		in = &inflater{source: bufio.NewReaderSize(nil, 32<<10)}
	}
	in.source.Reset(data)
	if in.zlib == nil {
		z, err := zlib.NewReader(in.source)
		if err != nil {
			return nil, false
		}
		in.zlib = z
	} else if in.zlib.(zlib.Resetter).Reset(in.source, nil) != nil {
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

// inflater is what a stream leaves to the next: the decompressor and buffers.
type inflater struct {
	source *bufio.Reader
	zlib   io.ReadCloser
	out    bytes.Buffer
}

var inflaters sync.Pool

func errInflates() error {
	return refuse(ErrTooLarge, "its streams grow beyond the limit when they are decompressed (Limits.DecodedBytes)")
}
