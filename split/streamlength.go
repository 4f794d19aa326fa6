package split

import (
	"bytes"
	"fmt"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// repairLengths reads streams again whose /Length is wrong, which pdfcpu
// believes: such a stream ends where the file says "endstream".
func (t *table) repairLengths(r io.ReaderAt, size int64) {
	if t.encrypted {
		return // the bytes are decrypted by now
	}
	repaired := 0
	budget := readBase + readTimes*size
	for _, nr := range sortedKeys(t.direct) {
		s, ok := t.direct[nr].(types.StreamDict)
		if !ok || budget <= 0 || endsAt(r, s.StreamOffset+int64(len(s.Raw))) {
			continue
		}
		raw, ok := untilEnd(r, s.StreamOffset, size)
		budget -= max(int64(len(raw)), 64<<10)
		if ok && len(raw) != len(s.Raw) {
			s.Raw = raw
			t.direct[nr] = s
			repaired++
		}
	}
	if repaired > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("streams with a wrong length, repaired: %d", repaired))
	}
}

// endsAt reports whether the data of a stream ends at an offset.
func endsAt(r io.ReaderAt, off int64) bool {
	var buf [24]byte
	n, _ := r.ReadAt(buf[:], off)
	after := bytes.TrimLeft(buf[:n], "\x00\t\n\f\r ")
	return bytes.HasPrefix(after, []byte("endstream")) || bytes.HasPrefix(after, []byte("endobj"))
}

// untilEnd returns the data of the stream that starts at off.
func untilEnd(r io.ReaderAt, off, size int64) ([]byte, bool) {
	if off <= 0 || off >= size {
		return nil, false
	}
	var data []byte
	step := int64(64 << 10)
	for from := off; from < size; from += step {
		more := make([]byte, min(step, size-from))
		n, _ := r.ReadAt(more, from)
		searched := max(0, len(data)-len("endstream"))
		data = append(data, more[:n]...)
		if i := bytes.Index(data[searched:], []byte("endstream")); i >= 0 {
			return trimEOL(data[:searched+i]), true
		}
	}
	return data, false
}

// trimEOL takes off the line end that belongs to "endstream".
func trimEOL(data []byte) []byte {
	data = bytes.TrimSuffix(data, []byte("\n"))
	return bytes.TrimSuffix(data, []byte("\r"))
}
