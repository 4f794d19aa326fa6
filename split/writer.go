package split

import (
	"bytes"
	"compress/zlib"
	"strconv"
)

// writer puts objects together to a PDF: streams as they come, other objects compressed in object
// streams, and a cross-reference stream at the end.
type writer struct {
	chunk   *Chunk
	scratch *scratch
	base    int64   // offset of the piece in the file
	xref    []entry // by object number

	numbers []int // of the objects that wait for their object stream
	starts  []int // of their texts
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
func newWriter(pages PageRange, s *scratch) *writer {
	s.piece = append(s.piece[:0], "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"...)
	s.texts = s.texts[:0]
	return &writer{chunk: &Chunk{pages: pages}, scratch: s, xref: make([]entry, 1), next: 1}
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
	w.starts = append(w.starts, len(w.scratch.texts))
	w.scratch.texts = append(append(w.scratch.texts, text...), '\n')
	if len(w.numbers) == objectsPerStream {
		w.flush()
	}
}

// stream adds a stream. dict is its dictionary, without the bracket that closes it and without
// /Length.
func (w *writer) stream(nr int, dict []byte, data span) {
	w.xref[nr] = entry{kind: 1, where: w.base + int64(len(w.scratch.piece))}
	w.scratch.piece = strconv.AppendInt(w.scratch.piece, int64(nr), 10)
	w.scratch.piece = append(w.scratch.piece, " 0 obj\n"...)
	w.scratch.piece = append(w.scratch.piece, dict...)
	w.scratch.piece = append(w.scratch.piece, "/Length "...)
	w.scratch.piece = strconv.AppendInt(w.scratch.piece, data.size, 10)
	w.scratch.piece = append(w.scratch.piece, ">>\nstream\n"...)
	if data.file == nil {
		w.scratch.piece = append(w.scratch.piece, data.bytes...)
	} else {
		w.cutOff()
		w.chunk.add(data)
		w.base += data.size
	}
	w.scratch.piece = append(w.scratch.piece, "\nendstream\nendobj\n"...)
}

func inMemory(data []byte) span { return span{bytes: data, size: int64(len(data))} }

func (w *writer) cutOff() {
	w.chunk.add(inMemory(bytes.Clone(w.scratch.piece)))
	w.base += int64(len(w.scratch.piece))
	w.scratch.piece = w.scratch.piece[:0]
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
	w.stream(nr, dict, inMemory(w.scratch.deflate(index, w.scratch.texts)))
	w.scratch.texts, w.numbers, w.starts = w.scratch.texts[:0], w.numbers[:0], w.starts[:0]
}

// finish ends the file and returns it.
func (w *writer) finish(root int) *Chunk {
	w.flush()
	start := w.base + int64(len(w.scratch.piece))
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
	w.stream(nr, dict, inMemory(w.scratch.deflate(rows)))
	w.scratch.piece = append(w.scratch.piece, "startxref\n"...)
	w.scratch.piece = strconv.AppendInt(w.scratch.piece, start, 10)
	w.scratch.piece = append(w.scratch.piece, "\n%%EOF\n"...)
	w.cutOff()
	return w.chunk
}

func appendRef(b []byte, nr int) []byte {
	return append(strconv.AppendInt(b, int64(nr), 10), " 0 R"...)
}
