package split

import (
	"context"
	"os"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Heights returns the height of each page's MediaBox, in points of 1/72 inch, or 0 if a page has no
// readable MediaBox. It does not apply rotation. The error is [os.ErrClosed], or says what is wrong
// with a page.
func (d *Document) Heights() ([]float64, error) {
	t := d.table.Load()
	if t == nil {
		return nil, os.ErrClosed
	}
	heights := make([]float64, len(d.tree.pages))
	err := guard(func() error {
		v := newView(t, newSource(context.Background(), t.file, t.size))
		for i, p := range d.tree.pages {
			leaf := p.direct
			if leaf == nil {
				leaf = v.dict(types.IndirectRef{ObjectNumber: types.Integer(p.number)})
			}
			box := v.array(leaf["MediaBox"])
			if box == nil && p.inherited != nil {
				box = v.array(p.inherited.dict["MediaBox"])
			}
			if len(box) == 4 {
				heights[i] = max(v.number(box[3])-v.number(box[1]), v.number(box[1])-v.number(box[3]))
			}
		}
		return v.err
	})
	return heights, err
}

// number returns o as a number, 0 for anything else.
func (v *view) number(o types.Object) float64 {
	switch o := v.follow(o).(type) {
	case types.Integer:
		return float64(o.Value())
	case types.Float:
		return o.Value()
	}
	return 0
}
