package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// A FailedList lists the documents that failed in a run, as JSON lines, in the order of the walk.
// With an output folder, documents follow that failed in earlier runs and that this run did not
// reach. A nil list ignores everything.
type FailedList struct {
	files     []*File // in its usual place in the output folder, and where a flag wants it
	path      string  // of one of them, for people
	folder    *Folder // nil without one
	extension string  // of this run's format: documents that failed in others are theirs
	carried   map[string]journal.Failure
	failed    []failedLine // of this run
	final     int          // of count, those that the server declared final
	count     int          // of documents on the list
	stdin     bool         // one of them was on standard input, which cannot be read again
	written   bool
}

// A failedLine is a line of the list, and the place of its document in the walk.
type failedLine struct {
	number int
	text   []byte
}

// NewFailedList begins the list in the file at path, if one is named, and in its usual place in the
// output folder, if there is one; without both it is nil. again are the documents of a failed list
// that the run takes: without an output folder, whose journal knows, those that the run does not
// come to stay on the list.
func NewFailedList(path string, folder *Folder, disk *journal.Disk, extension string, again []journal.Failure) (*FailedList, error) {
	if path == "" && folder == nil {
		return nil, nil
	}
	l := &FailedList{path: path, folder: folder, extension: extension, carried: map[string]journal.Failure{}}
	if path != "" {
		file, err := OpenFile("failed list", path, disk)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, file)
	}
	if folder == nil {
		for _, f := range again {
			l.carried[absolutePath(f.Path)] = f
		}
		return l, nil
	}
	usual := filepath.Join(folder.dir, filepath.FromSlash(journal.FailedName))
	l.path = cmp.Or(path, usual)
	file, err := newFile(folder.root, disk, journal.TempName(), journal.FailedName, 0o600)
	if err != nil {
		l.Discard()
		return nil, fmt.Errorf("failed list %s: %w", usual, words.Reason(err))
	}
	l.files = append(l.files, file)
	return l, nil
}

// Path is where the list is, "" of a nil one.
func (l *FailedList) Path() string {
	if l == nil {
		return ""
	}
	return l.path
}

// Add takes a document if it failed.
func (l *FailedList) Add(w *outcome.Outcome) error {
	if l == nil {
		return nil
	}
	if w.State == outcome.NotDone {
		return l.addEarlier(w)
	}
	delete(l.carried, absolutePath(w.Path))
	if !w.Failed() {
		return nil
	}
	f := journal.Failure{
		Path: w.Path, Name: w.Name, SHA256: w.SHA256, Kind: string(w.Kind()), Status: w.Status(), Final: w.Final(), Attempts: w.Report.Requests(),
		Missing: w.MissingPages(), Message: w.Message(),
	}
	if earlier := (*outcome.EarlierError)(nil); errors.As(w.Err, &earlier) {
		f = journal.FailureOf(earlier.Record, w.Name)
	}
	if f.Path = absolutePath(f.Path); f.Path == walk.Stdin {
		l.stdin = true
	}
	return l.append(w.Number, f)
}

// addEarlier keeps the record of a document that failed in an earlier run, and that this run did
// not reach.
func (l *FailedList) addEarlier(w *outcome.Outcome) error {
	if l.folder == nil {
		return nil // it is carried over
	}
	record, known := l.folder.journal.Lookup(w.Name + l.extension)
	if !known || record.State == journal.Done {
		return nil
	}
	return l.append(w.Number, journal.FailureOf(record, w.Name))
}

func (l *FailedList) append(number int, f journal.Failure) error {
	var line bytes.Buffer
	err := f.Write(&line)
	l.failed = append(l.failed, failedLine{number, line.Bytes()})
	l.counted(f)
	return err
}

// absolutePath is a path that means the same wherever it is read.
func absolutePath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil && path != walk.Stdin {
		return absolute
	}
	return path
}

func (l *FailedList) counted(f journal.Failure) {
	l.count++
	if f.Final {
		l.final++
	}
}

