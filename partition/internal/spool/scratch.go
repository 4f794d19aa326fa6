package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/quire-dev/quire/partition/internal/text"
)

// A Scratch is where the chunks and answers of one document live while they wait: in memory, or in
// one private file (mode 0600) that is made when it is first needed. The file has no name, where the
// system allows that, so that even a killed process leaves nothing of the document behind. What
// cannot be written to the file is kept in memory after all, as long as there is room for it: an
// answer is paid for.
type Scratch struct {
	Disk  bool                   // in a file; else in memory
	Base  func() (string, error) // the directory to make it in; nil: the system's for temporary files
	Space *Space                 // of which it takes its room

	mu      sync.RWMutex // held for reading while the file is used
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
	blocks  []block // in order, all but the last one full
	begun   int     // how often it was begun anew, or removed
	size    int64   // written so far
	files   int64   // of size, in the file
}

// A block is some bytes of a store.
type block struct {
	inFile bool
	at     int64  // in the file, in blocks
	memory []byte // where it is not in the file
}

// An Error is bytes that could not be kept on this machine, or not be read back.
type Error struct {
	where string // before what went wrong
	err   error
}

// Error is one line.
func (e *Error) Error() string { return e.where + e.err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

func inFile(err error) *Error { return &Error{"temporary file: ", err} }

// NewStore returns an empty store.
func (s *Scratch) NewStore() *Store { return &Store{scratch: s} }

// Create begins the store anew. What is written is there to be opened once all is. An error of the
// writer is an [Error].
func (s *Store) Create() io.Writer {
	s.Remove()
	return &storeWriter{s}
}

// Longest is how many bytes the store may have.
func (s *Store) Longest() int64 {
	if s.scratch.Disk {
		return s.scratch.Space.LongestInFiles()
	}
	return s.scratch.Space.LongestInMemory()
}

// Size is how many bytes the store has.
func (s *Store) Size() int64 { return s.size }

// Open returns the bytes that were written. Reading ends with an error once the store is begun anew
// or removed.
func (s *Store) Open() *io.SectionReader {
	return io.NewSectionReader(&storeReader{s, s.begun}, 0, s.size)
}

// A storeReader reads a store as long as its blocks are the store's.
type storeReader struct {
	store *Store
	begun int
}

// ReadAt reads from the blocks.
func (r *storeReader) ReadAt(p []byte, offset int64) (int, error) {
	s := r.store.scratch
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r.begun != r.store.begun {
		return 0, inFile(os.ErrClosed)
	}
	read := 0
	for read < len(p) {
		at := offset + int64(read)
		piece := p[read:min(len(p), read+int(blockSize-at%blockSize))]
		n, err := s.readBlock(r.store.blocks[at/blockSize], piece, at%blockSize)
		if read += n; err != nil {
			return read, inFile(err)
		}
	}
	return read, nil
}

// readBlock reads from one block. s.mu is held.
func (s *Scratch) readBlock(b block, p []byte, at int64) (int, error) {
	switch {
	case !b.inFile:
		return copy(p, b.memory[at:]), nil
	case s.file == nil:
		return 0, os.ErrClosed
	default:
		return s.file.ReadAt(p, b.at*blockSize+at)
	}
}

// Remove lets the bytes go. A store that never was is no error.
func (s *Store) Remove() {
	space := s.scratch.Space
	space.give(&space.files, s.files)
	space.give(&space.memory, s.size-s.files)
	s.scratch.mu.Lock()
	defer s.scratch.mu.Unlock()
	for _, b := range s.blocks {
		if b.inFile {
			s.scratch.free = append(s.scratch.free, b.at)
		}
	}
	s.blocks, s.size, s.files = nil, 0, 0
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

// newBlock returns a block for a store: of the file, where that can be made.
func (s *Scratch) newBlock() block {
	if !s.Disk {
		return block{}
	}
	if err := s.begin(); err != nil {
		s.failed(err)
		return block{}
	}
	return s.fileBlock()
}

func (s *Scratch) fileBlock() block {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		b := block{inFile: true, at: s.free[last]}
		s.free = s.free[:last]
		return b
	}
	s.blocks++
	return block{inFile: true, at: s.blocks - 1}
}

func (s *Scratch) freeBlock(b block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, b.at)
}

// write writes to a block of the file.
func (s *Scratch) write(b block, p []byte, at int64) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.file == nil {
		return os.ErrClosed
	}
	_, err := s.file.WriteAt(p, b.at*blockSize+at)
	return err
}

// failed notes that files cannot be written.
func (s *Scratch) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
}

// reason is why the file could not be written.
func (s *Scratch) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
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
	for written := 0; written < len(p); {
		n, err := w.store.append(p[written:])
		written += n
		if err != nil {
			return written, err
		}
	}
	return len(p), nil
}

// append writes up to the end of a block. It returns how many bytes it has written.
func (s *Store) append(p []byte) (int, error) {
	at := s.size % blockSize
	if at == 0 {
		s.blocks = append(s.blocks, s.scratch.newBlock())
	}
	p = p[:min(len(p), int(blockSize-at))]
	last := &s.blocks[len(s.blocks)-1]
	if last.inFile {
		err := s.appendToFile(*last, p, at)
		if err == nil {
			return len(p), nil
		}
		if full := (*fullError)(nil); errors.As(err, &full) {
			return 0, &Error{"", full}
		}
		s.scratch.failed(err)
		if err := s.toMemory(last, at); err != nil {
			return 0, err
		}
	}
	if err := s.scratch.takeMemory(int64(len(p)), s.size); err != nil {
		return 0, err
	}
	last.memory = append(last.memory, p...)
	s.size += int64(len(p))
	return len(p), nil
}

// appendToFile writes to a block that is in the file.
func (s *Store) appendToFile(b block, p []byte, at int64) error {
	space, n := s.scratch.Space, int64(len(p))
	if err := space.take(&space.files, n, s.size); err != nil {
		return err
	}
	if err := s.scratch.write(b, p, at); err != nil {
		space.give(&space.files, n)
		return err
	}
	s.size += n
	s.files += n
	return nil
}

// toMemory takes what the file has of a store's last block into memory.
func (s *Store) toMemory(b *block, size int64) error {
	if err := s.scratch.takeMemory(size, s.size); err != nil {
		return err
	}
	memory := make([]byte, size)
	_, err := s.scratch.readBlock(*b, memory, 0)
	s.scratch.freeBlock(*b)
	*b = block{memory: memory}
	s.files -= size
	s.scratch.Space.give(&s.scratch.Space.files, size)
	if err != nil {
		return inFile(err)
	}
	return nil
}

// takeMemory takes n bytes of memory for a store that has size bytes. Where they were to be in the
// file, the error says why they are not.
func (s *Scratch) takeMemory(n, size int64) error {
	err := s.Space.take(&s.Space.memory, n, size)
	switch {
	case err == nil:
		return nil
	case s.Disk:
		return inFile(fmt.Errorf("%w, and %w", withoutPath(s.reason()), err))
	default:
		return &Error{"", err}
	}
}
