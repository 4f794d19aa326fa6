package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// An entry is one file that a walk came upon.
type entry struct {
	path  string // as it is opened
	name  string // below the output folder, with slashes
	skip  string // why it is left out; "" where it is taken
	quiet bool   // left out as a matter of course: said only when asked
	err   error  // it could not be looked at
}

// A walk goes through files and folders in the order they were given, a folder's content sorted by name.
type walk struct {
	roots  []string
	hidden bool   // take hidden files
	output string // this folder is never entered

	stdinName string // what the output of standard input is called
}

// standardInput stands for the document on standard input.
const standardInput = "-"

// newWalk makes sure that the roots exist and that no two of them lead to the same output.
func newWalk(roots []string, hidden bool, output string) (*walk, error) {
	w := &walk{roots: roots, hidden: hidden, output: output}
	var seen []string
	for _, root := range roots {
		if root == standardInput {
			continue
		}
		if _, err := os.Stat(root); err != nil {
			return nil, usageError("%s", plainPathError(root, err))
		}
		for _, other := range seen {
			if inside(outputName(root), outputName(other)) || inside(outputName(other), outputName(root)) {
				return nil, usageError("%s and %s lead to the same outputs", other, root)
			}
		}
		seen = append(seen, root)
		if w.isOutput(root) {
			return nil, usageError("%s: the output folder is the input", root)
		}
	}
	return w, nil
}

// inside tells whether a cleaned path is another one, or below it.
func inside(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+string(filepath.Separator))
}

// single tells that the walk is about one document that was named, not found.
func (w *walk) single() bool {
	if len(w.roots) != 1 {
		return false
	}
	info, err := os.Stat(w.roots[0])
	return w.roots[0] == standardInput || err == nil && !info.IsDir()
}

// entries yields every file, also those that are left out.
func (w *walk) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for _, root := range w.roots {
			if !w.root(root, yield) {
				return
			}
		}
	}
}

func (w *walk) root(root string, yield func(entry) bool) bool {
	if root == standardInput {
		return yield(entry{path: root, name: w.stdinName})
	}
	info, err := os.Stat(root)
	base := ""
	if len(w.roots) > 1 {
		base = filepath.ToSlash(outputName(root))
	}
	switch {
	case err != nil:
		return yield(entry{path: root, name: outputName(root), err: err})
	case info.IsDir():
		return w.folder(root, root, base, yield)
	case base == "":
		return yield(entry{path: root, name: filepath.Base(root)})
	default:
		return yield(entry{path: root, name: base})
	}
}

func (w *walk) folder(root, dir, name string, yield func(entry) bool) bool {
	children, err := os.ReadDir(dir) // sorted
	if err != nil {
		return yield(entry{path: dir, name: name, err: err})
	}
	for _, child := range children {
		path := filepath.Join(dir, child.Name())
		childName := strings.TrimPrefix(name+"/"+child.Name(), "/")
		e := entry{path: path, name: childName}
		switch {
		case strings.HasPrefix(child.Name(), ".") && !w.hidden:
			e.skip, e.quiet = "hidden", true
		case strings.HasPrefix(child.Name(), "~$"):
			e.skip, e.quiet = "an editor's lock file", true
		case child.IsDir():
			if w.isOutput(path) {
				continue
			}
			if !w.folder(root, path, childName, yield) {
				return false
			}
			continue
		default:
			e.skip, e.err = leaveOut(root, path, child)
		}
		if !yield(e) {
			return false
		}
	}
	return true
}

// isOutput tells whether a folder is the one for the outputs, by whatever name.
func (w *walk) isOutput(dir string) bool {
	if w.output == "" {
		return false
	}
	one, err := os.Stat(dir)
	if err != nil {
		return false
	}
	other, err := os.Stat(w.output)
	return err == nil && os.SameFile(one, other)
}

// leaveOut says why a file in a folder is no document, "" where it may be one.
func leaveOut(root, path string, child fs.DirEntry) (string, error) {
	info, err := child.Info()
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if !leadsInside(root, path) {
			return "a link out of the folder", nil
		}
		if info, err = os.Stat(path); err != nil {
			return "", err
		}
		if info.IsDir() {
			return "a link to a folder", nil
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return "not a regular file", nil
	case info.Size() == 0:
		return "empty file", nil
	default:
		return "", nil
	}
}

func leadsInside(root, link string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, target)
	return err == nil && filepath.IsLocal(rel)
}

// outputName is where the outputs of a root stand when there are several: the path as it was given, cleaned, and inside the
// output folder even if it was absolute or led upwards.
func outputName(root string) string {
	name := filepath.Clean(root)
	name = strings.TrimPrefix(name[len(filepath.VolumeName(name)):], string(filepath.Separator))
	for {
		rest, up := strings.CutPrefix(name, ".."+string(filepath.Separator))
		if !up {
			break
		}
		name = rest
	}
	if name == ".." || name == "" {
		name = "."
	}
	return name
}

// rootPathError leaves out the path that an error repeats.
func rootPathError(err error) error {
	if wrapped := (*fs.PathError)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// plainPathError is an error about path in the words of a command line.
func plainPathError(path string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return path + ": no such file or folder"
	}
	return fmt.Sprintf("%s: %s", path, rootPathError(err))
}
