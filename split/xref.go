package split

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// xref reads the cross-reference sections of a file: the last one, and those it leads to. What a
// later section says holds.
type xref struct {
	src     *source
	limits  Limits
	shift   int64 // where offsets count from
	places  *places
	trailer types.Dict // the later sections' entries first
	seen    map[int64]bool
	decoded int64
}

const blanks = `[\x00\t\n\f\r ]`

var startXRef = regexp.MustCompile(`startxref` + blanks + `*(\d{1,15})\b`)

// Some readers take such a file as it was before the changes, some as far as they go.
var errIncomplete = refuse(ErrDamaged, "it ends with changes that are not complete")

// readXRef returns the table that a file says it has, or an error where it cannot be followed to
// its end.
func readXRef(src *source, limits Limits, shift int64) (*xref, error) {
	const reach = 2 << 10
	tail := src.peek(max(0, src.size-reach), reach)
	all := startXRef.FindAllSubmatchIndex(tail, -1)
	if all == nil {
		return nil, refuse(ErrDamaged, "it does not say where its cross-reference table is")
	}
	last := all[len(all)-1]
	if anyObject.Match(tail[last[1]:]) {
		return nil, errIncomplete
	}
	at, _ := strconv.ParseInt(string(tail[last[2]:last[3]]), 10, 64) // digits, by the pattern
	x := &xref{src: src, limits: limits, shift: shift, places: newPlaces(), trailer: types.Dict{}, seen: map[int64]bool{}}
	for {
		trailer, err := x.section(at + shift)
		if err != nil {
			return nil, err
		}
		prev, ok := offsetIn(trailer["Prev"])
		if !ok || prev <= 0 {
			return x, nil
		}
		at = prev
	}
}

func errNoTable() error { return refuse(ErrDamaged, "its cross-reference table cannot be read") }

// section reads a table and its trailer, or a stream that is both.
func (x *xref) section(at int64) (types.Dict, error) {
	if x.seen[at] {
		return nil, refuse(ErrDamaged, "its cross-reference tables lead in a circle")
	}
	x.seen[at] = true
	text := x.src.peek(at, 64)
	start := 0
	for start < len(text) && isBlank(rune(text[start])) {
		start++
	}
	if !bytes.HasPrefix(text[start:], []byte("xref")) {
		trailer, err := x.stream(at)
		if err == nil {
			x.merge(trailer)
		}
		return trailer, err
	}
	trailer, freed, err := x.table(at + int64(start+len("xref")))
	if err != nil {
		return nil, err
	}
	x.merge(trailer)
	// An older reader takes the objects for free that a newer one finds in the stream.
	if more, ok := offsetIn(trailer["XRefStm"]); ok {
		if _, err := x.stream(more + x.shift); err != nil {
			return nil, err
		}
	}
	for _, nr := range freed {
		x.places.add(nr, place{kind: free})
	}
	return trailer, x.check()
}

func (x *xref) merge(trailer types.Dict) {
	for key, value := range trailer {
		if _, known := x.trailer[key]; !known {
			x.trailer[key] = value
		}
	}
}

func (x *xref) check() error {
	if x.src.err != nil {
		return x.src.err
	}
	if x.places.count > x.limits.Objects {
		return refuse(ErrTooLarge, "it has more than %d objects", x.limits.Objects)
	}
	return nil
}

// table reads what comes after "xref": subsections of entries, and the trailer's dictionary. It
// returns the objects that are said to be free.
func (x *xref) table(at int64) (trailer types.Dict, freed []int, err error) {
	r := lineReader{src: x.src, at: at}
	for {
		word := r.word()
		if string(word) == "trailer" {
			break
		}
		first, ok := number(word)
		count, ok2 := number(r.word())
		if !ok || !ok2 {
			return nil, nil, errNoTable()
		}
		if count > int64(x.limits.Objects) {
			return nil, nil, refuse(ErrTooLarge, "it has more than %d objects", x.limits.Objects)
		}
		for i := range count {
			where, ok := number(r.word())
			generation, ok2 := number(r.word())
			kind := r.word()
			if !ok || !ok2 || len(kind) != 1 {
				return nil, nil, errNoTable()
			}
			if i == 0 && first == 1 && kind[0] == 'f' && generation == 65535 {
				first = 0 // a known mistake: the first entry is always that of object 0
			}
			nr := first + i
			switch {
			case kind[0] == 'f' && nr < numberLimit:
				freed = append(freed, int(nr))
			case kind[0] == 'n' && where > 0 && nr < numberLimit:
				x.places.add(int(nr), place{kind: direct, where: where + x.shift, index: uint32(generation)})
			case kind[0] != 'f' && kind[0] != 'n':
				return nil, nil, errNoTable()
			}
		}
		if err := x.check(); err != nil {
			return nil, nil, err
		}
	}
	trailer, ok := x.dict(r.at)
	if !ok {
		return nil, nil, errNoTable()
	}
	return trailer, freed, nil
}

// dict reads a dictionary that is no object.
func (x *xref) dict(at int64) (types.Dict, bool) { return dictAt(x.src, at) }

