package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/quire-dev/quire/cmd/internal/words"
)

// Folder is the name of the journal's folder in the output folder.
const Folder = ".quire"

const (
	manifestName = "manifest.jsonl"
	tempName     = "tmp"

	// format is the manifest's version. It stands in the first line.
	format = 1

	// compactFrom and compactAbove say when a manifest is written anew: it has at least so many
	// lines, and so many times more lines than documents.
	compactFrom  = 1000
	compactAbove = 2
)

// A Journal is the opened journal of one output folder. Its methods may be called by several
// goroutines at once.
type Journal struct {
	root     *os.Root // the journal's folder
	disk     *Disk
	lock     *flock.Flock
	manifest *os.File

	mu    sync.Mutex
	end   int64 // where the next record goes
	lines int
	index map[nameKey]place
	err   error // after it nothing is written any more
}

// nameKey is a short hash of a name: the index holds 100,000 documents in a few megabytes.
type nameKey [16]byte

// A place is where a name's last record stands.
type place struct {
	offset  int64
	seen    bool // looked up, or written, since the journal was opened
	failing bool
}

func keyOf(name string) (k nameKey) {
	sum := sha256.Sum256([]byte(name))
	copy(k[:], sum[:])
	return k
}

// Open opens the journal of the output folder, whose path is dir, and takes its lock: while it is
// held, another Open fails with a [*HeldError]. Open removes what a killed run left half written,
// and calls warn with what is wrong but does not prevent the run.
func Open(output *os.Root, dir string, disk *Disk, warn func(error)) (_ *Journal, err error) {
	if err := makeFolder(output, Folder); err != nil {
		return nil, err
	}
	root, err := output.OpenRoot(Folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Folder, words.Reason(err))
	}
	j := &Journal{root: root, disk: disk, index: map[nameKey]place{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.Close())
		}
	}()
	if err := j.takeLock(filepath.Join(dir, Folder), warn); err != nil {
		return nil, err
	}
	if err := j.sweep(); err != nil {
		return nil, named(tempName, err)
	}
	if err := j.load(warn); err != nil {
		return nil, named(manifestName, err)
	}
	if j.lines >= compactFrom && j.lines > compactAbove*len(j.index) {
		return j, j.compact()
	}
	return j, nil
}

// named says which of the journal's files an error is about.
func named(name string, err error) error {
	return fmt.Errorf("%s/%s: %w", Folder, name, words.Reason(err))
}

// openOwn opens one of the journal's files. What is no regular file is refused: a pipe would wait
// for its other end.
func (j *Journal) openOwn(name string, flag int) (*os.File, error) {
	if info, err := j.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return j.root.OpenFile(name, flag, 0o600)
}

// makeFolder makes a private folder, or makes sure that what is there is one.
func makeFolder(root *os.Root, name string) error {
	err := root.Mkdir(name, 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: not a folder", name)
	}
	return nil
}

// sweep empties the folder of outputs under way: the lock is held, so nobody is at work there.
func (j *Journal) sweep() error {
	if err := makeFolder(j.root, tempName); err != nil {
		return err
	}
	folder, err := j.root.Open(tempName)
	if err != nil {
		return err
	}
	defer folder.Close()
	for {
		names, err := folder.Readdirnames(1000)
		for _, name := range names {
			if err := j.root.RemoveAll(path.Join(tempName, name)); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// TempName returns a new name for an output in progress, below the output folder. The next [Open]
// removes it if it is still there.
func TempName() string { return path.Join(Folder, tempName, strings.ToLower(rand.Text())) }

// Lookup returns what is known of the document whose output has this name.
func (j *Journal) Lookup(name string) (Record, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := keyOf(name)
	at, known := j.index[key]
	if !known {
		return Record{}, false
	}
	at.seen = true
	j.index[key] = at
	r, err := j.read(at.offset)
	return r, err == nil && r.Name == name
}

// read reads the record at an offset.
func (j *Journal) read(offset int64) (r Record, err error) {
	line, err := bufio.NewReaderSize(io.NewSectionReader(j.manifest, offset, j.end-offset), 1<<10).ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(line, &r)
}

// Append writes records, all of them or none, and returns when they are on the disk. After an error
// nothing more is written.
func (j *Journal) Append(records ...Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	var lines bytes.Buffer
	offsets := make([]int64, len(records))
	for i, r := range records {
		offsets[i] = j.end + int64(lines.Len())
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	_, err := j.manifest.WriteAt(lines.Bytes(), j.end)
	if err == nil {
		err = j.disk.Sync(j.manifest)
	}
	if err != nil {
		_ = j.manifest.Truncate(j.end) // else the next Open takes what is there for torn
		j.err = err
		return err
	}
	j.end += int64(lines.Len())
	j.lines += len(records)
	for i, r := range records {
		j.index[keyOf(r.Name)] = place{offset: offsets[i], seen: true, failing: r.State != Done}
	}
	return nil
}

// Unseen yields the records of documents that were neither looked up nor written since the journal
// was opened; with failing only those that did not end well. They come in the order of the
// manifest. The journal must not be written meanwhile.
func (j *Journal) Unseen(failing bool) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, offset := range j.offsets(func(p place) bool { return !p.seen && (p.failing || !failing) }) {
			j.mu.Lock()
			r, err := j.read(offset)
			j.mu.Unlock()
			if err == nil && !yield(r) {
				return
			}
		}
	}
}

func (j *Journal) offsets(of func(place) bool) []int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	var offsets []int64
	for _, p := range j.index {
		if of(p) {
			offsets = append(offsets, p.offset)
		}
	}
	slices.Sort(offsets)
	return offsets
}

// Close releases the lock.
func (j *Journal) Close() error {
	var err error
	if j.manifest != nil {
		err = j.manifest.Close()
	}
	return errors.Join(err, j.releaseLock(), j.root.Close())
}
