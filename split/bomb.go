package split

import (
	"bytes"
	"errors"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// refuseBomb refuses a page whose content inflates beyond the limit. The content
// is copied without a look, but the next reader should not be hit by it.
func (t *tree) refuseBomb(contents types.Object) error {
	parts := t.view.array(contents)
	if parts == nil {
		parts = types.Array{contents}
	}
	limit := t.view.table.limits.DecodedBytes
	for _, o := range parts {
		nr := refNumber(o)
		s, ok := t.view.follow(o).(types.StreamDict)
		if !ok || t.looked[nr] {
			continue
		}
		t.looked[nr] = true
		if t.view.table.grows(s, limit) {
			return refuse(ErrTooLarge, "the content of page %d grows beyond %d bytes when it is decompressed", len(t.pages), limit)
		}
	}
	return t.view.err
}

// grows reports whether a stream may inflate to more than limit bytes. It looks
// into those alone that are long enough for it.
func (t *table) grows(s types.StreamDict, limit int64) bool {
	// What a byte can make of deflate, by RFC 1951, and of LZW at the most.
	ratios := map[string]float64{pdffilter.Flate: 1032, pdffilter.LZW: 4096, pdffilter.RunLength: 64}
	most := float64(len(s.Raw))
	for _, f := range s.FilterPipeline {
		most *= max(1, ratios[f.Name])
	}
	if most <= float64(limit) {
		return false
	}
	if s.HasSoleFilterNamed(pdffilter.Flate) {
		return grown(bytes.NewReader(s.Raw), 0, int64(len(s.Raw)), limit+1) > limit
	}
	_, err := t.inflate(s, limit)
	return errors.Is(err, ErrTooLarge)
}
