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

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// An outputFolder is where the outputs of documents go. Nothing is written outside it, whatever the names are.
type outputFolder struct {
	root    *os.Root
	journal *journal.Journal // of what a run does there; nil where nothing is remembered
}

// openOutput makes the folder and proves that it can be written, before any request is paid for.
func openOutput(dir string) (_ *outputFolder, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the user's umask decides who may see the outputs
		return nil, fmt.Errorf("output folder %s: %w", dir, words.Reason(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, words.Reason(err))
	}
	o := &outputFolder{root: root}
	probe, err := newOutputFile(root, hiddenName(), "probe", outputMode)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("output folder %s: %w", dir, words.Reason(err)), root.Close())
	}
	probe.discard()
	return o, nil
}

// remember opens the folder's journal, and locks it; warn is told of what is out of order there.
func (o *outputFolder) remember(dir string, warn func(error)) (err error) {
	if o.journal, err = journal.Open(o.root, dir, warn); err != nil {
		return fmt.Errorf("output folder %s: %w", dir, words.Reason(err))
	}
	return nil
}

func (o *outputFolder) close() error {
	if o.journal != nil {
		return errors.Join(o.journal.Close(), o.root.Close())
	}
	return o.root.Close()
}

// create begins the output called name, with slashes, below the folder.
func (o *outputFolder) create(name string) (*outputFile, error) {
	if first, _, _ := strings.Cut(name, "/"); strings.EqualFold(first, journal.Folder) {
		return nil, errReserved
	}
	if info, err := o.root.Lstat(name); err == nil && info.IsDir() {
		return nil, errFolderInPlace
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // a name that is too long is found out before anything is sent
	}
	if o.journal != nil {
		return newOutputFile(o.root, journal.TempName(), name, outputMode)
	}
	return newOutputFile(o.root, hiddenName(), name, outputMode)
}

// size is how many bytes an output has, and whether it is there.
func (o *outputFolder) size(name string) (int64, bool) {
	info, err := o.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// hiddenName is a new name for an output under way where there is no journal's folder for it.
func hiddenName() string { return ".quire-" + strings.ToLower(rand.Text()[:12]) + ".tmp" }

// An outputFile is an output under way: it has another name until it is whole.
type outputFile struct {
	*bufio.Writer
	root      *os.Root
	own       *os.Root // to be closed with the file, or nil
	file      *os.File
	name      string
	temporary string // "" where it is written as it comes: to a device or a pipe
	settled   bool   // in its place, or forgotten
}

// outputMode leaves it to the user's umask who may read an output.
const outputMode fs.FileMode = 0o666

var (
	errFolderInPlace = errors.New("a folder is in its place")
	errReserved      = errors.New(journal.Folder + " is where the state of runs is kept")
)

func newOutputFile(root *os.Root, temporary, name string, mode fs.FileMode) (*outputFile, error) {
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &outputFile{Writer: bufio.NewWriterSize(file, 64<<10), root: root, file: file, name: name, temporary: temporary}, nil
}

// finish writes out what is in memory, and returns how many bytes the output has.
func (f *outputFile) finish() (int64, error) {
	err := f.Flush()
	f.Writer = nil
	if err != nil || f.temporary == "" {
		return 0, err
	}
	return f.file.Seek(0, io.SeekCurrent)
}

// place puts the finished output, once it is on the disk, where it belongs.
func (f *outputFile) place() error {
	f.settled = true
	if f.temporary == "" {
		return f.file.Close()
	}
	err := errors.Join(f.file.Sync(), f.file.Close())
	if dir := path.Dir(f.name); err == nil && dir != "." {
		err = f.root.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = f.root.Rename(f.temporary, f.name)
	}
	if err != nil {
		_ = f.root.Remove(f.temporary) // the first error says it all
	}
	return errors.Join(err, f.closeOwn())
}

// commit puts the whole output in its place.
func (f *outputFile) commit() error {
	if _, err := f.finish(); err != nil {
		f.discard()
		return err
	}
	return f.place()
}

// fill writes the whole output and puts it in its place.
func (f *outputFile) fill(write func(io.Writer) error) error {
	err := write(f.Writer)
	if err != nil {
		f.discard()
	} else {
		err = f.commit()
	}
	if err != nil {
		return &outputError{f.name, err}
	}
	return nil
}

// discard forgets the output. Of one that is in its place, or forgotten, there is nothing to forget.
func (f *outputFile) discard() {
	if f.settled {
		return
	}
	f.settled = true
	_ = f.file.Close()
	if f.temporary != "" {
		_ = f.root.Remove(f.temporary)
		_ = f.closeOwn()
	}
}

func (f *outputFile) closeOwn() error {
	if f.own == nil {
		return nil
	}
	return f.own.Close()
}

// foldsCase reports whether names that differ only in case are one file in folder, which must exist below root. It makes a file
// there and removes it.
func foldsCase(root *os.Root, folder string) (folds bool, err error) {
	name := ".case-" + strings.ToLower(rand.Text()[:12])
	probe := path.Join(folder, name)
	file, err := root.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, fmt.Errorf("output folder %s: %w", root.Name(), words.Reason(err))
	}
	_, err = root.Lstat(path.Join(folder, strings.ToUpper(name)))
	folds = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, file.Close(), root.Remove(probe)); err != nil {
		return false, fmt.Errorf("output folder %s: %w", root.Name(), words.Reason(err))
	}
	return folds, nil
}