func dictAt(src *source, at int64) (types.Dict, bool) {
	const longest = 64 << 10
	for n := 1 << 10; n <= longest; n *= 4 {
		text := src.peek(at, n)
		r := parser{text: string(text), depth: 10}
		if o, ok := r.object(); ok {
			d, isDict := o.(types.Dict)
			return d, isDict
		}
		if len(text) < n {
			break
		}
	}
	// What stands here for an object ends in one way or another.
	text := string(src.peek(at, longest))
	for _, end := range []string{"startxref", "endobj", "xref"} {
		if i := bytes.Index([]byte(text), []byte(end)); i >= 0 {
			text = text[:i]
		}
	}
	return oddDict(text)
}

// stream reads a cross-reference stream.
func (x *xref) stream(at int64) (types.Dict, error) {
	h, ok := headAt(x.src, at)
	if !ok {
		return nil, errNoTable()
	}
	p, err := parseAt(x.src, h.number, at, x.limits.Depth)
	if err != nil {
		return nil, err
	}
	s, ok := p.object.(*stream)
	if !ok || s.Dict["Type"] != types.Name("XRef") {
		return nil, errNoTable()
	}
	t := &table{file: x.src.file, size: x.src.size, limits: x.limits, places: x.places}
	if err := t.measure(x.src, s, 0); err != nil {
		return nil, err
	}
	v := &view{table: t, src: x.src}
	sound := false
	err = v.inflate(s, min(x.limits.DecodedBytes-x.decoded, mostContent), func(rows []byte) {
		x.decoded += int64(len(rows))
		sound = x.rows(s.Dict, rows)
	})
	if err != nil {
		return nil, err
	}
	if !sound {
		return nil, errNoTable()
	}
	return s.Dict, x.check()
}

// rows reads the entries of a cross-reference stream.
func (x *xref) rows(d types.Dict, rows []byte) bool {
	w, _ := d["W"].(types.Array)
	var widths [3]int
	for i := range widths {
		if len(w) < 3 {
			return false
		}
		n, ok := whole(w[i])
		if !ok || n < 0 || n > 8 {
			return false
		}
		widths[i] = n
	}
	size := widths[0] + widths[1] + widths[2]
	index, ok := d["Index"].(types.Array)
	if !ok {
		index = types.Array{types.Integer(0), d["Size"]}
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, ok := whole(index[i])
		count, ok2 := whole(index[i+1])
		if !ok || !ok2 || first < 0 || count < 0 || size == 0 {
			return false
		}
		for nr := first; nr < first+count; nr++ {
			if len(rows) < size {
				return false
			}
			x.row(nr, widths, rows)
			rows = rows[size:]
		}
	}
	return true
}

func (x *xref) row(nr int, widths [3]int, row []byte) {
	var fields [3]int64
	for i, width := range widths {
		for _, b := range row[:width] {
			fields[i] = fields[i]<<8 | int64(b)
		}
		row = row[width:]
	}
	if widths[0] == 0 {
		fields[0] = 1
	}
	switch fields[0] {
	case 0:
		x.places.add(nr, place{kind: free})
	case 1:
		if fields[1] > 0 {
			x.places.add(nr, place{kind: direct, where: fields[1] + x.shift, index: uint32(fields[2])})
		}
	case 2:
		if fields[1] > 0 && fields[1] < numberLimit {
			x.places.add(nr, place{kind: packed, where: fields[1], index: uint32(fields[2])})
		}
	}
}

// lineReader reads the words of a table. Its lines have twenty bytes, or about as many.
type lineReader struct {
	src *source
	at  int64
	buf []byte
	pos int
}

// word returns the next word, empty at the end of the file. It is valid until the next call.
func (r *lineReader) word() []byte {
	for {
		for r.pos < len(r.buf) && isBlank(rune(r.buf[r.pos])) {
			r.pos++
			r.at++
		}
		start := r.pos
		for r.pos < len(r.buf) && !isBlank(rune(r.buf[r.pos])) && !isDelimiter(r.buf[r.pos]) {
			r.pos++
		}
		if r.pos < len(r.buf) || r.pos-start > 64 {
			r.at += int64(r.pos - start)
			return r.buf[start:r.pos]
		}
		const block = 16 << 10
		if r.buf == nil {
			r.buf = make([]byte, block)
		}
		n, _ := r.src.ReadAt(r.buf[:block], r.at)
		if n <= r.pos-start {
			r.at += int64(n)
			word := r.buf[:n]
			r.buf, r.pos = r.buf[:0], 0
			return word
		}
		r.buf, r.pos = r.buf[:n], 0
	}
}

// number reads a whole number of at most 15 digits.
func number(word []byte) (int64, bool) {
	var n int64
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, len(word) > 0 && len(word) <= 15
}

// offsetIn returns an offset that a trailer has.
func offsetIn(o types.Object) (int64, bool) {
	switch o := o.(type) {
	case types.Integer:
		return int64(o), o >= 0
	case types.Float: // above what a number of the machine can be
		return int64(o), o >= 0
	}
	return 0, false
}
