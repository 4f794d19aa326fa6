package local

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
)

// spoolBytes is how much of an uploaded file stays in memory; a larger one goes to a private temporary file.
const spoolBytes = 4 << 20

// An upload is one file of a request, in memory or in a temporary file.
type upload struct {
	name        string // base name, as sent
	contentType string // of the part, as sent
	size        int64

	data []byte
	file *os.File
	path string // to be removed with the upload; empty where the file has no name any more
}

// spool reads r to its end.
func spool(r io.Reader) (*upload, error) {
	var head bytes.Buffer
	n, err := io.Copy(&head, io.LimitReader(r, spoolBytes+1))
	if err != nil {
		return nil, err
	}
	if n <= spoolBytes {
		return &upload{data: head.Bytes(), size: n}, nil
	}
	file, err := os.CreateTemp("", "quire-*.upload") // mode 0600
	if err != nil {
		return nil, &failure{status: http.StatusInternalServerError, detail: "The upload could not be stored."}
	}
	u := &upload{file: file, path: file.Name()}
	if os.Remove(u.path) == nil {
		u.path = "" // where the system allows it, the file lives without a name from the start
	}
	u.size, err = io.Copy(file, io.MultiReader(&head, r))
	if err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

// ReadAt implements [io.ReaderAt].
func (u *upload) ReadAt(p []byte, off int64) (int, error) {
	if u.file != nil {
		return u.file.ReadAt(p, off)
	}
	return bytes.NewReader(u.data).ReadAt(p, off)
}

// bytes is the whole content.
func (u *upload) bytes() ([]byte, error) {
	if u.file == nil {
		return u.data, nil
	}
	data := make([]byte, u.size)
	if _, err := io.ReadFull(io.NewSectionReader(u.file, 0, u.size), data); err != nil {
		return nil, fmt.Errorf("stored upload: %w", err)
	}
	return data, nil
}

func (u *upload) close() {
	if u.file != nil {
		u.file.Close()
	}
	if u.path != "" {
		os.Remove(u.path)
	}
}
