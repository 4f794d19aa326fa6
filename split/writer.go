package split

import (
	"bytes"
	"compress/zlib"
	"strconv"
	"sync"
)

// writer puts objects together to a PDF: streams as they come, other objects compressed in object
// streams, and a cross-reference stream at the end.
type writer struct {
	chunk *Chunk
	buf   []byte  // what is not yet part of the chunk
	base  int64   // offset of buf in the file
	xref  []entry // by object number

	texts   []byte // the objects that wait for their object stream
	numbers []int
	starts  []int
	next    int
}

// entry is a line of the cross-reference table: an offset (kind 1), or the number of an object
// stream and the index in it (kind 2).
type entry struct {
	kind  byte
	where int64
	index int
}

const (
	// As in the files of other writers; a reader inflates all for any one.
	objectsPerStream = 200

	// Level 1 saves a third of the time, and costs 1 % in bytes on LaTeX manuals.
	compression = zlib.BestSpeed

	// Below it a copy costs less than a part of its own.
	shortStream = 4 << 10
)

// newWriter starts a file. PDF 1.7 has everything that is written here, and readers go by what they
// find.
func newWriter(pages PageRange) *writer {
	return &writer{
		chunk: &Chunk{pages: pages},
		buf:   append(make([]byte, 0, 4*shortStream), "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"...),
		xref:  make([]entry, 1),
		next:  1,
	}
}

// number returns the next free object number.
func (w *writer) number() int {
	w.xref = append(w.xref, entry{})
	w.next++
	return w.next - 1
}

// object adds an object that is no stream.
func (w *writer) object(nr int, text []byte) {
	w.numbers = append(w.numbers, nr)
	w.starts = append(w.starts, len(w.texts))
	w.texts = append(append(w.texts, text...), '\n')
	if len(w.numbers) == objectsPerStream {
		w.flush()
	}
}

// stream adds a stream. dict is its dictionary, without the bracket that closes it and without
// /Length.
func (w *writer) stream(nr int, dict []byte, data span) {
	w.xref[nr] = entry{kind: 1, where: w.base + int64(len(w.buf))}
	w.buf = strconv.AppendInt(w.buf, int64(nr), 10)
	w.buf = append(w.buf, " 0 obj\n"...)
	w.buf = append(w.buf, dict...)
	w.buf = append(w.buf, "/Length "...)
	w.buf = strconv.AppendInt(w.buf, data.size, 10)
	w.buf = append(w.buf, ">>\nstream\n"...)
	if data.file == nil {
		w.buf = append(w.buf, data.bytes...)
	} else {
		w.cutOff()
		w.chunk.add(data)
		w.base += data.size
	}
	w.buf = append(w.buf, "\nendstream\nendobj\n"...)
}

func inMemory(data []byte) span { return span{bytes: data, size: int64(len(data))} }

func (w *writer) cutOff() {
	w.chunk.add(inMemory(w.buf))
	w.base += int64(len(w.buf))
	w.buf = nil
}

// flush writes the objects that wait as an object stream.
func (w *writer) flush() {
	if len(w.numbers) == 0 {
		return
	}
	nr := w.number()
	var index []byte
	for i, n := range w.numbers {
		w.xref[n] = entry{kind: 2, where: int64(nr), index: i}
		index = strconv.AppendInt(index, int64(n), 10)
		index = append(index, ' ')
		index = strconv.AppendInt(index, int64(w.starts[i]), 10)
		index = append(index, ' ')
	}
	dict := []byte("<</Type/ObjStm/Filter/FlateDecode/N ")
	dict = strconv.AppendInt(dict, int64(len(w.numbers)), 10)
	dict = append(dict, "/First "...)
	dict = strconv.AppendInt(dict, int64(len(index)), 10)
	w.stream(nr, dict, inMemory(deflate(index, w.texts)))
	w.texts, w.numbers, w.starts = w.texts[:0], w.numbers[:0], w.starts[:0]
}

// finish ends the file and returns it.
func (w *writer) finish(root int) *Chunk {
	w.flush()
	start := w.base + int64(len(w.buf))
	nr := w.number()
	w.xref[nr] = entry{kind: 1, where: start}

	width := 1
	for most := max(start, int64(len(w.xref))); most >= 1<<(8*width); {
		width++
	}
	rows := make([]byte, 0, len(w.xref)*(width+2))
	for _, e := range w.xref {
		rows = append(rows, e.kind)
		for i := width - 1; i >= 0; i-- {
			rows = append(rows, byte(e.where>>(8*i)))
		}
		rows = append(rows, byte(e.index)) // objectsPerStream fits a byte
	}
	dict := []byte("<</Type/XRef/Filter/FlateDecode/Size ")
	dict = strconv.AppendInt(dict, int64(len(w.xref)), 10)
	dict = append(dict, "/W[1 "...)
	dict = strconv.AppendInt(dict, int64(width), 10)
	dict = append(dict, " 1]/Root "...)
	dict = appendRef(dict, root)
	w.stream(nr, dict, inMemory(deflate(rows)))
	w.buf = append(w.buf, "startxref\n"...)
	w.buf = strconv.AppendInt(w.buf, start, 10)
	w.buf = append(w.buf, "\n%%EOF\n"...)
	w.cutOff()
	return w.chunk
}

func appendRef(b []byte, nr int) []byte {
	return append(strconv.AppendInt(b, int64(nr), 10), " 0 R"...)
}

var deflaters = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, compression) // fails for an unknown level alone
	return w
}}

func deflate(parts ...[]byte) []byte {
	var out bytes.Buffer
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	for _, p := range parts {
		_, _ = w.Write(p) // a bytes.Buffer takes everything
	}
	_ = w.Close()
	return out.Bytes()
}
