package split

import (
	"io"
	"regexp"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

var (
	startXRef     = regexp.MustCompile(`startxref` + blanks + `+(\d{1,15})\b`)
	beforeTrailer = regexp.MustCompile(`^` + blanks + `*(?:xref\b(?s:.*?)\btrailer\b|\d+` + blanks + `+\d+` + blanks + `+obj\b)`)
)

// trailer returns the last trailer of the file, and where its cross-reference
// table or stream starts. It is false for anything out of the ordinary.
func (m *mender) trailer() (types.Dict, int64, bool) {
	const tail, longest = 2 << 10, 4 << 20
	if head := readSome(m.file, 0, 5); string(head) != "%PDF-" {
		return nil, 0, false // offsets count from elsewhere
	}
	all := startXRef.FindAllSubmatch(readSome(m.file, max(0, m.size-tail), tail), -1)
	if all == nil {
		return nil, 0, false
	}
	at, _ := strconv.ParseInt(string(all[len(all)-1][1]), 10, 64) // digits, by the pattern
	section := readSome(m.file, at, min(longest, max(0, m.size-at)))
	before := beforeTrailer.Find(section)
	if before == nil {
		return nil, 0, false
	}
	p := parser{text: string(section[len(before):]), depth: 10}
	o, ok := p.object()
	d, isDict := o.(types.Dict)
	return d, at, ok && isDict
}

// readSome returns up to n bytes from offset at.
func readSome(r io.ReaderAt, at, n int64) []byte {
	buf := make([]byte, n)
	got, _ := r.ReadAt(buf, at)
	return buf[:got]
}

// appended is a file with more bytes after its end.
type appended struct {
	io.ReaderAt
	size int64
	more []byte
}

func (a appended) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off < a.size {
		var err error
		n, err = a.ReaderAt.ReadAt(p[:min(int64(len(p)), a.size-off)], off)
		if off+int64(n) < a.size {
			return n, err
		}
	}
	if off+int64(n) > a.size+int64(len(a.more)) {
		return n, io.EOF
	}
	n += copy(p[n:], a.more[off+int64(n)-a.size:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
