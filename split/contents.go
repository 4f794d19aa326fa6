package split

import (
	"errors"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// checkContents refuses a page whose content cannot be found, or inflates beyond the limit. It is
// copied without a look, but the next reader should not be hit by it.
func (t *tree) checkContents(contents types.Object) error {
	parts := t.view.array(contents)
	if parts == nil {
		parts = types.Array{contents}
	}
	limit := t.view.table.limits.DecodedBytes
	for _, o := range parts {
		nr := refNumber(o)
		content := t.view.follow(o)
		s, ok := content.(*stream)
		if !ok && content != nil && t.view.err == nil {
			return refuse(ErrDamaged, "the content of page %d is no stream", len(t.pages))
		}
		if !ok || t.looked[nr] {
			continue
		}
		t.looked[nr] = true
		if t.view.grows(s, limit) {
			return refuse(ErrTooLarge, "the content of page %d grows beyond %d bytes when it is decompressed", len(t.pages), limit)
		}
	}
	return t.view.err
}

// What a byte can make of deflate, by RFC 1951, and of the others at the most.
var growth = map[string]float64{pdffilter.Flate: 1032, pdffilter.LZW: 4096, pdffilter.RunLength: 64}

// grows reports whether a stream may inflate to more than limit bytes. It looks into those alone
// that are long enough for it.
func (v *view) grows(s *stream, limit int64) bool {
	filters, _ := v.filters(s.Dict)
	most := float64(s.size)
	for _, f := range filters {
		most *= max(1, growth[f.Name])
	}
	if most <= float64(limit) {
		return false
	}
	if len(filters) == 1 && filters[0].Name == pdffilter.Flate {
		return grown(s.section(v.src), limit+1) > limit
	}
	return errors.Is(v.inflate(s, limit, func([]byte) {}), ErrTooLarge)
}
