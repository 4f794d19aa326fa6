package cmd

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// An outputFolder is where the outputs of documents go. Nothing is written outside it, whatever the names are.
type outputFolder struct{ root *os.Root }

// openOutput makes the folder and proves that it can be written, before any request is paid for.
func openOutput(dir string) (*outputFolder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the user's umask decides who may see the outputs
		return nil, fmt.Errorf("output folder %s: %w", dir, rootPathError(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, rootPathError(err))
	}
	probe, err := (&outputFolder{root}).create("probe")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("output folder %s: %w", dir, rootPathError(err)), root.Close())
	}
	probe.discard()
	return &outputFolder{root}, nil
}

func (o *outputFolder) close() error { return o.root.Close() }

// An outputFile is an output under way: it has another name until it is whole.
type outputFile struct {
	*bufio.Writer
	root      *os.Root
	file      *os.File
	name      string
	temporary string
}

var errFolderInPlace = errors.New("a folder is in its place")

// create begins the output called name, with slashes, below the folder.
func (o *outputFolder) create(name string) (*outputFile, error) {
	if info, err := o.root.Lstat(name); err == nil && info.IsDir() {
		return nil, errFolderInPlace
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // a name that is too long is found out before anything is sent
	}
	dir := path.Dir(name)
	if dir != "." {
		if err := o.root.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	temporary := path.Join(dir, ".quire-"+strings.ToLower(rand.Text()[:12])+".tmp")
	file, err := o.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &outputFile{bufio.NewWriterSize(file, 64<<10), o.root, file, name, temporary}, nil
}

// commit puts the whole output in its place.
func (f *outputFile) commit() error {
	err := f.Flush()
	if err == nil {
		err = f.file.Sync()
	}
	if err = errors.Join(err, f.file.Close()); err == nil {
		err = f.root.Rename(f.temporary, f.name)
	}
	if err != nil {
		_ = f.root.Remove(f.temporary) // the first error says it all
	}
	return err
}

// discard forgets the output.
func (f *outputFile) discard() {
	_ = f.file.Close()
	_ = f.root.Remove(f.temporary)
}

// A spool holds what may not be shown yet: in memory up to a limit, then in a private file that has no name.
type spool struct {
	memory []byte
	file   *os.File
	name   string
}

// spoolMemory is up to how many bytes a spool keeps in memory.
const spoolMemory = 4 << 20

// Write appends.
func (s *spool) Write(p []byte) (int, error) {
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

// copyTo writes everything to w.
func (s *spool) copyTo(w io.Writer) error {
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

func (s *spool) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}
