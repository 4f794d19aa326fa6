package split

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// copier writes the pages of a chunk and all that they reach, but for what leads back to the rest
// of the document: references to other pages, to the page tree, to the structure tree and to form
// fields of other pages become null.
type copier struct {
	*view
	tree   *tree
	form   *form
	filter *filter
	out    *writer

	copied  int64       // bytes of streams
	current int         // the source object that is being written
	numbers map[int]int // source object -> object of the chunk, 0 for null
	queue   []int       // source objects that have a number and are not written yet
	scratch *scratch
}

// cut writes a chunk.
func (d *Document) cut(ctx context.Context, t *table, r PageRange) (chunk *Chunk, err error) {
	pages := d.tree.pages[r.First-1 : r.Last]
	v := newView(t, newSource(ctx, t.file, t.size))
	defer func() {
		if v.src.err != nil { // not what a parser makes of it
			chunk, err = nil, v.src.err
		}
	}()
	fields := newForm(v, pages)
	f, err := newFilter(ctx, v, &d.tree, fields, pages)
	if err != nil {
		return nil, err
	}
	s := scratches.Get().(*scratch)
	defer s.putBack()
	for {
		c := &copier{view: v, tree: &d.tree, form: fields, filter: f, out: newWriter(r, s), scratch: s, numbers: map[int]int{}}
		chunk, err := c.copy(ctx, pages)
		if err != nil {
			return nil, err
		}
		if !f.surprised {
			chunk.warnings = d.chunkWarnings(v)
			return chunk, nil
		}
		f.surprised = false
	}
}

// chunkWarnings are those that the document does not have already.
func (d *Document) chunkWarnings(v *view) []string {
	repaired := 0
	for nr := range v.src.repaired {
		if !d.repaired[nr] {
			repaired++
		}
	}
	if repaired > 0 {
		v.warnings = append(v.warnings, fmt.Sprintf("streams with a wrong length, repaired: %d", repaired))
	}
	return v.warnings
}

func (c *copier) copy(ctx context.Context, pages []page) (*Chunk, error) {
	catalog, top := c.out.number(), c.out.number()
	leaves := make([]int, len(pages))
	for i := range pages {
		leaves[i] = c.out.number()
		if nr := pages[i].number; nr != 0 && c.numbers[nr] == 0 {
			c.numbers[nr] = leaves[i]
		}
	}
	c.writeCatalog(catalog, top)
	c.writeTop(top, leaves)
	for i := range pages {
		c.writePage(&pages[i], leaves[i], top)
		if err := c.drain(ctx); err != nil {
			return nil, err
		}
	}
	return c.out.finish(catalog), nil
}

// drain writes all objects that wait, and those they lead to.
func (c *copier) drain(ctx context.Context) error {
	for len(c.queue) > 0 {
		nr := c.queue[0]
		c.queue = c.queue[1:]
		c.writeObject(nr)
		if c.err != nil {
			return c.err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return c.err
}

func (c *copier) writeObject(nr int) {
	c.current = nr
	out := c.numbers[nr]
	o := c.follow(types.IndirectRef{ObjectNumber: types.Integer(nr)})
	if s, ok := o.(*stream); ok {
		c.writeStream(out, s)
		return
	}
	b := c.scratch.object[:0]
	d, _ := o.(types.Dict)
	if used, ok := c.filter.selected(c.filter.parts, nr); ok && d != nil {
		b = c.appendPart(b, d, used)
	} else if d != nil {
		b = c.appendResources(b, resources{d, nr})
	} else {
		b = c.appendObject(b, o)
	}
	c.out.object(out, b)
	c.scratch.object = b
}

// writeStream leaves the bytes of a stream in the file, but for those of a short one.
func (c *copier) writeStream(out int, s *stream) {
	c.scratch.object = c.appendDict(append(c.scratch.object[:0], "<<"...), s.Dict, true)
	// The streams of a sound file do not overlap.
	if c.copied += s.size; c.copied > 2*c.table.size+mebi {
		c.err = cmp.Or(c.err, refuse(ErrTooLarge, "many of its objects are the same part of the file"))
		return
	}
	p := span{file: s.reader(c.table.file), size: s.size}
	if s.size < shortStream {
		data, err := s.appendTo(c.scratch.short[:0], c.src)
		c.scratch.short = data
		if c.err = cmp.Or(c.err, c.src.err); err != nil {
			c.err = cmp.Or(c.err, errLost(s.number))
		}
		p = inMemory(data)
	}
	c.out.stream(out, c.scratch.object, p)
}

// keep returns o as it is to be written, and false for what becomes null.
func (c *copier) keep(o types.Object) (types.Object, bool) {
	ref, ok := o.(types.IndirectRef)
	if !ok {
		return o, o != nil
	}
	nr := c.refer(ref.ObjectNumber.Value())
	return chunkRef{types.IndirectRef{ObjectNumber: types.Integer(nr)}}, nr != 0
}

// chunkRef is a reference by its number in the chunk.
type chunkRef struct{ types.IndirectRef }

// refer returns the chunk's number of a source object, 0 for null.
func (c *copier) refer(nr int) int {
	if n, ok := c.numbers[nr]; ok {
		return n
	}
	n := 0
	if c.belongs(nr) {
		n = c.out.number()
		c.queue = append(c.queue, nr)
	}
	c.numbers[nr] = n
	return n
}

// belongs reports whether an object may be part of the chunk. The chunk's own pages have their
// numbers from the start.
func (c *copier) belongs(nr int) bool {
	if c.tree.leaves[nr] || c.tree.nodes[nr] {
		return false
	}
	o := c.follow(types.IndirectRef{ObjectNumber: types.Integer(nr)})
	if o == nil {
		return false
	}
	d, ok := o.(types.Dict)
	if !ok {
		return true
	}
	switch c.name(d["Type"]) {
	case "Page", "Pages", "Catalog", "Outlines", "StructTreeRoot", "StructElem":
		return false
	}
	return !isField(d) || c.form.live[nr]
}

func (c *copier) appendEntry(b []byte, key string, o types.Object) []byte {
	o, ok := c.keep(o)
	if !ok {
		return b
	}
	b = appendName(b, key)
	switch o.(type) {
	case types.Name, types.Dict, types.Array, types.StringLiteral, types.HexLiteral:
	default:
		b = append(b, ' ')
	}
	return c.appendObject(b, o)
}

func (c *copier) appendObject(b []byte, o types.Object) []byte {
	o, ok := c.keep(o)
	if !ok {
		return append(b, "null"...)
	}
	switch o := o.(type) {
	case chunkRef:
		return appendRef(b, o.ObjectNumber.Value())
	case types.Dict:
		return append(c.appendDict(append(b, "<<"...), o, false), ">>"...)
	case types.Array:
		b = append(b, '[')
		for i, v := range o {
			if i > 0 {
				b = append(b, ' ')
			}
			b = c.appendObject(b, v)
		}
		return append(b, ']')
	}
	return appendScalar(b, o)
}

// appendDict writes the entries of a dictionary.
func (c *copier) appendDict(b []byte, d types.Dict, stream bool) []byte {
	if own := d["Resources"]; own != nil {
		c.filter.check(c.current, resources{c.dict(own), refNumber(own)})
	}
	for _, key := range sortedKeys(d) {
		switch {
		case stream && key == "Length":
		case key == "Kids" && (isField(d) || c.form.live[c.current]):
			b = c.form.appendKids(b, c, d[key])
		case key == "SD" && c.name(d["S"]) == "GoTo":
			// A structure element is no target without the structure tree.
		default:
			b = c.appendEntry(b, key, d[key])
		}
	}
	return b
}
