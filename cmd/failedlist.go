package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/journal"
)

// A failedList is the documents of a run that failed, as JSON lines, in the order of the walk. With an output folder those follow that
// failed in earlier runs and that this one did not come to. A nil list takes nothing.
type failedList struct {
	file   *outputFile
	path   string        // for people
	again  string        // the command that runs its documents again
	output *outputFolder // nil without one
	usual  bool          // it stands in its usual place, and only when there is something in it
	count  int
	final  int // of them, those that the server declared final
}

// openFailedList begins the list in the file at path, or else in its usual place in the output folder, if there is one.
func openFailedList(path, outputDir string, output *outputFolder) (*failedList, error) {
	l := &failedList{path: path, output: output}
	var err error
	switch {
	case path != "":
		l.file, err = openFile("failed list", path)
		return l, err
	case output == nil:
		return nil, nil
	}
	l.usual, l.path = true, filepath.Join(outputDir, filepath.FromSlash(journal.FailedName))
	if l.file, err = newOutputFile(output.root, journal.TempName(), journal.FailedName, 0o600); err != nil {
		return nil, fmt.Errorf("failed list %s: %w", l.path, rootPathError(err))
	}
	return l, nil
}

// add appends a document if it failed.
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
	if absolute, err := filepath.Abs(f.Path); err == nil && f.Path != standardInput {
		f.Path = absolute
	}
	l.count++
	if f.Final {
		l.final++
	}
	return l.wrap(f.Write(l.file))
}

// close completes the list. An empty one in its usual place is taken away.
func (l *failedList) close(extension string) error {
	if l == nil {
		return nil
	}
	if l.output != nil {
		for r := range l.output.journal.Unseen(true) {
			name, ours := strings.CutSuffix(r.Name, extension)
			if _, err := os.Lstat(r.Path); !ours || errors.Is(err, fs.ErrNotExist) {
				continue
			}
			l.count++
			if r.Final {
				l.final++
			}
			if err := journal.FailureOf(r, name).Write(l.file); err != nil {
				l.file.discard()
				return l.wrap(err)
			}
		}
	}
	if l.usual && l.count == 0 {
		l.file.discard()
		if err := l.output.root.Remove(journal.FailedName); !errors.Is(err, fs.ErrNotExist) {
			return l.wrap(err)
		}
		return nil
	}
	return l.wrap(l.file.commit())
}

// hint says what the command needs to run all of them.
func (l *failedList) hint() string {
	switch {
	case l.final == 0:
		return ""
	case l.final == l.count:
		return " (with --force: the server declared them final)"
	default:
		return fmt.Sprintf(" (%d of %d only with --force: the server declared them final)", l.final, l.count)
	}
}

func (l *failedList) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &outputError{"failed list " + l.path, err}
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
		return nil, usageError("--retry-failed: %s: %s", path, err)
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

// retryCommand is the command that runs the documents of a failed list again, with the same flags but for those that say what to walk.
func retryCommand(flags *pflag.FlagSet, list string) string {
	words := []string{"quire", "partition", "--retry-failed", list}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(f.Annotations[flagGroup], groupInput) || f.Name == "retry-failed" || f.Name == "force" {
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		for _, value := range values {
			switch {
			case f.NoOptDefVal == "":
				words = append(words, name, value)
			case value == f.NoOptDefVal:
				words = append(words, name)
			default:
				words = append(words, "--"+f.Name+"="+value)
			}
		}
	})
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// plainWord are the characters that mean nothing to a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
