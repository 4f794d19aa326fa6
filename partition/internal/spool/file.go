// Package spool keeps bytes that wait: in memory, or in private temporary files.
package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// A File is what was read of a stream: in memory, or in a private file (mode 0600) without a name,
// of which even a killed process leaves nothing behind where the system allows that.
type File struct {
	io.ReaderAt
	size int64
	file *os.File // nil while the bytes are in memory
	name string   // of a file that could not be removed while it is open; else ""
}

// Read reads r to its end: up to so many bytes into memory, more into a file.
func Read(r io.Reader, memory int64) (*File, error) {
	head, err := io.ReadAll(io.LimitReader(r, memory))
	if err != nil {
		return nil, err
	}
	if int64(len(head)) < memory {
		return &File{ReaderAt: bytes.NewReader(head), size: int64(len(head))}, nil
	}
	file, err := os.CreateTemp("", "quire-*")
	if err != nil {
		return nil, &Error{err}
	}
	f := &File{ReaderAt: file, file: file}
	if os.Remove(file.Name()) != nil { // an open file cannot be removed everywhere
		f.name = file.Name()
	}
	if f.size, err = io.Copy(file, io.MultiReader(bytes.NewReader(head), r)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Size is how many bytes were read.
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
