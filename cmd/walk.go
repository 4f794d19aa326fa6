package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

// An entry is one file that a walk came upon, or a folder that it leaves out or could not read.
type entry struct {
	path  string      // as it is opened
	name  string      // below the output folder, with slashes
	info  fs.FileInfo // of the file itself, where a link led to it; nil for standard input, and where there is none
	skip  string      // why it is left out, a row of skipReasons; "" where it is taken
	quiet bool        // left out as a matter of course: said only when asked
	err   error       // it could not be looked at
	asked *askedFor   // of a document that a program asks for, see [stdinList]
}

// document tells that an entry is taken.
func (e *entry) document() bool { return e.skip == "" && e.err == nil }

// walkOptions say where a walk goes and what it takes.
type walkOptions struct {
	roots   []string // files and folders as they were named, "-" for standard input
	list    []listed // come after the roots; nil where there is no list, which is not the same as an empty one
	hidden  bool     // take hidden files and folders
	include []string // globs: of the files that are found, only these
	exclude []string // globs: of the files and folders that are found, not these
	maxSize int64    // bytes; larger files are left out, named ones too. 0: no limit

	retried []journal.Failure // what the list was made of, where it is one of documents that failed before; not nil then

	output    string   // this folder is never entered; "" where outputs go to standard output
	images    string   // nor this one, for images
	own       []string // files that the run writes, or reads its lists from: never documents where they are found
	extension string   // of the outputs, with the dot
	foldCase  bool     // names of outputs that differ only in case, or in their Unicode form, are one file there
	stdinName string   // what the output of standard input is called
}

// A listed path is a file or folder of a list. Its output is called name, derived from the path where name is "".
type listed struct{ path, name string }

// A walk goes through files and folders in the order they were given, a folder's content sorted by name, as often as it is asked to.
type walk struct {
	walkOptions
	globs globs
}

// standardInput stands for the document on standard input.
const standardInput = "-"

// newWalk makes sure that the roots exist, that no two of them overlap, and that the globs can be read; if not, it is a usage error.
func newWalk(o walkOptions) (*walk, error) {
	w := &walk{walkOptions: o}
	var err error
	if w.globs, err = newGlobs(o.include, o.exclude); err != nil {
		return nil, err
	}
	seen := overlaps{}
	for _, root := range o.roots {
		if root == standardInput {
			continue
		}
		info, err := os.Stat(root)
		if err != nil {
			return nil, usageError("%s", plainPathError(root, err))
		}
		if other, clash := seen.add(root); clash {
			return nil, usageError("%s and %s lead to the same outputs", other, root)
		}
		if w.isOutput(info) {
			return nil, usageError("%s: the output folder is the input", root)
		}
	}
	return w, nil
}

// single tells that the walk is about one document that was named, not found.
func (w *walk) single() bool {
	if len(w.roots) != 1 || w.list != nil {
		return false
	}
	info, err := os.Stat(w.roots[0])
	return w.roots[0] == standardInput || err == nil && !info.IsDir()
}

// covers tells whether the walk would come to a file, if it were there, as far as its folder tells.
func (w *walk) covers(path string) bool {
	for _, root := range w.roots {
		if absolute, err := filepath.Abs(root); err == nil && root != standardInput && inFolder(path, absolute) {
			return true
		}
	}
	return false
}

// inFolder tells whether an absolute path is below another, or the same.
func inFolder(path, folder string) bool {
	rest, below := strings.CutPrefix(path, folder)
	return below && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(folder[len(folder)-1]))
}

// entries yields every file, also those that are left out, until ctx ends. Of a folder only the names are in memory.
func (w *walk) entries(ctx context.Context) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		p := &pass{walk: w, yield: yield}
		if w.list != nil {
			p.taken = map[pathKey]struct{}{}
		}
		for _, root := range w.roots {
			if ctx.Err() != nil || !p.root(ctx, root) {
				return
			}
		}
		for _, l := range w.list {
			if ctx.Err() != nil || !p.named(ctx, l.path, listedName(l)) {
				return
			}
		}
	}
}

// A pass is one way through everything. Its methods return false where it is to end.
type pass struct {
	*walk
	yield func(entry) bool
	taken map[pathKey]struct{} // what was come upon already; nil where there is no list, without which nothing comes twice
}

func (p *pass) root(ctx context.Context, root string) bool {
	switch {
	case root == standardInput:
		return p.yield(entry{path: root, name: p.stdinName})
	case len(p.roots) > 1 || p.list != nil:
		return p.named(ctx, root, outputName(root))
	default:
		return p.named(ctx, root, "")
	}
}

// named yields what a path that was named leads to. A file is taken whatever it is called, as name, or as the last element of its
// path where name is ""; the outputs of a folder stand below name.
func (p *pass) named(ctx context.Context, path, name string) bool {
	info, err := os.Stat(path)
	e := entry{path: filePath(path), name: name, info: info}
	if name == "" {
		e.name = filepath.Base(path)
	}
	switch {
	case !p.take(path):
		e.leaveOut(skipTwice)
	case err != nil:
		e.err = err
	case p.isOutput(info):
		e.leaveOut(skipOutput)
	case info.IsDir():
		if name == "." {
			name = ""
		}
		return (&tree{pass: p, root: path}).folder(ctx, path, name, "")
	case !info.Mode().IsRegular():
		e.err = errors.New(skipSpecial)
	case p.tooLarge(info):
		e.leaveOut(skipLarge)
	}
	return p.yield(e)
}

// take tells that a path was not come upon before.
func (p *pass) take(path string) bool {
	if p.taken == nil {
		return true
	}
	key := newPathKey(filepath.Clean(path))
	_, before := p.taken[key]
	p.taken[key] = struct{}{}
	return !before
}

func (w *walk) tooLarge(info fs.FileInfo) bool { return w.maxSize > 0 && info.Size() > w.maxSize }

// isOutput tells whether a folder is one for outputs, by whatever name. That may be made only when the walk is under way.
func (w *walk) isOutput(folder fs.FileInfo) bool {
	if !folder.IsDir() {
		return false
	}
	for _, path := range []string{w.output, w.images} {
		if path == "" {
			continue
		}
		if output, err := os.Stat(path); err == nil && os.SameFile(folder, output) {
			return true
		}
	}
	return false
}

// isOwn tells whether a file is one of the run's own.
func (w *walk) isOwn(file fs.FileInfo) bool {
	for _, path := range w.own {
		if own, err := os.Stat(path); err == nil && os.SameFile(file, own) {
			return true
		}
	}
	return false
}

// filePath keeps a file that is called "-" apart from standard input.
func filePath(path string) string {
	if path == standardInput {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// rootPathError leaves out the path that an error repeats.
func rootPathError(err error) error {
	path, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	default:
		return err
	}
}

// plainPathError is an error about path in the words of a command line.
func plainPathError(path string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return path + ": no such file or folder"
	}
	return fmt.Sprintf("%s: %s", path, rootPathError(err))
}
