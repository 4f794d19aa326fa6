package cmd

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
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
)

// A failedList is the documents of a run that failed, as JSON lines, in the order of the walk. With an output folder those follow that
// failed in earlier runs and that this one did not come to. A nil list takes nothing.
type failedList struct {
	files     []*outputFile              // in its usual place in the output folder, and where a flag wants it
	path      string                     // of one of them, for people
	output    *outputFolder              // nil without one
	extension string                     // of this run's format: documents that failed in others are theirs
	carried   map[string]journal.Failure // without an output folder: of the list that is run again, by path, those that this run did not come to
	failed    []failedLine               // of this run
	final     int                        // of all, those that the server declared final
	count     int                        // of all
	stdin     bool                       // one of them was on standard input, which cannot be read again
	again     string                     // the command that runs its documents again
	ended     bool                       // it is written
}

// A failedLine is a line of the list, and the place of its document in the walk.
type failedLine struct {
	number int
	text   []byte
}

// openFailedList begins the list in the file at path, if one is named, and in its usual place in the output folder, if there is one.
func openFailedList(path, outputDir string, output *outputFolder, extension string) (*failedList, error) {
	if path == "" && output == nil {
		return nil, nil
	}
	l := &failedList{path: path, output: output, extension: extension}
	if path != "" {
		file, err := openFile("failed list", path)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, file)
	}
	if output != nil {
		usual := filepath.Join(outputDir, filepath.FromSlash(journal.FailedName))
		l.path = cmp.Or(path, usual)
		file, err := newOutputFile(output.root, journal.TempName(), journal.FailedName, 0o600)
		if err != nil {
			l.discard()
			return nil, fmt.Errorf("failed list %s: %w", usual, words.Reason(err))
		}
		l.files = append(l.files, file)
	}
	return l, nil
}

// add takes a document if it failed.
func (l *failedList) add(w *work) error {
	if l == nil || w.asked != nil && w.asked.Path == "" {
		return nil // a line that names no document
	}
	if w.state == stateNotDone {
		return l.addEarlier(w)
	}
	delete(l.carried, absolutePath(w.entry.Path))
	if w.state != stateFailed && w.state != statePartial {
		return nil
	}
	f := journal.Failure{
		Path: w.entry.Path, Name: w.entry.Name, SHA256: w.record.SHA256, Kind: string(w.kind()), Status: statusOf(w.err),
		Final: declaredFinal(w.err), Attempts: w.report.Requests(), Missing: missingPages(w.report), Message: w.message(),
	}
	if earlier := (*earlierError)(nil); errors.As(w.err, &earlier) {
		f = journal.FailureOf(earlier.record, w.entry.Name)
	}
	if f.Path = absolutePath(f.Path); f.Path == walk.Stdin {
		l.stdin = true
	}
	return l.append(w.number, f)
}

// addEarlier keeps what is known of a document that failed in an earlier run, and that this one ended before.
func (l *failedList) addEarlier(w *work) error {
	if l.output == nil {
		return nil // it is carried over
	}
	record, known := l.output.journal.Lookup(w.entry.Name + l.extension)
	if !known || record.State == journal.Done {
		return nil
	}
	return l.append(w.number, journal.FailureOf(record, w.entry.Name))
}

