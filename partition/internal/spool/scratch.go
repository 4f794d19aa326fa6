package spool

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

// A Scratch is where the chunks and answers of one document live while they wait: in memory, or in
// the files of a private directory (mode 0700, files 0600) that is made when it is first needed and
// goes away with close. What cannot be written to a file is kept in memory after all: an answer is
// paid for.
type Scratch struct {
	Disk bool                   // in files; else in memory
	Base func() (string, error) // the directory to make it in; nil: the system's for temporary files

	mu      sync.Mutex
	dir     string
	made    int
	failure error // the first time that a file could not be written
}

// A Store holds the bytes of one chunk or answer in a scratch.
type Store struct {
	scratch *Scratch
	memory  *bytes.Buffer // nil while the bytes are in a file
	path    string
	size    int64 // written so far
}

// An Error is bytes that could not be read back on this machine.
type Error struct{ err error }

// Error is one line.
func (e *Error) Error() string { return "temporary file: " + e.err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// NewStore returns an empty store.
func (s *Scratch) NewStore() *Store { return &Store{scratch: s} }

// Create begins the store anew. What is written is there to be opened once the writer is closed.
func (s *Store) Create() (io.WriteCloser, error) {
	s.size, s.memory = 0, nil
	if !s.scratch.Disk {
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

// InFiles reports whether the bytes go to a file, if it can be written.
func (s *Store) InFiles() bool { return s.scratch.Disk }

// Size is how many bytes the store has.
func (s *Store) Size() int64 { return s.size }

// toMemory takes what a file has of the store into memory.
func (s *Store) toMemory() error {
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

// A Reader reads a store, at any place and more than once.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

// Open returns the bytes that were written.
func (s *Store) Open() (Reader, error) {
	if s.memory != nil {
		return nopReadCloser{bytes.NewReader(s.memory.Bytes())}, nil
	}
	file, err := os.Open(s.path)
	if err != nil {
		return nil, &Error{err}
	}
	return file, nil
}

// Remove lets the bytes go. A store that never was is no error.
func (s *Store) Remove() {
	s.memory = nil
	if s.path != "" {
		_ = os.Remove(s.path) // what stays goes with the directory
		s.path = ""
	}
}

func (s *Scratch) newPath() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		base := ""
		if s.Base != nil {
			if dir, err := s.Base(); err == nil {
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
func (s *Scratch) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
}

// Warning is what is to be said of the scratch, "" if nothing.
func (s *Scratch) Warning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		return ""
	}
	return "temporary files cannot be written, kept in memory: " + text.Printable(s.failure.Error())
}

// Close removes the directory.
func (s *Scratch) Close() error {
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
	store *Store
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
		return n, &Error{err}
	}
	w.out = nopWriteCloser{w.store.memory}
	rest, _ := w.out.Write(p[n:]) // to memory: cannot fail
	w.store.size += int64(rest)
	return n + rest, nil
}

// Close ends the writing.
func (w *storeWriter) Close() error {
	if err := w.out.Close(); err != nil {
		return &Error{err}
	}
	return nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

type nopReadCloser struct{ *bytes.Reader }

func (nopReadCloser) Close() error { return nil }
