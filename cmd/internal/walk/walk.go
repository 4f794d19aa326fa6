package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/words"
)

// An Entry is one file that a walk found, or a folder that it leaves out or could not read.
type Entry struct {
	Path  string      // as it is opened
	Name  string      // of its output, below the output folder, with slashes and without the format's extension
	Info  fs.FileInfo // of the file itself, where a link led to it; nil for standard input, and where there is none
	Skip  string      // why it is left out, a row of skipReasons; "" where it is taken
	Quiet bool        // left out without a message, unless the user asks for one
	Err   error       // why it could not be looked at
}

// Document reports whether an entry is taken.
func (e *Entry) Document() bool { return e.Skip == "" && e.Err == nil }

// Options say where a walk goes and what it takes.
type Options struct {
	Roots   []string // files and folders as they were named, [Stdin] for standard input
	List    []Listed // come after the roots; nil where there is no list, which is not the same as an empty one
	Hidden  bool     // take hidden files and folders
	Include []string // globs: of the files that are found, only these
	Exclude []string // globs: of the files and folders that are found, not these
	MaxSize int64    // bytes; larger files are left out, named ones too. 0: no limit

	Output    string   // this folder is never entered; "" where outputs go to standard output
	Images    string   // nor this one, for images
	Own       []string // files that the run writes, or reads its lists from: never documents where they are found
	Extension string   // of the outputs, with the dot
	StdinName string   // what the output of standard input is called
}

// A Listed path is a file or folder of a list. Its output is called Name, derived from the path
// where Name is "".
type Listed struct{ Path, Name string }

// A Walk goes through files and folders in the order they were given, a folder's content sorted by
// name, as often as it is asked to.
type Walk struct {
	Options
	globs globs
}

// Stdin stands for the document on standard input.
const Stdin = "-"

// New makes sure that the roots exist, that no two of them overlap, and that the globs can be read;
// if not, the error is a [UsageError].
func New(o Options) (*Walk, error) {
	w := &Walk{Options: o}
	var err error
	if w.globs, err = newGlobs(o.Include, o.Exclude); err != nil {
		return nil, err
	}
	seen := overlaps{}
	for _, root := range o.Roots {
		if root == Stdin {
			continue
		}
		info, err := os.Stat(root)
		if err != nil {
			return nil, usageError("%s", words.PathError(root, err))
		}
		if other, clash := seen.add(root); clash {
			return nil, usageError("%s and %s would write to the same outputs", other, root)
		}
		if w.isOutput(info) {
			return nil, usageError("%s: the output folder is also the input", root)
		}
	}
	return w, nil
}

// Single reports whether the walk is about one document that was named, not found.
func (w *Walk) Single() bool {
	if len(w.Roots) != 1 || w.List != nil {
		return false
	}
	info, err := os.Stat(w.Roots[0])
	return w.Roots[0] == Stdin || err == nil && !info.IsDir()
}

// Covers reports whether a file is in one of the folders of the walk, so that the walk would find
// it.
func (w *Walk) Covers(path string) bool {
	for _, root := range w.Roots {
		if absolute, err := filepath.Abs(root); err == nil && root != Stdin && inFolder(path, absolute) {
			return true
		}
	}
	return false
}

// inFolder reports whether an absolute path is below another, or the same.
func inFolder(path, folder string) bool {
	rest, below := strings.CutPrefix(path, folder)
	return below && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(folder[len(folder)-1]))
}

// Entries yields every file, also those that are left out, until ctx ends. Of a folder only the
// names are in memory.
func (w *Walk) Entries(ctx context.Context) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		p := &pass{Walk: w, yield: yield}
		if w.List != nil {
			p.taken = map[pathKey]struct{}{}
		}
		for _, root := range w.Roots {
			if ctx.Err() != nil || !p.root(ctx, root) {
				return
			}
		}
		for _, l := range w.List {
			if ctx.Err() != nil || !p.named(ctx, l.Path, listedName(l)) {
				return
			}
		}
	}
}

// A pass is one way through everything. Its methods return false where it is to end.
type pass struct {
	*Walk
	yield func(Entry) bool
	taken map[pathKey]struct{} // paths found so far; nil without a list, when no path can be found twice
}

func (p *pass) root(ctx context.Context, root string) bool {
	switch {
	case root == Stdin:
		return p.yield(Entry{Path: root, Name: p.StdinName})
	case len(p.Roots) > 1 || p.List != nil:
		return p.named(ctx, root, outputName(root))
	default:
		return p.named(ctx, root, "")
	}
}

// named yields what a given path leads to. A file is taken whatever its name is; its output is
// called name, or the last element of its path if name is "". The outputs of a folder go below
// name.
func (p *pass) named(ctx context.Context, path, name string) bool {
	info, err := os.Stat(path)
	e := Entry{Path: filePath(path), Name: name, Info: info}
	if name == "" {
		e.Name = filepath.Base(path)
	}
	switch {
	case !p.take(path):
		e.leaveOut(skipTwice)
	case err != nil:
		e.Err = err
	case p.isOutput(info):
		e.leaveOut(skipOutput)
	case info.IsDir():
		if name == "." {
			name = ""
		}
		return (&tree{pass: p, root: path}).folder(ctx, path, name, "")
	case !info.Mode().IsRegular():
		e.Err = errors.New(skipSpecial)
	case p.tooLarge(info):
		e.leaveOut(skipLarge)
	}
	return p.yield(e)
}

// take reports whether a path was not found before, and notes it.
func (p *pass) take(path string) bool {
	if p.taken == nil {
		return true
	}
	key := newPathKey(filepath.Clean(path))
	_, before := p.taken[key]
	p.taken[key] = struct{}{}
	return !before
}

func (w *Walk) tooLarge(info fs.FileInfo) bool { return w.MaxSize > 0 && info.Size() > w.MaxSize }

// isOutput reports whether a folder is one for outputs, by whatever path. It may be created while
// the walk is in progress.
func (w *Walk) isOutput(folder fs.FileInfo) bool {
	if !folder.IsDir() {
		return false
	}
	for _, path := range []string{w.Output, w.Images} {
		if path == "" {
			continue
		}
		if output, err := os.Stat(path); err == nil && os.SameFile(folder, output) {
			return true
		}
	}
	return false
}

// isOwn reports whether a file is one of the run's own.
func (w *Walk) isOwn(file fs.FileInfo) bool {
	for _, path := range w.Own {
		if own, err := os.Stat(path); err == nil && os.SameFile(file, own) {
			return true
		}
	}
	return false
}

// filePath keeps a file that is called "-" apart from standard input.
func filePath(path string) string {
	if path == Stdin {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// A UsageError is a path, a glob or a list that a run cannot be made of.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

func usageError(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}
