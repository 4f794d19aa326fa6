package partition

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/quire-dev/quire/partition/internal/form"
)

// An upload is a multipart/form-data body around a file that stays where it is: nothing of the file
// is copied, and the length is known exactly. Fields come first and the file last, as the official
// client writes them.
type upload struct {
	boundary string
	prefix   []byte
	file     func() io.Reader // from its first byte
	size     int64
	suffix   []byte
}

func newUpload(fields []form.Pair, name, mediaType string, file func() io.Reader, size int64) *upload {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	u := &upload{boundary: hex.EncodeToString(random[:]), file: file, size: size}
	var b bytes.Buffer
	for _, field := range fields {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
			u.boundary, escapeName(field.Name), field.Value)
	}
	fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"files\"; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
		u.boundary, escapeName(name), headerSafe(mediaType))
	u.prefix = b.Bytes()
	u.suffix = []byte("\r\n--" + u.boundary + "--\r\n")
	return u
}

// contentType is the value of the request's Content-Type header.
func (u *upload) contentType() string { return "multipart/form-data; boundary=" + u.boundary }

// length is that of the body, in bytes.
func (u *upload) length() int64 { return int64(len(u.prefix)) + u.size + int64(len(u.suffix)) }

// open returns the body, which can be sent any number of times, also at once: every opening reads
// from the beginning.
func (u *upload) open() (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(
		bytes.NewReader(u.prefix), u.file(), bytes.NewReader(u.suffix),
	)), nil
}

// escapeName writes a name for a Content-Disposition header the way HTML forms and the official
// clients do: UTF-8 as it is, quotes and control characters as %XX (but for ESC, which the official
// client leaves), backslashes doubled.
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
