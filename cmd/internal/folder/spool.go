package folder

import (
	"io"
	"os"
)

// A Spool holds output that must wait: in memory up to a limit, then in a private file without a
// name.
type Spool struct {
	memory []byte
	file   *os.File
	name   string
}

// spoolMemory is up to how many bytes a spool keeps in memory.
const spoolMemory = 4 << 20

// Write appends.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(p) <= spoolMemory {
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
		s.memory = nil
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
	if s == nil || s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}
