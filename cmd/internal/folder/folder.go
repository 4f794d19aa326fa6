package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// A Folder is where the outputs of documents go. Nothing is written outside it, whatever the names
// are.
type Folder struct {
	dir     string
	root    *os.Root
	disk    *journal.Disk
	journal *journal.Journal // of what runs do there; nil where nothing is remembered
}

// Open makes the folder and proves that it can be written, before any request is paid for.
func Open(dir string, disk *journal.Disk) (*Folder, error) {
	f := &Folder{dir: dir, disk: disk}
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the user's umask decides who may see the outputs
		return nil, f.error(err)
	}
	var err error
	if f.root, err = os.OpenRoot(dir); err != nil {
		return nil, f.error(err)
	}
	probe, err := newFile(f.root, f.disk, hiddenName(), "probe", outputMode)
	if err != nil {
		return nil, errors.Join(f.error(err), f.root.Close())
	}
	probe.Discard()
	return f, nil
}

func (f *Folder) error(err error) error {
	return fmt.Errorf("output folder %s: %w", f.dir, words.Reason(err))
}

// Remember opens and locks the folder's journal. It calls warn with what is wrong there but does
// not prevent the run.
func (f *Folder) Remember(warn func(error)) (err error) {
	if f.journal, err = journal.Open(f.root, f.dir, f.disk, warn); err != nil {
		return f.error(err)
	}
	return nil
}

// Close releases the journal's lock.
func (f *Folder) Close() error {
	if f.journal != nil {
		return errors.Join(f.journal.Close(), f.root.Close())
	}
	return f.root.Close()
}

// FoldsCase reports whether names that differ only in case are one file in the folder. It makes a
// file in the journal's folder, and removes it.
func (f *Folder) FoldsCase() (bool, error) {
	folds, err := foldsCase(f.root, journal.Folder)
	if err != nil {
		return false, f.error(err)
	}
	return folds, nil
}

func foldsCase(root *os.Root, folder string) (folds bool, err error) {
	name := ".case-" + strings.ToLower(rand.Text()[:12])
	probe := path.Join(folder, name)
	file, err := root.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	_, err = root.Lstat(path.Join(folder, strings.ToUpper(name)))
	folds = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return folds, errors.Join(err, file.Close(), root.Remove(probe))
}

// Create begins the output called name, with slashes, below the folder.
func (f *Folder) Create(name string) (*File, error) {
	if first, _, _ := strings.Cut(name, "/"); strings.EqualFold(first, journal.Folder) {
		return nil, errReserved
	}
	if info, err := f.root.Lstat(name); err == nil && info.IsDir() {
		return nil, errFolderInPlace
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // a name that is too long is found out before anything is sent
	}
	if f.journal != nil {
		return newFile(f.root, f.disk, journal.TempName(), name, outputMode)
	}
	return newFile(f.root, f.disk, hiddenName(), name, outputMode)
}

// size is how many bytes an output has, and whether it is there.
func (f *Folder) size(name string) (int64, bool) {
	info, err := f.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// hiddenName is a new name for an output under way where there is no journal's folder for it.
func hiddenName() string { return ".quire-" + strings.ToLower(rand.Text()[:12]) + ".tmp" }
