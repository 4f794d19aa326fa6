package folder

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// A File is an output under way: it has another name until it is whole.
type File struct {
	*bufio.Writer
	root      *os.Root
	disk      *journal.Disk
	own       *os.Root // to be closed with the file, or nil
	file      *os.File
	name      string
	temporary string // "" where it is written as it comes: to a device or a pipe
	settled   bool   // in its place, or forgotten
}

// outputMode leaves it to the user's umask who may read an output.
const outputMode fs.FileMode = 0o666

var (
	errFolderInPlace = errors.New("a folder has this name")
	errReserved      = errors.New(journal.Folder + " is reserved for the state of runs")
)

func newFile(root *os.Root, disk *journal.Disk, temporary, name string, mode fs.FileMode) (*File, error) {
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &File{Writer: bufio.NewWriterSize(file, 64<<10), root: root, disk: disk, file: file, name: name, temporary: temporary}, nil
}

// finish writes out what is in memory, and returns how many bytes the output has.
func (f *File) finish() (int64, error) {
	err := f.Flush()
	f.Writer = nil
	if err != nil || f.temporary == "" {
		return 0, err
	}
	return f.file.Seek(0, io.SeekCurrent)
}

// place puts the finished output, once it is on the disk, where it belongs.
func (f *File) place() error {
	f.settled = true
	if f.temporary == "" {
		return f.file.Close()
	}
	err := errors.Join(f.disk.Sync(f.file), f.file.Close())
	if dir := path.Dir(f.name); err == nil && dir != "." {
		err = f.root.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = f.disk.Rename(f.root, f.temporary, f.name)
	}
	if err != nil {
		_ = f.root.Remove(f.temporary) // the first error says it all
	}
	return errors.Join(err, f.closeOwn())
}

// Commit puts the whole output in its place.
func (f *File) Commit() error {
	if _, err := f.finish(); err != nil {
		f.Discard()
		return err
	}
	return f.place()
}

// Fill writes the whole output and puts it in its place.
func (f *File) Fill(write func(io.Writer) error) error {
	err := write(f.Writer)
	if err != nil {
		f.Discard()
	} else {
		err = f.Commit()
	}
	if err != nil {
		return &WriteError{f.name, err}
	}
	return nil
}

// Discard removes the output. It does nothing if the output is in its place, or was discarded.
func (f *File) Discard() {
	if f == nil || f.settled {
		return
	}
	f.settled = true
	_ = f.file.Close()
	if f.temporary != "" {
		_ = f.root.Remove(f.temporary)
		_ = f.closeOwn()
	}
}

func (f *File) closeOwn() error {
	if f.own == nil {
		return nil
	}
	return f.own.Close()
}

// A WriteError is an output that could not be written.
type WriteError struct {
	Name string
	Err  error
}

func (e *WriteError) Error() string { return e.Name + ": output: " + words.Reason(e.Err).Error() }
func (e *WriteError) Unwrap() error { return e.Err }

// OfItsName reports whether the output cannot be written because of its name, so that others can.
func (e *WriteError) OfItsName() bool {
	for _, reason := range []error{
		syscall.ENAMETOOLONG, syscall.EEXIST, syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY, syscall.EINVAL, syscall.EXDEV, syscall.ELOOP,
		errFolderInPlace, errReserved,
	} {
		if errors.Is(e.Err, reason) {
			return true
		}
	}
	return strings.Contains(e.Err.Error(), "path escapes") // os.Root has no other name for a link out of the folder
}
