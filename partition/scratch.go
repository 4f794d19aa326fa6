package partition

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// A scratch is where the chunks and answers of one document live while they wait: in memory, or in the files of a private
// directory (mode 0700, files 0600) that is made when it is first needed and goes away with close.
type scratch struct {
	disk bool

	mu   sync.Mutex
	dir  string
	made int
}

// A store holds the bytes of one chunk or answer in a scratch.
type store struct {
	scratch *scratch
	memory  *bytes.Buffer // nil in disk mode
	path    string
	size    int64 // written so far
}

// A storeError is bytes that could not be kept, or not read back, on this machine.
type storeError struct{ err error }

func (e *storeError) Error() string { return "temporary file: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

func (s *scratch) newStore() *store { return &store{scratch: s} }

// create begins the store anew. What is written is there to be opened once the writer is closed.
func (s *store) create() (io.WriteCloser, error) {
	s.size = 0
	if !s.scratch.disk {
		s.memory = &bytes.Buffer{}
		return &storeWriter{s, nopWriteCloser{s.memory}}, nil
	}
	if s.path == "" {
		path, err := s.scratch.newPath()
		if err != nil {
			return nil, &storeError{err}
		}
		s.path = path
	}
	file, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, &storeError{err}
	}
	return &storeWriter{s, file}, nil
}

// A storedReader reads a store, at any place and more than once.
type storedReader interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

func (s *store) open() (storedReader, error) {
	if !s.scratch.disk {
		return nopReadCloser{bytes.NewReader(s.memory.Bytes())}, nil
	}
	file, err := os.Open(s.path)
	if err != nil {
		return nil, &storeError{err}
	}
	return file, nil
}

// remove lets the bytes go. A store that never was is no error.
func (s *store) remove() {
	s.memory = nil
	if s.path != "" {
		_ = os.Remove(s.path) // what stays goes with the directory
		s.path = ""
	}
}

func (s *scratch) newPath() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "quire-*")
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	s.made++
	return filepath.Join(s.dir, strconv.Itoa(s.made)), nil
}

// close removes the directory.
func (s *scratch) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	err := os.RemoveAll(s.dir)
	s.dir = ""
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// A storeWriter counts what it writes, and marks errors as this machine's.
type storeWriter struct {
	store *store
	file  io.WriteCloser
}

// Write writes to the store.
func (w *storeWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.store.size += int64(n)
	if err != nil {
		return n, &storeError{err}
	}
	return n, nil
}

// Close ends the writing.
func (w *storeWriter) Close() error {
	if err := w.file.Close(); err != nil {
		return &storeError{err}
	}
	return nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

type nopReadCloser struct{ *bytes.Reader }

func (nopReadCloser) Close() error { return nil }