func (l *failedList) append(number int, f journal.Failure) error {
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

func (l *failedList) counted(f journal.Failure) {
	l.count++
	if f.Final {
		l.final++
	}
}

// close writes the list, also an empty one: whoever reads it next need not ask whether there is one.
func (l *failedList) close() error {
	if l == nil {
		return nil
	}
	slices.SortFunc(l.failed, func(a, b failedLine) int { return a.number - b.number })
	var earlier bytes.Buffer
	if l.output != nil {
		for r := range l.output.journal.Unseen(true) {
			name, ours := strings.CutSuffix(r.Name, l.extension)
			if _, err := os.Lstat(r.Path); !ours || errors.Is(err, fs.ErrNotExist) {
				continue
			}
			f := journal.FailureOf(r, name)
			if err := f.Write(&earlier); err != nil {
				return err
			}
			l.counted(f)
		}
	}
	for _, f := range slices.SortedFunc(maps.Values(l.carried), func(a, b journal.Failure) int { return cmp.Compare(a.Path, b.Path) }) {
		if err := f.Write(&earlier); err != nil {
			return err
		}
		l.counted(f)
	}
	for _, file := range l.files {
		err := file.fill(func(w io.Writer) error {
			for _, line := range l.failed {
				if _, err := w.Write(line.text); err != nil {
					return err
				}
			}
			_, err := w.Write(earlier.Bytes())
			return err
		})
		if err != nil {
			l.discard()
			return &outputError{"failed list " + l.path, words.Reason(err)}
		}
	}
	l.ended = true
	return nil
}

// discard forgets what is not written.
func (l *failedList) discard() {
	if l == nil {
		return
	}
	for _, file := range l.files {
		file.discard()
	}
}

// say tells people where the list is, and how its documents are run again.
func (l *failedList) say(c *console) {
	if l == nil || !l.ended || l.count == 0 {
		return
	}
	if l.stdin && l.count == 1 {
		return // it cannot be read again
	}
	hint := ""
	switch l.final {
	case 0:
	case l.count:
		hint = " (with --force: the server declared them final)"
	default:
		hint = fmt.Sprintf(" (%d of %d only with --force: the server declared them final)", l.final, l.count)
	}
	c.remark("failed documents are listed in %s; to run them again%s:", partition.Printable(l.path), hint)
	c.remark("  %s", l.again)
}

// carry takes what is run again: what this run does not come to stays on the list.
func (l *failedList) carry(again []journal.Failure) {
	if l == nil || l.output != nil {
		return // the journal knows
	}
	l.carried = map[string]journal.Failure{}
	for _, f := range again {
		l.carried[absolutePath(f.Path)] = f
	}
}

// readFailedList reads the documents that a failed list names.
func readFailedList(path string) ([]journal.Failure, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usageError("--retry-failed: %s", words.PathError(path, err))
	}
	defer file.Close() // it was only read
	failures, err := journal.ReadFailed(file)
	if err != nil {
		return nil, usageError("--retry-failed: %s", words.PathError(path, err))
	}
	for _, f := range failures {
		if f.Path == walk.Stdin {
			return nil, usageError("--retry-failed: %s: a document on standard input cannot be read again", path)
		}
	}
	return failures, nil
}

// listedFailures are the documents of a failed list, as a walk takes them.
func listedFailures(failures []journal.Failure) []walk.Listed {
	list := []walk.Listed{}
	for _, f := range failures {
		list = append(list, walk.Listed{Path: f.Path, Name: f.Name})
	}
	return list
}

// finalFailures are the documents of a list that is run again which the server had declared final, by path.
type finalFailures map[string]journal.Failure

// newFinalFailures are those of a list.
func newFinalFailures(failures []journal.Failure) finalFailures {
	final := finalFailures{}
	for _, f := range failures {
		if f.Final {
			final[f.Path] = f
		}
	}
	return final
}

// settles tells that a document was declared final, and is the same as then: it is not sent again. Where there is a journal that
// knows the document, that knows more.
func (l finalFailures) settles(ctx context.Context, d *partition.Document, w *work) bool {
	f, found := l[w.entry.Path]
	if !found || f.SHA256 == "" {
		return false
	}
	if sum, err := d.SHA256(ctx); err != nil || sum != f.SHA256 {
		return false
	}
	w.state = stateFailed
	w.err = &earlierError{journal.Record{
		Path: f.Path, SHA256: f.SHA256, State: journal.Failed, Kind: f.Kind, Status: f.Status, Final: true, Attempts: f.Attempts, Missing: f.Missing,
		Error: f.Message,
	}}
	return true
}
