package local

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// An upload is one file of a request.
type upload struct {
	*io.SectionReader // of a spool, only to be read by offset
	size              int64

	name        string // base name, as sent
	contentType string // of the part, as sent
}

// maxText is how many bytes of a text document are read: a text is held in memory, its markup
// several times.
const maxText = 64 << 20

// bytes returns the whole content of a document that is read as text. One longer than [maxText] is
// refused.
func (u *upload) bytes() ([]byte, error) {
	if u.size > maxText {
		return nil, &failure{
			status: http.StatusRequestEntityTooLarge,
			detail: fmt.Sprintf("The document has %d bytes of text. The embedded engine reads at most %d MiB.", u.size, maxText>>20),
		}
	}
	data := make([]byte, u.size)
	if _, err := u.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("stored upload: %w", err)
	}
	return data, nil
}
