package split

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// The skeleton of a chunk: its catalog, its page tree of one node, its pages.

func (c *copier) writeCatalog(nr, top int) {
	b := append(c.scratch.object[:0], "<</Type/Catalog/Pages "...)
	b = appendRef(b, top)
	root := c.dict(types.IndirectRef{ObjectNumber: types.Integer(c.table.root)})
	if layers := c.dict(root["OCProperties"]); layers != nil {
		b = c.appendEntry(b, "OCProperties", root["OCProperties"])
	}
	b = c.form.appendTo(b, c)
	b = c.appendDirection(b, root)
	b = append(b, ">>"...)
	c.out.object(nr, b)
	c.scratch.object = b
}

// appendDirection keeps the reading direction, by which PDFium orders the words of a page. Nothing
// else in a catalog changes what is read or drawn: a /Lang names the language of text that is
// extracted all the same, and the profiles of /OutputIntents, which PDFium and poppler do not
// apply, can be megabytes.
func (c *copier) appendDirection(b []byte, root types.Dict) []byte {
	direction := c.name(c.dict(root["ViewerPreferences"])["Direction"])
	if direction == "" {
		return b
	}
	b = append(b, "/ViewerPreferences<</Direction"...)
	return append(appendName(b, direction), ">>"...)
}

func (c *copier) writeTop(nr int, leaves []int) {
	b := append(c.scratch.object[:0], "<</Type/Pages/Count "...)
	b = appendScalar(b, types.Integer(len(leaves)))
	b = append(b, "/Kids["...)
	for _, leaf := range leaves {
		b = append(appendRef(b, leaf), ' ')
	}
	b = append(b, "]>>"...)
	c.out.object(nr, b)
	c.scratch.object = b
}

// leftBehind are the entries of a page that lead out of the chunk, mean nothing without the
// document around it, or are other programs' private matter.
var leftBehind = map[string]bool{
	"Type": true, "Parent": true, "B": true, "StructParents": true, "PieceInfo": true, "Thumb": true,
}

func (c *copier) writePage(p *page, nr, top int) {
	c.current = 0
	d := p.dict(c.view)
	b := append(c.scratch.object[:0], "<</Type/Page/Parent "...)
	b = appendRef(b, top)
	for _, key := range sortedKeys(d) {
		switch {
		case leftBehind[key], key == "Resources":
		case key == "Annots":
			b = append(appendName(b, key), '[')
			for _, o := range c.array(d[key]) {
				if o, ok := c.keep(o); ok {
					b = append(c.appendObject(b, o), ' ')
				}
			}
			b = append(b, ']')
		default:
			b = c.appendEntry(b, key, d[key])
		}
	}
	for _, key := range inheritable {
		if key != "Resources" && c.follow(d[key]) == nil {
			b = c.appendEntry(b, key, p.inherited.dict[key])
		}
	}
	b = c.appendPageResources(b, p, d)
	b = append(b, ">>"...)
	c.out.object(nr, b)
	c.scratch.object = b
}

func (c *copier) appendPageResources(b []byte, p *page, d types.Dict) []byte {
	o := d["Resources"]
	if c.follow(o) == nil {
		o = p.inherited.dict["Resources"]
	}
	if _, direct := o.(types.Dict); direct {
		return c.appendResources(appendName(b, "Resources"), p.resources(c.view, d))
	}
	return c.appendEntry(b, "Resources", o)
}
