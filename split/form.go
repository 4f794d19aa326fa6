package split

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// form is the part of a document's interactive form that shows on the chunk's pages. Without it,
// readers do not draw fields that have no appearance.
type form struct {
	dict types.Dict   // the document's AcroForm, nil where the chunk needs none
	live map[int]bool // widgets of the chunk, and the fields above them
}

// newForm climbs from every widget on the pages to the root of its field.
func newForm(v *view, pages []page) *form {
	f := &form{live: map[int]bool{}}
	widgets := false
	for i := range pages {
		for _, annot := range v.array(pages[i].dict(v)["Annots"]) {
			d := v.dict(annot)
			if v.name(d["Subtype"]) != "Widget" && !isField(d) {
				continue
			}
			widgets = true
			for o := annot; d != nil; d = v.dict(o) {
				nr := refNumber(o)
				if nr != 0 {
					if f.live[nr] {
						break
					}
					f.live[nr] = true
				}
				next := d["Parent"]
				if nr == 0 && refNumber(next) == 0 {
					break
				}
				o = next
			}
		}
	}
	if widgets {
		root := v.dict(types.IndirectRef{ObjectNumber: types.Integer(v.table.root)})
		f.dict = v.dict(root["AcroForm"])
	}
	return f
}

// isField reports whether a dictionary is a form field, as far as one can tell: the type may be
// inherited, and only the fields of a name have children.
func isField(d types.Dict) bool {
	if d["FT"] != nil {
		return true
	}
	return d["T"] != nil && d["Kids"] != nil
}

// appendTo writes the chunk's AcroForm entry, where it needs one.
func (f *form) appendTo(b []byte, c *copier) []byte {
	if f.dict == nil {
		return b
	}
	b = append(b, "/AcroForm<</Fields["...)
	for _, o := range c.array(f.dict["Fields"]) {
		if nr := refNumber(o); nr != 0 && f.live[nr] {
			b = append(c.appendObject(b, o), ' ')
		}
	}
	b = append(b, ']')
	for _, key := range []string{"DA", "DR", "NeedAppearances", "Q"} {
		b = c.appendEntry(b, key, f.dict[key])
	}
	return append(b, ">>"...)
}

// appendKids writes the children of a field, without those of other pages.
func (f *form) appendKids(b []byte, c *copier, kids types.Object) []byte {
	b = append(b, "/Kids["...)
	for _, o := range c.array(kids) {
		if nr := refNumber(o); nr == 0 || f.live[nr] {
			b = append(c.appendObject(b, o), ' ')
		}
	}
	return append(b, ']')
}
