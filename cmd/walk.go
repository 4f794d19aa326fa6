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
}

// standardInput stands for the document on standard input.
const standardInput = "-"

// newWalk makes sure that the roots exist and that no two of them lead to the same output.
func newWalk(roots []string, hidden bool, output string) (*walk, error) {
	w := &walk{roots: roots, hidden: hidden}
	if output != "" {
		absolute, err := filepath.Abs(output)
		if err != nil {
			return nil, err
		}
		w.output = absolute
	}
	seen := map[string]string{}
	for _, root := range roots {
		if root == standardInput {
			continue
		}
		if _, err := os.Stat(root); err != nil {
			return nil, usageError("%s", plainPathError(root, err))
		}
		for name := outputName(root); ; name = filepath.Dir(name) {
			if other, taken := seen[name]; taken && len(roots) > 1 {
				return nil, usageError("%s and %s lead to the same outputs", other, root)
			}
			if parent := filepath.Dir(name); parent == name || parent == "." {
				break
			}
		}
		seen[outputName(root)] = root
	}
	return w, nil
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
		return yield(entry{path: root, name: root})
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

func (w *walk) isOutput(dir string) bool {
	absolute, err := filepath.Abs(dir)
	return err == nil && w.output != "" && absolute == w.output
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

// plainPathError is an error about path in the words of a command line.
func plainPathError(path string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return path + ": no such file or folder"
	}
	if wrapped := (*fs.PathError)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return fmt.Sprintf("%s: %s", path, err)
}