// Close writes the list, even if it is empty, so that the next reader always finds one.
func (l *FailedList) Close() error {
	if l == nil {
		return nil
	}
	slices.SortFunc(l.failed, func(a, b failedLine) int { return a.number - b.number })
	earlier, err := l.earlier()
	if err != nil {
		return err
	}
	for _, file := range l.files {
		err := file.Fill(func(w io.Writer) error {
			for _, line := range l.failed {
				if _, err := w.Write(line.text); err != nil {
					return err
				}
			}
			_, err := w.Write(earlier)
			return err
		})
		if err != nil {
			l.Discard()
			return &WriteError{"failed list " + l.path, words.Reason(err)}
		}
	}
	l.written = true
	return nil
}

// earlier returns the lines of documents that failed before, and that this run did not reach.
func (l *FailedList) earlier() ([]byte, error) {
	var lines bytes.Buffer
	if l.folder != nil {
		for r := range l.folder.journal.Unseen(true) {
			name, ours := strings.CutSuffix(r.Name, l.extension)
			if _, err := os.Lstat(r.Path); !ours || errors.Is(err, fs.ErrNotExist) {
				continue
			}
			f := journal.FailureOf(r, name)
			if err := f.Write(&lines); err != nil {
				return nil, err
			}
			l.counted(f)
		}
	}
	for _, f := range slices.SortedFunc(maps.Values(l.carried), func(a, b journal.Failure) int { return cmp.Compare(a.Path, b.Path) }) {
		if err := f.Write(&lines); err != nil {
			return nil, err
		}
		l.counted(f)
	}
	return lines.Bytes(), nil
}

// Discard removes what was not written.
func (l *FailedList) Discard() {
	if l == nil {
		return
	}
	for _, file := range l.files {
		file.Discard()
	}
}

// Hint returns two lines for people: where the list is, and the command that runs its documents
// again. It returns none if there is nothing to run.
func (l *FailedList) Hint(command string) []string {
	if l == nil || !l.written || l.count == 0 || l.stdin && l.count == 1 {
		return nil
	}
	hint := ""
	switch l.final {
	case 0:
	case l.count:
		hint = " (add --force: the server declared them final)"
	default:
		hint = fmt.Sprintf(" (add --force for %d of %d that the server declared final)", l.final, l.count)
	}
	return []string{
		fmt.Sprintf("failed documents are listed in %s; to retry them%s:", wire.Printable(l.path), hint),
		"  " + command,
	}
}

// ReadFailedList reads the documents that a failed list names. None of them is on standard input.
func ReadFailedList(path string) ([]journal.Failure, error) {
	file, err := OpenInput(path)
	if err != nil {
		return nil, errors.New(words.PathError(path, err))
	}
	defer file.Close() // it was only read
	failures, err := journal.ReadFailed(walk.Decoded(file))
	if err != nil {
		return nil, errors.New(words.PathError(path, err))
	}
	for _, f := range failures {
		if f.Path == walk.Stdin {
			return nil, fmt.Errorf("%s lists a document from standard input, which cannot be read again", path)
		}
	}
	return failures, nil
}

// FinalFailures are the documents of a failed list that the server had declared final, by path.
type FinalFailures map[string]journal.Failure

// NewFinalFailures are those of a list.
func NewFinalFailures(failures []journal.Failure) FinalFailures {
	final := FinalFailures{}
	for _, f := range failures {
		if f.Final {
			final[f.Path] = f
		}
	}
	return final
}

// Settle reports whether a document was declared final and has not changed since. It then sets the
// document's State, and the document must not be sent. If a journal has a record of the document,
// ask that instead.
func (l FinalFailures) Settle(ctx context.Context, d *partition.Document, w *outcome.Outcome) bool {
	f, found := l[w.Path]
	if !found || f.SHA256 == "" {
		return false
	}
	if sum, err := d.SHA256(ctx); err != nil || sum != f.SHA256 {
		return false
	}
	w.State = outcome.Failed
	w.Err = &outcome.EarlierError{Record: journal.Record{
		Path: f.Path, SHA256: f.SHA256, State: journal.Failed, Kind: f.Kind, Status: f.Status, Final: true, Attempts: f.Attempts, Missing: f.Missing,
		Error: f.Message,
	}}
	return true
}
