package split

import (
	"errors"
	"io"
	"math"
	"sync"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/quire-dev/quire/split/internal/inflate"
)

// inflate hands over what a stream's filters make of its bytes, at most limit bytes. These are valid
// until use returns.
func (v *view) inflate(s *stream, limit int64, use func(data []byte)) error {
	filters, ok := v.filters(s.Dict)
	switch {
	case !ok:
		return refuse(ErrDamaged, "the filters of stream %d cannot be read", s.number)
	case limit <= 0 || s.size > mostContent:
		return errInflates()
	}
	buf := inflateBuffers.Get().(*inflateBuffer)
	defer buf.putBack()
	raw, err := s.appendTo(buf.raw[:0], v.src)
	buf.raw = raw
	switch {
	case v.src.err != nil:
		return v.src.err
	case err != nil:
		return errLost(s.number)
	case len(filters) == 0:
		use(raw)
		return nil
	case len(filters) == 1 && filters[0].Name == pdffilter.Flate && filters[0].DecodeParms == nil:
		if buf.data, ok = inflate.Append(buf.data[:0], raw, int(min(limit, math.MaxInt))); ok {
			use(buf.data)
			return nil
		}
	}
	// pdfcpu makes something of what is not sound, too.
	decoder := types.StreamDict{Dict: s.Dict, Raw: raw, FilterPipeline: filters}
	err = decoder.DecodeWithLimit(limit)
	if errors.Is(err, pdffilter.ErrDecodeLimitExceeded) {
		return errInflates()
	}
	if err != nil {
		return refuse(ErrDamaged, "a stream cannot be decompressed (%s)", reason(err))
	}
	use(decoder.Content)
	return nil
}

// inflateBuffer is what a stream leaves to the next.
type inflateBuffer struct{ raw, data []byte }

var inflateBuffers = sync.Pool{New: func() any { return &inflateBuffer{} }}

// putBack keeps the buffers for the next stream, unless they are unusually large.
func (b *inflateBuffer) putBack() {
	if cap(b.raw)+cap(b.data) <= 2*mebi {
		inflateBuffers.Put(b)
	}
}

// section returns the bytes of a stream from its start.
func (s *stream) section(file io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(s.reader(file), 0, s.size)
}

func errInflates() error {
	return refuse(ErrTooLarge, "its streams grow beyond the limit when they are decompressed (Limits.DecodedBytes)")
}
