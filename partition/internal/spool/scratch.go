package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/quire-dev/quire/partition/internal/text"
)

// A Scratch is where the chunks and answers of one document live while they wait: in memory, or in
// one private file (mode 0600) that is made when it is first needed. The file has no name, where the
// system allows that, so that even a killed process leaves nothing of the document behind. What
// cannot be written to the file is kept in memory after all: an answer is paid for.
type Scratch struct {
	Disk bool                   // in a file; else in memory
	Base func() (string, error) // the directory to make it in; nil: the system's for temporary files

	mu      sync.RWMutex // held for reading while the file is read
	file    *os.File     // nil until it is needed
	name    string       // of a file that could not be removed while it is open; else ""
	blocks  int64        // that the file has
	free    []int64      // of them, those that no store has
	failure error        // the first time that the file could not be written
}

// blockSize is how much of the file a store takes at a time. What it does not write to takes no room
// on most file systems.
const blockSize = 64 << 10

// A Store holds the bytes of one chunk or answer in a scratch.
type Store struct {
	scratch *Scratch
	memory  *bytes.Buffer // nil while the bytes are in the file
	blocks  []int64       // of the file, in order
	begun   int           // how often it was begun anew, or removed
	size    int64         // written so far
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
	s.Remove()
	s.size = 0
	if s.scratch.Disk {
		err := s.scratch.begin()
		if err == nil {
			return &storeWriter{s}, nil
		}
		s.scratch.failed(err)
	}
	s.memory = &bytes.Buffer{}
	return &storeWriter{s}, nil
}

// InFiles reports whether the bytes go to a file, if it can be written.
func (s *Store) InFiles() bool { return s.scratch.Disk }

// Size is how many bytes the store has.
func (s *Store) Size() int64 { return s.size }

// toMemory takes what the file has of the store into memory.
func (s *Store) toMemory() error {
	written := make([]byte, s.size)
	if _, err := (&fileReader{s, s.begun}).ReadAt(written, 0); err != nil {
		return err
	}
	s.Remove()
	s.memory = bytes.NewBuffer(written)
	return nil
}

// A Reader reads a store, at any place and more than once.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

// Open returns the bytes that were written. Reading ends with an error once the store is begun anew
// or removed.
func (s *Store) Open() (Reader, error) {
	if s.memory != nil {
		return nopReadCloser{bytes.NewReader(s.memory.Bytes())}, nil
	}
	return nopReadCloser{io.NewSectionReader(&fileReader{s, s.begun}, 0, s.size)}, nil
}

// A fileReader reads a store's part of the file as long as the part is the store's.
type fileReader struct {
	store *Store
	begun int
}

// ReadAt reads from the file.
func (r *fileReader) ReadAt(p []byte, offset int64) (int, error) {
	s := r.store.scratch
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.file == nil || r.begun != r.store.begun {
		return 0, &Error{os.ErrClosed}
	}
	read := 0
	for read < len(p) {
		at := offset + int64(read)
		piece := p[read:min(len(p), read+int(blockSize-at%blockSize))]
		n, err := s.file.ReadAt(piece, r.store.blocks[at/blockSize]*blockSize+at%blockSize)
		if read += n; err != nil {
			return read, &Error{err}
		}
	}
	return read, nil
}

// Remove lets the bytes go. A store that never was is no error.
func (s *Store) Remove() {
	s.scratch.mu.Lock()
	defer s.scratch.mu.Unlock()
	s.memory = nil
	s.scratch.free = append(s.scratch.free, s.blocks...)
	s.blocks = nil
	s.begun++
}

// begin makes the file where there is none.
func (s *Scratch) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		return nil
	}
	base := ""
	if s.Base != nil {
		if dir, err := s.Base(); err == nil {
			base = dir
		}
	}
	file, err := os.CreateTemp(base, "quire-*")
	if err != nil {
		return err
	}
	s.file, s.name = file, file.Name()
	if os.Remove(s.name) == nil { // an open file cannot be removed everywhere
		s.name = ""
	}
	return nil
}

// block takes a block of the file for a store.
func (s *Scratch) block(store *Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		store.blocks = append(store.blocks, s.free[last])
		s.free = s.free[:last]
		return
	}
	store.blocks = append(store.blocks, s.blocks)
	s.blocks++
}

// write appends to a store in the file, up to the end of a block. It returns how many bytes it has
// written.
func (s *Scratch) write(store *Store, p []byte) (int, error) {
	at := store.size % blockSize
	if at == 0 {
		s.block(store)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.file == nil {
		return 0, os.ErrClosed
	}
	return s.file.WriteAt(p[:min(len(p), int(blockSize-at))], store.blocks[len(store.blocks)-1]*blockSize+at)
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

// Close removes the file.
func (s *Scratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	s.file, s.name, s.blocks, s.free = nil, "", 0, nil
	return err
}

// A storeWriter goes on in memory where the file does not take what is written.
type storeWriter struct{ store *Store }

// Write writes to the store.
func (w *storeWriter) Write(p []byte) (int, error) {
	s, written := w.store, 0
	for written < len(p) {
		if s.memory != nil {
			n, _ := s.memory.Write(p[written:]) // cannot fail
			s.size += int64(n)
			return written + n, nil
		}
		n, err := s.scratch.write(s, p[written:])
		written += n
		s.size += int64(n)
		if err == nil {
			continue
		}
		s.scratch.failed(err)
		if err := s.toMemory(); err != nil {
			return written, &Error{err}
		}
	}
	return written, nil
}

// Close ends the writing.
func (w *storeWriter) Close() error { return nil }

type readerAt interface {
	io.Reader
	io.ReaderAt
}

type nopReadCloser struct{ readerAt }

func (nopReadCloser) Close() error { return nil }
