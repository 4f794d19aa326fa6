package cache

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// What is in a cache directory.
const (
	tagName     = "CACHEDIR.TAG"
	readmeName  = "README"
	markName    = "trimmed"     // a mark; its modification time is that of the last trim
	markTemp    = "trimmed.new" // the next one
	entriesName = "entries"     // entries/ab/abcd..., 256 directories by the key's first byte
	runsName    = "runs"        // runs/<random>/, a transit each

	dirMode  = 0o700
	fileMode = 0o600
)

// The first line is what the Cache Directory Tagging Specification asks for.
const tag = `Signature: 8a477f597d28d172789f06886806bc55
# This directory is a cache of quire: backups may pass it over.
# For the convention see https://bford.info/cachedir/
`

const readme = `This is a cache of quire: answers of the partition API, so that a page that was
answered once is not sent, and paid, again. They hold the text of documents.

Everything here can be deleted at any time; "quire cache clear" does that, and
"quire cache trim" deletes what is old. Do not edit anything here: quire notices
a changed answer and deletes it.

  entries/  one answer per file, named by the SHA-256 of the request
  runs/     temporary files, a directory for each process
  claim-*   a lock for each request under way
  trimmed   when old entries were last deleted
`

// ours reports whether a name at the top is one that the cache makes, or comes with the file
// system.
func ours(name string) bool {
	return strings.HasPrefix(name, claimPrefix) || slices.Contains([]string{tagName, readmeName, markName, markTemp, entriesName, runsName, "lost+found"}, name)
}

func entryName(key [32]byte) string {
	name := hex.EncodeToString(key[:])
	return entriesName + "/" + name[:2] + "/" + name
}

// keyOf is the key in an entry's file name.
func keyOf(base string) (key [32]byte, ok bool) {
	if len(base) != hex.EncodedLen(len(key)) {
		return key, false
	}
	_, err := hex.Decode(key[:], []byte(base))
	return key, err == nil && hex.EncodeToString(key[:]) == base
}

// layOut makes what is missing. That something cannot be made is no error here: a cache that can
// only be read is still useful.
func (d *Dir) layOut() error {
	_ = d.keepFile(tagName, tag, true) // first: it says whose directory this is
	_ = d.keepFile(readmeName, readme, false)
	for _, name := range []string{entriesName, runsName} {
		_ = d.disk.Mkdir(name, dirMode)
		info, err := d.disk.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		path := filepath.Join(d.path, name)
		if !info.IsDir() {
			return fmt.Errorf("%s: not a directory", path)
		}
		if err := checkOwner(path, info, os.Geteuid()); err != nil {
			return err
		}
		if info.Mode().Perm()&^dirMode != 0 && runtime.GOOS != "windows" {
			_ = d.disk.Chmod(name, dirMode)
		}
	}
	return nil
}

// keepFile writes a file that is missing or, with whole, not as it should begin.
func (d *Dir) keepFile(name, content string, whole bool) error {
	info, err := d.disk.Lstat(name)
	if err == nil && (!whole || !info.Mode().IsRegular()) {
		return nil
	}
	if err == nil && d.begins(name, content[:len("Signature: ")+32]) {
		return nil
	}
	f, err := d.disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, content)
	return cmp.Or(err, f.Close())
}

func (d *Dir) begins(name, with string) bool {
	f, err := d.disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(with))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == with
}
