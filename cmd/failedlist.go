package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quire-dev/quire/cmd/journal"
	"github.com/quire-dev/quire/partition"
)

// A failedList is the documents of a run that failed, as JSON lines, in the order of the walk. With an output folder those follow that
// failed in earlier runs and that this one did not come to. A nil list takes nothing.
type failedList struct {
	files  []*outputFile // in its usual place in the output folder, and where a flag wants it
	path   string        // of one of them, for people
	output *outputFolder // nil without one
	failed []failedLine  // of this run
	final  int           // of all, those that the server declared final
	count  int           // of all
	stdin  bool          // one of them was on standard input, which cannot be read again
	again  string        // the command that runs its documents again
	ended  bool          // it is written
}

// A failedLine is a line of the list, and the place of its document in the walk.
type failedLine struct {
	number int
	text   []byte
}

// openFailedList begins the list in the file at path, if one is named, and in its usual place in the output folder, if there is one.
func openFailedList(path, outputDir string, output *outputFolder) (*failedList, error) {
	if path == "" && output == nil {
		return nil, nil
	}
	l := &failedList{path: path, output: output}
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
			return nil, fmt.Errorf("failed list %s: %w", usual, rootPathError(err))
		}
		l.files = append(l.files, file)
	}
	return l, nil
}

// add takes a document if it failed.
func (l *failedList) add(w *work) error {
	if l == nil || w.state != stateFailed && w.state != statePartial {
		return nil
	}
	f := journal.Failure{
		Path: w.entry.path, Name: w.entry.name, SHA256: w.record.SHA256, Kind: string(w.kind()), Status: statusOf(w.err),
		Final: declaredFinal(w.err), Attempts: w.report.Requests(), Missing: missingPages(w.report), Message: w.message(),
	}
	if earlier := (*earlierError)(nil); errors.As(w.err, &earlier) {
		f = journal.FailureOf(earlier.record, w.entry.name)
	}
	if f.Path == standardInput {
		l.stdin = true
	} else if absolute, err := filepath.Abs(f.Path); err == nil {
		f.Path = absolute
	}
	var line bytes.Buffer
	err := f.Write(&line)
	l.failed = append(l.failed, failedLine{w.number, line.Bytes()})
	l.counted(f)
	return err
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
			if _, err := os.Lstat(r.Path); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			f := journal.FailureOf(r, documentName(r.Name))
			if err := f.Write(&earlier); err != nil {
				return err
			}
			l.counted(f)
		}
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
			return &outputError{"failed list " + l.path, rootPathError(err)}
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

// documentName is an output's name without the extension of its format.
func documentName(output string) string {
	for _, f := range formats {
		if name, found := strings.CutSuffix(output, f.extension); found {
			return name
		}
	}
	return output
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

// readFailedList reads the documents that a failed list names.
func readFailedList(path string) ([]listed, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usageError("--retry-failed: %s", plainPathError(path, err))
	}
	defer file.Close()
	failures, err := journal.ReadFailed(file)
	if err != nil {
		return nil, usageError("--retry-failed: %s", plainPathError(path, err))
	}
	list := []listed{}
	for _, f := range failures {
		if f.Path == standardInput {
			return nil, usageError("--retry-failed: %s: a document on standard input cannot be read again", path)
		}
		list = append(list, listed{f.Path, f.Name})
	}
	return list, nil
}
