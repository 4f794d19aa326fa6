package folder

import (
	"io"
	"os"
	"sync/atomic"
)

// A Spool holds output that must wait: in memory up to a limit, its own and that of all spools
// together, then in a private file without a name.
type Spool struct {
	memory []byte
	file   *os.File
	name   string
}

const (
	spoolMemory  = 4 << 20  // up to how many bytes a spool keeps in memory
	spoolsMemory = 64 << 20 // and all spools together
)

// inMemory is how many bytes all spools keep in memory.
var inMemory atomic.Int64

// take reports whether n more bytes may be kept in memory.
func (s *Spool) take(n int) bool {
	if s.file != nil || len(s.memory)+n > spoolMemory {
		return false
	}
	if inMemory.Add(int64(n)) > spoolsMemory {
		inMemory.Add(-int64(n))
		return false
	}
	return true
}

// forget frees the memory.
func (s *Spool) forget() {
	inMemory.Add(-int64(len(s.memory)))
	s.memory = nil
}

// Write appends.
func (s *Spool) Write(p []byte) (int, error) {
	if s.take(len(p)) {
		s.memory = append(s.memory, p...)
		return len(p), nil
	}
	if s.file == nil {
		file, err := os.CreateTemp("", "quire-*")
		if err != nil {
			return 0, err
		}
		s.file, s.name = file, file.Name()
		if os.Remove(s.name) == nil { // an open file cannot be removed everywhere
			s.name = ""
		}
		if _, err := file.Write(s.memory); err != nil {
			return 0, err
		}
		s.forget()
	}
	return s.file.Write(p)
}

// CopyTo writes everything to w.
func (s *Spool) CopyTo(w io.Writer) error {
	if s.file == nil {
		_, err := w.Write(s.memory)
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

// Close releases the memory and the file. A nil spool has neither.
func (s *Spool) Close() {
	if s == nil {
		return
	}
	s.forget()
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}
