package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is a walk through one folder and everything below it.
type tree struct {
	*pass
	root     string
	resolved string // the root without links, once it was asked for
}

// folder yields what is in dir, whose outputs stand below name and which is called rel for the
// globs: "" for the root.
func (t *tree) folder(ctx context.Context, dir, name, rel string) bool {
	names, err := readNames(ctx, dir)
	if err != nil && !t.yield(Entry{Path: dir, Name: name, Err: err}) {
		return false
	}
	for _, base := range names {
		if ctx.Err() != nil || !t.child(ctx, filepath.Join(dir, base), below(name, base), below(rel, base)) {
			return false
		}
	}
	return ctx.Err() == nil
}

// child yields one file, or what is in one folder.
func (t *tree) child(ctx context.Context, path, name, rel string) bool {
	e := Entry{Path: filePath(path), Name: name}
	if reason := t.leftOutByName(filepath.Base(path)); reason != "" {
		e.leaveOut(reason)
		return t.yield(e)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		e.Err = err
	case t.globs.excludes(rel, info.IsDir()):
		e.leaveOut(skipExcluded)
	case info.IsDir():
		if t.isOutput(info) {
			return true
		}
		if t.take(path) {
			return t.folder(ctx, path, name, rel)
		}
		e.leaveOut(skipTwice)
	default:
		t.file(&e, rel, info)
	}
	return t.yield(e)
}

// file decides whether something that is not a folder is taken.
func (t *tree) file(e *Entry, rel string, info fs.FileInfo) {
	var reason string
	if e.Info = info; info.Mode()&fs.ModeSymlink != 0 {
		e.Info, reason, e.Err = t.follow(e.Path)
	}
	if reason != skipFolder && !t.globs.includes(rel) {
		reason, e.Err = skipExcluded, nil
	}
	if reason == "" && e.Err == nil {
		reason = t.leftOutFile(e.Info)
	}
	if reason == "" && e.Err == nil && !t.take(e.Path) {
		reason = skipTwice
	}
	if reason != "" {
		e.leaveOut(reason)
	}
}

func below(folder, base string) string {
	if folder == "" {
		return base
	}
	return folder + "/" + base
}

// namesAtOnce is how many names are read from a folder at a time.
const namesAtOnce = 1024

// readNames returns the sorted names in a folder; beside an error, those that were read before it.
func readNames(ctx context.Context, dir string) ([]string, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close() // it was only read
	var names []string
	for ctx.Err() == nil {
		var more []string
		more, err = folder.Readdirnames(namesAtOnce)
		names = append(names, more...)
		if err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(names, strings.Compare)
	return names, err
}
