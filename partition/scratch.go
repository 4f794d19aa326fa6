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

	"github.com/quire-dev/quire/partition/internal/text"
)

// A scratch is where the chunks and answers of one document live while they wait: in memory, or in the files of a private
// directory (mode 0700, files 0600) that is made when it is first needed and goes away with close. What cannot be written to a
// file is kept in memory after all: an answer is paid for.
type scratch struct {
	disk bool
	base func() (string, error) // the directory to make it in; nil: the system's for temporary files

	mu      sync.Mutex
	dir     string
	made    int
	failure error // the first time that a file could not be written
}

// A store holds the bytes of one chunk or answer in a scratch.
type store struct {
	scratch *scratch
	memory  *bytes.Buffer // nil while the bytes are in a file
	path    string
	size    int64 // written so far
}

// A storeError is bytes that could not be read back on this machine.
type storeError struct{ err error }

func (e *storeError) Error() string { return "temporary file: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

func (s *scratch) newStore() *store { return &store{scratch: s} }

// create begins the store anew. What is written is there to be opened once the writer is closed.
func (s *store) create() (io.WriteCloser, error) {
	s.size, s.memory = 0, nil
	if !s.scratch.disk {
		s.memory = &bytes.Buffer{}
		return &storeWriter{s, nopWriteCloser{s.memory}}, nil
	}
	var file *os.File
	var err error
	if s.path == "" {
		s.path, err = s.scratch.newPath()
	}
	if err == nil {
		file, err = os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	if err != nil {
		s.scratch.failed(err)
		s.memory = &bytes.Buffer{}
		return &storeWriter{s, nopWriteCloser{s.memory}}, nil
	}
	return &storeWriter{s, file}, nil
}

// toMemory takes what a file has of the store into memory.
func (s *store) toMemory() error {
	written := &bytes.Buffer{}
	if s.size > 0 {
		file, err := os.Open(s.path)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := io.Copy(written, io.LimitReader(file, s.size)); err != nil {
			return err
		}
	}
	s.memory = written
	return nil
}

// A storedReader reads a store, at any place and more than once.
type storedReader interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

func (s *store) open() (storedReader, error) {
	if s.memory != nil {
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
		base := ""
		if s.base != nil {
			if dir, err := s.base(); err == nil {
				base = dir
			}
		}
		dir, err := os.MkdirTemp(base, "quire-*")
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	s.made++
	return filepath.Join(s.dir, strconv.Itoa(s.made)), nil
}

// failed notes that files cannot be written.
func (s *scratch) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
}

// warning is what is to be said of the scratch, "" if nothing.
func (s *scratch) warning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		return ""
	}
	return "temporary files cannot be written, kept in memory: " + text.Printable(s.failure.Error())
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

// A storeWriter counts what it writes, and goes on in memory where the file does not take it.
type storeWriter struct {
	store *store
	out   io.WriteCloser
}

// Write writes to the store.
func (w *storeWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.store.size += int64(n)
	if err == nil {
		return n, nil
	}
	w.store.scratch.failed(err)
	_ = w.out.Close() // it has failed already
	if err := w.store.toMemory(); err != nil {
		return n, &storeError{err}
	}
	w.out = nopWriteCloser{w.store.memory}
	rest, _ := w.out.Write(p[n:]) // to memory: cannot fail
	w.store.size += int64(rest)
	return n + rest, nil
}

// Close ends the writing.
func (w *storeWriter) Close() error {
	if err := w.out.Close(); err != nil {
		return &storeError{err}
	}
	return nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

type nopReadCloser struct{ *bytes.Reader }

func (nopReadCloser) Close() error { return nil }
