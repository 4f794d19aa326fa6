package split

import (
	"errors"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// inflate returns what a stream's filters make of its bytes, at most limit
// bytes. The stream itself stays as it is.
func (t *table) inflate(s types.StreamDict, limit int64) ([]byte, error) {
	if limit <= 0 {
		return nil, errInflates(t.limits.DecodedBytes)
	}
	s.Content = nil
	err := s.DecodeWithLimit(limit)
	if errors.Is(err, pdffilter.ErrDecodeLimitExceeded) {
		return nil, errInflates(t.limits.DecodedBytes)
	}
	if err != nil {
		return nil, refuse(ErrDamaged, "a stream cannot be decompressed (%s)", reason(err))
	}
	return s.Content, nil
}

func errInflates(limit int64) error {
	return refuse(ErrTooLarge, "its streams grow beyond %d bytes when they are decompressed", limit)
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
