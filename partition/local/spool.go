package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// spoolBytes is how much of a request's files, or of an answer, stays in memory; what is longer
// goes to a private temporary file.
const spoolBytes = 256 << 10

// A spool holds bytes in memory, or in a temporary file once there are more than spoolBytes of
// them.
type spool struct {
	size int64

	data []byte
	file *os.File
	path string // removed with the spool; empty where the file has no name any more
}

// spoolOf reads r to its end. The caller closes the spool.
func spoolOf(r io.Reader) (*spool, error) {
	s := &spool{}
	if _, err := io.Copy(s, r); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Write implements [io.Writer].
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.size+int64(len(p)) <= spoolBytes {
		s.data = append(s.data, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	if s.file == nil {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, notStored(err)
	}
	return n, nil
}

func (s *spool) toFile() error {
	file, err := os.CreateTemp("", "quire-*.spool") // mode 0600
	if err != nil {
		return notStored(err)
	}
	s.file, s.path = file, file.Name()
	if os.Remove(s.path) == nil {
		s.path = "" // where the system allows it, the file lives without a name from the start
	}
	if _, err := file.Write(s.data); err != nil {
		return notStored(err)
	}
	s.data = nil
	return nil
}

// notStored leaves out the file's path, which is no business of the client's.
func notStored(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		err = cause
	}
	return fmt.Errorf("temporary file: %w", err)
}

// ReadAt implements [io.ReaderAt].
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, off)
	}
	return bytes.NewReader(s.data).ReadAt(p, off)
}

// reader returns a reader of all that was written.
func (s *spool) reader() *io.SectionReader { return io.NewSectionReader(s, 0, s.size) }

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
	if s.path != "" {
		os.Remove(s.path)
	}
}
