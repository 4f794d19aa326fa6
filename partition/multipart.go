package partition

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// A form is a multipart/form-data body around a file that stays where it is: nothing of the file is copied, and the length is
// known exactly. Fields come first and the file last, as the official client writes them.
type form struct {
	boundary string
	prefix   []byte
	file     io.ReaderAt
	size     int64
	suffix   []byte
}

func newForm(fields []formField, name, mediaType string, file io.ReaderAt, size int64) *form {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	f := &form{boundary: hex.EncodeToString(random[:]), file: file, size: size}
	var b bytes.Buffer
	for _, field := range fields {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
			f.boundary, escapeName(field.name), field.value)
	}
	fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"files\"; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
		f.boundary, escapeName(name), headerSafe(mediaType))
	f.prefix = b.Bytes()
	f.suffix = []byte("\r\n--" + f.boundary + "--\r\n")
	return f
}

// contentType is the value of the request's Content-Type header.
func (f *form) contentType() string { return "multipart/form-data; boundary=" + f.boundary }

// length is that of the body, in bytes.
func (f *form) length() int64 { return int64(len(f.prefix)) + f.size + int64(len(f.suffix)) }

// open returns the body, which can be sent any number of times, also at once: every opening reads from the beginning.
func (f *form) open() (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(
		bytes.NewReader(f.prefix), io.NewSectionReader(f.file, 0, f.size), bytes.NewReader(f.suffix),
	)), nil
}

// escapeName writes a name for a Content-Disposition header the way HTML forms and the official clients do: UTF-8 as it is,
// quotes and control characters as %XX (but for ESC, which the official client leaves), backslashes doubled.
func escapeName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c == '"', c < 0x20 && c != 0x1b:
			fmt.Fprintf(&b, "%%%02X", c)
		case c == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// headerSafe keeps a media type from beginning a header of its own.
func headerSafe(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, value)
}
