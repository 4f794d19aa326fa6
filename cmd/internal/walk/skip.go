package walk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

// Why a walk leaves something out.
const (
	skipHidden   = "hidden"
	skipExcluded = "excluded"
	skipLock     = "an editor's lock file"
	skipState    = "the state of a run"
	skipEmpty    = "empty file"
	skipLarge    = "larger than --max-size"
	skipSpecial  = "not a regular file"
	skipOut      = "a link out of the folder"
	skipFolder   = "a link to a folder"
	skipDangling = "a link that leads nowhere"
	skipLoop     = "a link that leads to itself"
	skipOutput   = "the output folder"
	skipTwice    = "already listed"
	skipOwn      = "a file of the run itself"
)

// skipReasons is the table of reasons why a walk leaves out a file. Files left out for a quiet
// reason are only printed with -v.
var skipReasons = []struct {
	reason string
	quiet  bool
}{
	{skipHidden, true},
	{skipExcluded, true},
	{skipLock, true},
	{skipState, true},
	{skipEmpty, false},
	{skipLarge, false},
	{skipSpecial, false},
	{skipOut, true},
	{skipFolder, true},
	{skipDangling, true},
	{skipLoop, true},
	{skipOutput, false},
	{skipTwice, false},
	{skipOwn, true},
}

// IsLink reports whether a reason speaks of a link. A folder may have thousands of them, so that they
// are counted and not printed.
func IsLink(reason string) bool {
	return reason == skipOut || reason == skipFolder || reason == skipDangling || reason == skipLoop
}

// leaveOut marks an entry as left out.
func (e *Entry) leaveOut(reason string) {
	e.Skip = reason
	for _, row := range skipReasons {
		if row.reason == reason {
			e.Quiet = row.quiet
		}
	}
}

// leftOutByName returns why something with this name is left out without being looked at, or "".
func (w *Walk) leftOutByName(base string) string {
	switch {
	case base == journal.Folder:
		return skipState
	case strings.HasPrefix(base, ".") && !w.Hidden:
		return skipHidden
	case strings.HasPrefix(base, "~$"):
		return skipLock
	default:
		return ""
	}
}

// leftOutFile returns why a file that was found is not a document, or "" if it may be one.
func (w *Walk) leftOutFile(info fs.FileInfo) string {
	switch {
	case w.isOwn(info):
		return skipOwn
	case !info.Mode().IsRegular():
		return skipSpecial // it is never opened: a pipe waits for its writer
	case info.Size() == 0:
		return skipEmpty
	case w.tooLarge(info):
		return skipLarge
	default:
		return ""
	}
}

// follow returns what a link in the tree leads to, or why it is not followed.
func (t *tree) follow(link string) (info fs.FileInfo, reason string, err error) {
	info, err = os.Stat(link)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, skipDangling, nil
	case errors.Is(err, syscall.ELOOP):
		return nil, skipLoop, nil
	case err != nil:
		return nil, "", err
	}
	target, inside := t.inside(link)
	switch {
	case !inside:
		return info, skipOut, nil
	case info.IsDir():
		return info, skipFolder, nil
	}
	for dir := filepath.Dir(target); dir != t.resolved; dir = filepath.Dir(dir) {
		if above, err := os.Stat(dir); err == nil && t.isOutput(above) {
			return info, skipOutput, nil
		}
	}
	return info, "", nil
}

// inside resolves a link and reports whether it leads to something in the tree.
func (t *tree) inside(link string) (target string, inside bool) {
	if t.resolved == "" {
		t.resolved = resolve(t.root)
	}
	target = resolve(link)
	if t.resolved == "" || target == "" {
		return "", false
	}
	rel, err := filepath.Rel(t.resolved, target)
	return target, err == nil && filepath.IsLocal(rel)
}

// resolve returns the absolute path without links, or "" if there is none.
func resolve(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if target, err = filepath.Abs(target); err != nil {
		return ""
	}
	return target
}
