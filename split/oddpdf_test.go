package split_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A pdf is a PDF that a test makes: objects by number, and how they are written. Object 1 is the
// catalog.
type pdf struct {
	objects map[int]string // a dictionary, where the object is a stream
	streams map[int]string // data; /Length is added unless the dictionary has one
	gens    map[int]int    // generations other than 0
	header  string         // what stands before the first object
	trailer string         // further entries of the trailer
	id      string         // of an encrypted file
	crypt   *crypt         // nil: not encrypted
	next    int            // the next free number
}

// text marks a string of an object, so that it can be encrypted.
func text(s string) string { return "\x01" + s + "\x02" }

func newPDF() *pdf {
	return &pdf{
		objects: map[int]string{}, streams: map[int]string{}, gens: map[int]int{}, header: "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
		id: "0123456789abcdef", next: 1,
	}
}

func (p *pdf) add(format string, args ...any) int {
	nr := p.next
	p.next++
	p.set(nr, format, args...)
	return nr
}

func (p *pdf) set(nr int, format string, args ...any) {
	p.objects[nr] = fmt.Sprintf(format, args...)
	p.next = max(p.next, nr+1)
}

func (p *pdf) stream(dict, data string) int {
	nr := p.add("<<%s>>", dict)
	p.streams[nr] = data
	return nr
}

func (p *pdf) numbers() []int { return slices.Sorted(maps.Keys(p.objects)) }

// The objects of a [book].
const (
	catalogNr = 1
	treeNr    = 2
	fontNr    = 3
)

func contentNr(page int) int { return 2 + 2*page }
func pageNr(page int) int    { return 3 + 2*page }

const (
	font  = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	media = "[0 0 300 400]"
)

// words is what a page of a book says.
func words(name string, page int) string { return fmt.Sprintf("Page %d of %s.", page, name) }

// draw is the content of a page that says something.
func draw(words string) string { return "BT /F1 12 Tf 20 350 Td (" + words + ") Tj ET" }

// book is a document with pages that say where they are. A page has its own attributes.
func book(name string, pages int) *pdf {
	p := newPDF()
	p.fill(name, pages)
	return p
}

func (p *pdf) fill(name string, pages int) {
	p.set(catalogNr, "<</Type/Catalog/Pages 2 0 R>>")
	p.set(fontNr, "%s", font)
	var kids []string
	for n := 1; n <= pages; n++ {
		p.set(contentNr(n), "<<>>")
		p.streams[contentNr(n)] = draw(words(name, n))
		p.set(pageNr(n), "%s", leaf(contentNr(n), treeNr, ""))
		kids = append(kids, fmt.Sprintf("%d 0 R", pageNr(n)))
	}
	p.set(treeNr, "<</Type/Pages/Count %d/Kids[%s]>>", pages, strings.Join(kids, " "))
}

// compress compresses a stream.
func (p *pdf) compress(nr int) {
	p.objects[nr] = strings.TrimSuffix(p.objects[nr], ">>") + "/Filter/FlateDecode>>"
	p.streams[nr] = flate(p.streams[nr])
}

// leaf is a page with more entries.
func leaf(content, parent int, more string) string {
	return fmt.Sprintf("<</Type/Page/Parent %d 0 R/MediaBox%s/Resources<</Font<</F1 %d 0 R>>>>/Contents %d 0 R%s>>",
		parent, media, fontNr, content, more)
}

// edit replaces a text that an object has.
func (p *pdf) edit(nr int, old, new string) *pdf {
	if !strings.Contains(p.objects[nr], old) {
		panic(fmt.Sprintf("object %d has no %q: %s", nr, old, p.objects[nr]))
	}
	p.objects[nr] = strings.ReplaceAll(p.objects[nr], old, new)
	return p
}

// A writing is the file as far as it is written.
type writing struct {
	bytes.Buffer
	offsets map[int]int
}

func (p *pdf) write() *writing {
	w := &writing{offsets: map[int]int{}}
	w.WriteString(p.header)
	return w
}

// put writes objects, and remembers where they are.
func (p *pdf) put(w *writing, numbers ...int) *writing {
	for _, nr := range numbers {
		w.offsets[nr] = w.Len()
		fmt.Fprintf(w, "%d %d obj\n%s\nendobj\n", nr, p.gens[nr], p.object(nr))
	}
	return w
}

// object is an object as it is written, encrypted where the file is.
func (p *pdf) object(nr int) string {
	encrypt := func(data string) string { return data }
	if p.crypt != nil && nr != p.crypt.number {
		encrypt = func(data string) string { return p.crypt.encrypt(nr, p.gens[nr], data) }
	}
	dict := strings.Builder{}
	for rest := p.objects[nr]; ; {
		before, after, found := strings.Cut(rest, "\x01")
		dict.WriteString(before)
		if !found {
			break
		}
		s, more, _ := strings.Cut(after, "\x02")
		if p.crypt != nil && !p.crypt.plainStrings {
			fmt.Fprintf(&dict, "<%x>", encrypt(s))
		} else {
			fmt.Fprintf(&dict, "(%s)", s)
		}
		rest = more
	}
	data, isStream := p.streams[nr]
	if !isStream {
		return dict.String()
	}
	if p.crypt == nil || !p.crypt.plainStreams {
		data = encrypt(data)
	}
	d := dict.String()
	if !strings.Contains(d, "/Length") {
		d = fmt.Sprintf("%s/Length %d>>", strings.TrimSuffix(d, ">>"), len(data))
	}
	return d + "\nstream\n" + data + "\nendstream"
}

