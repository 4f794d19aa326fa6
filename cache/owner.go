package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links a path may go through, as on Linux.
const maxLinks = 40

// CheckOwners returns an error if anyone but this user and root owns, or may replace, the directory
// at path or one above it, links on the way included: what is read from it may then be somebody
// else's. [Open] says what is allowed above a directory. A path that is not there yet is checked as far as it
// is. Windows has no such check.
func CheckOwners(path string) error { return checkOwners(path, os.Geteuid()) }

// checkOwners checks every directory from the root to path, and every symbolic link on the way, as
// far as they exist: whoever can replace one of them can put another cache in place of ours.
func checkOwners(path string, user int) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	rest := strings.Split(path, string(filepath.Separator))
	at := filepath.VolumeName(path) + string(filepath.Separator)
	rest = rest[1:]
	links := 0
	for {
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil // it is made as ours, or Open says what is in the way
		}
		if err != nil {
			return err
		}
		if err := cmp.Or(checkOwner(at, info, user), checkWriters(at, info, user)); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if links++; links > maxLinks {
				return fmt.Errorf("%s: too many symbolic links", path)
			}
			target, err := os.Readlink(at)
			if err != nil {
				return err
			}
			at = filepath.Dir(at)
			if filepath.IsAbs(target) {
				at = string(filepath.Separator)
			}
			rest = append(strings.Split(target, string(filepath.Separator)), rest...)
		}
		for len(rest) > 0 && (rest[0] == "" || rest[0] == ".") {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return nil
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

// checkOwner refuses what belongs to others than the user and root.
func checkOwner(path string, info fs.FileInfo, user int) error {
	if owner, _, known := numbersOf(info); known && owner != user && owner != 0 {
		return fmt.Errorf("%s: it belongs to another user (uid %d): choose another directory", path, owner)
	}
	return nil
}

// checkWriters refuses a directory in which others may replace what the user has made. Where it has
// the sticky bit they may not.
func checkWriters(path string, info fs.FileInfo, user int) error {
	_, group, known := numbersOf(info)
	others := fs.FileMode(0o022)
	if group == user {
		others = 0o002 // most systems make a group for each user alone, with the same number
	}
	if known && info.IsDir() && info.Mode().Perm()&others != 0 && info.Mode()&fs.ModeSticky == 0 {
		return writable(path, info)
	}
	return nil
}

// writable is the error for a directory that others may write to.
func writable(path string, info fs.FileInfo) error {
	return fmt.Errorf("%s: other users may write to it (mode %#o): run chmod go-w on it, or choose another directory", path, info.Mode().Perm())
}
