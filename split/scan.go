package split

import (
	"bytes"
	"context"
	"regexp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// scan finds the objects of a file by the "12 0 obj" that they start with, where its own table does
// not lead to them. Of several objects with one number the last one holds, as with changes that are
// saved at the end of a file.
type scan struct {
	src     *source
	limits  Limits
	places  *places
	trailer types.Dict // what all trailers say, the last one first
	catalog int        // the last one
	locked  bool       // there is an encryption dictionary
	cut     bool       // the file ends within its last cross-reference stream
	ended   bool       // a table, a trailer or the end of the file comes after the last object
	packs   []int      // the object streams, in file order
}

var fileEnd = regexp.MustCompile("xref|trailer|%%EOF")

func scanFile(src *source, limits Limits) (*scan, error) {
	s := &scan{src: src, limits: limits, places: newPlaces(), trailer: types.Dict{}}
	const overlap = 32
	buf := make([]byte, min(256<<10, max(src.size, windowSize)))
	for at := int64(0); at < src.size; {
		n, _ := src.ReadAt(buf, at)
		if src.err != nil {
			return nil, src.err
		}
		next, found := s.find(buf[:n], at)
		switch {
		case found:
			at = next
		case n < len(buf):
			return s, nil
		default:
			at += int64(n - overlap)
		}
		if s.places.count > limits.Objects {
			return nil, refuse(ErrTooLarge, "it has more than %d objects", limits.Objects)
		}
	}
	return s, nil
}

// find looks for an object in a piece of the file, and returns where to look on.
func (s *scan) find(text []byte, at int64) (next int64, found bool) {
	for i := 0; ; {
		step := bytes.Index(text[i:], []byte("obj"))
		until := len(text)
		if step >= 0 {
			until = i + step
		}
		s.trailers(text[i:until], at+int64(i))
		if step < 0 {
			return 0, false
		}
		if start := headBefore(text[:until]); start >= 0 {
			if h, ok := headAt(s.src, at+int64(start)); ok {
				return s.object(h, at+int64(start)), true
			}
		}
		i = until + len("obj")
	}
}

// headBefore returns where the two numbers start that text ends with, -1 where it does not.
func headBefore(text []byte) int {
	i := len(text)
	for range 2 {
		end := i
		for i > 0 && isBlank(rune(text[i-1])) {
			i--
		}
		if i == end {
			return -1
		}
		end = i
		for i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
			i--
		}
		if i == end {
			return -1
		}
	}
	// "x6 0 obj" is no object to other readers.
	before := text[:i]
	if i == 0 || isBlank(rune(before[i-1])) || isDelimiter(before[i-1]) ||
		bytes.HasSuffix(before, []byte("endobj")) || bytes.HasSuffix(before, []byte("endstream")) {
		return i
	}
	return -1
}

// object takes down an object, and returns where it ends.
func (s *scan) object(h head, at int64) int64 {
	s.places.set(h.number, place{kind: direct, where: at, index: uint32(h.generation)})
	s.ended = false
	p, err := parseAt(s.src, h.number, at, s.limits.Depth)
	if err != nil {
		return h.end
	}
	switch o := p.object.(type) {
	case types.Dict:
		if o["Type"] == types.Name("Catalog") && o["Pages"] != nil {
			s.catalog = h.number
		}
		if o["Filter"] == types.Name("Standard") && o["O"] != nil && o["U"] != nil {
			s.locked = true
		}
	case *stream:
		switch o.Dict["Type"] {
		case types.Name("XRef"):
			said, ok := whole(o.Dict["Length"])
			if s.cut = ok && p.end+int64(said) > s.src.size; !s.cut {
				s.ended = true
				s.merge(o.Dict)
			}
		case types.Name("ObjStm"):
			s.packs = append(s.packs, h.number)
		}
		if said, ok := whole(o.Dict["Length"]); ok && said >= 0 && endsAt(s.src, p.end+int64(said)) {
			return p.end + int64(said)
		}
	}
	return max(p.end, h.end)
}

// trailers looks for trailers between objects.
func (s *scan) trailers(text []byte, at int64) {
	s.ended = s.ended || fileEnd.Match(text)
	for i := 0; ; {
		step := bytes.Index(text[i:], []byte("trailer"))
		if step < 0 {
			return
		}
		i += step + len("trailer")
		if d, ok := dictAt(s.src, at+int64(i)); ok {
			s.merge(d)
		}
	}
}

func (s *scan) merge(trailer types.Dict) {
	for _, key := range []string{"Root", "Encrypt", "ID"} {
		if trailer[key] != nil {
			s.trailer[key] = trailer[key]
		}
	}
}

// oddDict reads a dictionary with pdfcpu.
func oddDict(text string) (types.Dict, bool) {
	o, err := model.ParseObjectContext(context.Background(), &text, 0, 10)
	d, ok := o.(types.Dict)
	return d, ok && err == nil
}

// unpack adds the objects in object streams to what was found. It needs the key of an encrypted
// file.
func (s *scan) unpack(t *table) error {
	for _, nr := range s.packs {
		at := s.places.get(nr)
		p, err := t.packs.get(t, s.src, nr)
		switch {
		case s.src.err != nil:
			return s.src.err
		case at.kind != direct:
			continue // another object has its number
		case err != nil:
			return err
		}
		for i, packedNr := range p.numbers {
			if known := s.places.get(int(packedNr)); known.kind == direct && known.where > at.where {
				continue
			}
			if int(packedNr) != nr {
				s.places.set(int(packedNr), place{kind: packed, where: int64(nr), index: uint32(i)})
			}
		}
		if s.places.count > s.limits.Objects {
			return refuse(ErrTooLarge, "it has more than %d objects", s.limits.Objects)
		}
	}
	return nil
}