func (p *pdf) root() string { return fmt.Sprintf("/Root %d 0 R%s", catalogNr, p.trailer) }

// section writes a cross-reference table of what was written since the last one, and its trailer.
func (p *pdf) section(w *writing, offsets map[int]int, extra string) int {
	start := w.Len()
	w.WriteString("xref\n0 1\n0000000000 65535 f \n")
	w.WriteString(p.entries(offsets))
	fmt.Fprintf(w, "trailer\n<</Size %d%s%s>>\n", p.next, p.root(), extra)
	return start
}

// entries are the subsections of a table.
func (p *pdf) entries(offsets map[int]int) string {
	var b strings.Builder
	numbers := slices.Sorted(maps.Keys(offsets))
	for i := 0; i < len(numbers); {
		n := 1
		for i+n < len(numbers) && numbers[i+n] == numbers[i]+n {
			n++
		}
		fmt.Fprintf(&b, "%d %d\n", numbers[i], n)
		for _, nr := range numbers[i : i+n] {
			fmt.Fprintf(&b, "%010d %05d n \n", offsets[nr], p.gens[nr])
		}
		i += n
	}
	return b.String()
}

func finish(w *writing, start int) string {
	fmt.Fprintf(w, "startxref\n%d\n%%%%EOF\n", start)
	return w.String()
}

// classic writes the file with one cross-reference table.
func (p *pdf) classic() string {
	w := p.put(p.write(), p.numbers()...)
	return finish(w, p.section(w, w.offsets, ""))
}

// A row is an entry of a cross-reference stream.
type row struct{ kind, where, index int }

// xrefStream writes a cross-reference stream, of the objects that were written and those in object
// streams, and returns where it is. Its own number is the next one.
func (p *pdf) xrefStream(w *writing, packed map[int]row, extra string, compress bool) int {
	self, start := p.next, w.Len()
	rows := maps.Clone(packed)
	if rows == nil {
		rows = map[int]row{}
	}
	for nr, at := range w.offsets {
		rows[nr] = row{1, at, p.gens[nr]}
	}
	rows[self] = row{1, start, 0}
	var data []byte
	for nr := range self + 1 {
		r, ok := rows[nr]
		if !ok {
			r.index = 65535
		}
		data = append(data, byte(r.kind))
		data = binary.BigEndian.AppendUint32(data, uint32(r.where))
		data = binary.BigEndian.AppendUint16(data, uint16(r.index))
	}
	if compress {
		const columns = 7
		extra += fmt.Sprintf("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns %d>>", columns)
		data = []byte(flate(string(upPredicted(data, columns))))
	}
	fmt.Fprintf(w, "%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]%s%s/Length %d>>\nstream\n%s\nendstream\nendobj\n",
		self, self+1, p.root(), extra, len(data), data)
	return start
}

// upPredicted applies PNG's Up filter to rows.
func upPredicted(data []byte, columns int) []byte {
	var out []byte
	last := make([]byte, columns)
	for line := range slices.Chunk(data, columns) {
		out = append(out, 2)
		for i, b := range line {
			out = append(out, b-last[i])
		}
		last = line
	}
	return out
}

func flate(data string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(data)) // to memory
	_ = w.Close()
	return b.String()
}

// pack puts objects that are no streams into an object stream, and returns its number and where
// they are.
func (p *pdf) pack(dict string, compress bool, numbers ...int) (int, map[int]row) {
	var index, body strings.Builder
	rows := map[int]row{}
	nr := p.next
	for i, packed := range numbers {
		fmt.Fprintf(&index, "%d %d ", packed, body.Len())
		body.WriteString(strings.NewReplacer("\x01", "(", "\x02", ")").Replace(p.objects[packed]) + "\n")
		rows[packed] = row{2, nr, i}
	}
	data := index.String() + body.String()
	if compress {
		dict += "/Filter/FlateDecode"
		data = flate(data)
	}
	p.stream(fmt.Sprintf("/Type/ObjStm/N %d/First %d%s", len(numbers), index.Len(), dict), data)
	return nr, rows
}

// loose are the objects that are no streams, and bound those that are.
func (p *pdf) loose() (loose, bound []int) {
	for _, nr := range p.numbers() {
		_, isStream := p.streams[nr]
		if isStream || p.gens[nr] != 0 || p.crypt != nil && nr == p.crypt.number {
			bound = append(bound, nr)
		} else {
			loose = append(loose, nr)
		}
	}
	return loose, bound
}

// compact writes the file with object streams and a cross-reference stream.
func (p *pdf) compact() string {
	loose, bound := p.loose()
	container, packed := p.pack("", true, loose...)
	w := p.put(p.write(), append(bound, container)...)
	return finish(w, p.xrefStream(w, packed, "", true))
}
