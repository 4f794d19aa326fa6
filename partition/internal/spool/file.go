// Package spool keeps bytes that wait: in memory, or in private temporary files.
package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// A File keeps what is written to it: in memory, or in a private file (mode 0600) without a name, of
// which even a killed process leaves nothing behind where the system allows that.
type File struct {
	memory int64 // from how many bytes on they are in the file
	size   int64
	data   []byte
	file   *os.File // nil while the bytes are in memory
	name   string   // of a file that could not be removed while it is open; else ""
}

// New returns an empty File, which keeps fewer than so many bytes in memory.
func New(memory int64) *File { return &File{memory: memory} }

// Read reads r to its end.
func Read(r io.Reader, memory int64) (*File, error) {
	f := New(memory)
	if _, err := io.Copy(f, r); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Write appends p. What cannot be kept is an [Error].
func (f *File) Write(p []byte) (int, error) {
	if f.file == nil && f.size+int64(len(p)) < f.memory {
		f.data = append(f.data, p...)
		f.size += int64(len(p))
		return len(p), nil
	}
	if f.file == nil {
		if err := f.toFile(); err != nil {
			return 0, notKept(err)
		}
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	if err != nil {
		return n, notKept(err)
	}
	return n, nil
}

func (f *File) toFile() error {
	file, err := os.CreateTemp("", "quire-*")
	if err != nil {
		return err
	}
	f.file = file
	if os.Remove(file.Name()) != nil { // an open file cannot be removed everywhere
		f.name = file.Name()
	}
	if _, err := file.Write(f.data); err != nil {
		return err
	}
	f.data = nil
	return nil
}

func notKept(err error) error { return inFile(withoutPath(err)) }

// withoutPath leaves out the file's path: it has none any more, and a server's is no business of its
// clients.
func withoutPath(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if f.file != nil {
		return f.file.ReadAt(p, off)
	}
	return bytes.NewReader(f.data).ReadAt(p, off)
}

// Reader returns a reader of what was written so far.
func (f *File) Reader() *io.SectionReader { return io.NewSectionReader(f, 0, f.size) }

// Size is how many bytes were written.
func (f *File) Size() int64 { return f.size }

// Close lets the bytes go.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if f.name != "" {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}
