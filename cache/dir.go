// Package cache keeps immutable results on disk, each under the hash of what produced it.
//
// A [Dir] is a directory of entries. [Dir.Put] stores an entry for every process of the same user.
// [Dir.Get] checks the whole entry before it returns it, so that damage of any kind is a miss and
// never wrong data. A process may be killed at any moment: what it leaves behind is removed by the
// next one.
//
// Get and Put are all that a program has to call. Put trims the directory now and then, see
// [Dir.Trim] for what goes and what stays.
//
// The way of an entry: Put writes it to a file below runs/, in a directory of this process that a
// lock marks as in use; syncs the file; and renames it to entries/ab/abcd..., named by its key. Get
// opens that file, compares key and checksum, and sets its modification time, which is how a trim
// knows when an entry was last used.
package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// The limits that a zero field of [Options] stands for.
const (
	DefaultMaxAge  = 30 * 24 * time.Hour
	DefaultMaxSize = 10_000_000_000 // bytes
)

// Options are the limits of a directory. The zero value is ready to use.
type Options struct {
	// MaxAge is how long an entry stays that nobody uses. Zero is [DefaultMaxAge], less than zero
	// is for ever. Anything below seven days counts as seven days.
	MaxAge time.Duration
	// MaxSize is how many bytes all entries together may have. Zero is [DefaultMaxSize], less than
	// zero is no limit. While entries were used in the last 24 hours the directory may hold up to
	// twice as much. No single entry may be larger than MaxSize.
	MaxSize int64
	// Warn is called with every damaged entry that Get finds, as a *[Problem]. It is also called
	// once when the directory cannot be read or written, with an error that is [ErrUnavailable];
	// once when the file system has no fsync or no file locks; and once when the directory holds
	// more than MaxSize because all of it was used in the last 24 hours. Several goroutines may
	// call it at once. Nil ignores all of that.
	Warn func(error)

	now func() time.Time // for tests; nil is time.Now
}

// Dir is a directory of entries. Its methods may be called by several goroutines at once, and any
// number of Dirs, in this process and in others, may be open on one directory.
type Dir struct {
	path    string
	disk    disk
	options Options
	clock   mark // as the last trim before Open left it

	mu       sync.Mutex
	transit  *transit // nil until something is written
	closed   bool
	added    int64     // bytes that Put has stored since it last looked whether a trim is due
	nextTrim time.Time // by this time a trim is due
	trimming bool      // a Put of this Dir is at it

	puts  sync.WaitGroup // under way
	files atomic.Uint64  // names given to files and directories in transit
	full  atomic.Bool    // the last Put could not write

	warnedUnavailable, warnedUnsupported, warnedSize sync.Once
}

// DefaultPath returns where a user's answers are: quire/answers in [os.UserCacheDir], which honours
// $XDG_CACHE_HOME. The error is [ErrUnavailable].
func DefaultPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", unavailable(err)
	}
	return filepath.Join(dir, "quire", "answers"), nil
}

// Open opens the directory. A missing one is made, for this user alone, with a README and with a
// CACHEDIR.TAG that tells backups to skip it. One that can be read but not written is opened too;
// every Put then fails.
//
// The error is [ErrUnavailable] where the directory cannot be made or opened; where others than
// this user and root own it or a directory above it, or may write to one of these; and where it has
// files in it that are not a cache's. Above it, others may write to a directory with the sticky
// bit, such as /tmp, and the group may where it is the user's own (its number is the user's).
// Windows has no such check. The mode of the directory is never changed.
func Open(path string, o Options) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, unavailable(err)
	}
	if err := checkOwners(path, os.Geteuid()); err != nil {
		return nil, unavailable(err)
	}
	if err := os.MkdirAll(path, dirMode); err != nil {
		return nil, unavailable(err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unavailable(err)
	}
	d, err := open(path, rootDisk{root}, o)
	if err != nil {
		_ = root.Close()
		return nil, unavailable(err)
	}
	return d, nil
}

func open(path string, on disk, o Options) (*Dir, error) {
	if o.MaxAge == 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.MaxSize == 0 {
		o.MaxSize = DefaultMaxSize
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	d := &Dir{path: path, disk: on, options: o}
	if err := d.checkPlace(); err != nil {
		return nil, err
	}
	if err := d.layOut(); err != nil {
		return nil, err
	}
	d.clock = d.readMark()
	return d, nil
}

// checkPlace refuses a directory that others may write to, or that is not for a cache.
func (d *Dir) checkPlace() error {
	self, err := d.disk.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer self.Close()
	info, err := self.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows" {
		return writable(d.path, info)
	}
	for {
		entries, err := self.ReadDir(64)
		for _, e := range entries {
			if ours(e.Name()) {
				continue
			}
			if _, err := d.disk.Lstat(tagName); err != nil {
				return fmt.Errorf("%s: it has %q in it and is no cache: choose an empty directory, or a new one", d.path, e.Name())
			}
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Close waits for every Put under way, removes the directories of [Dir.Scratch], and closes the
// directory. Entries stay. Closing again does nothing.
func (d *Dir) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	d.puts.Wait()
	var err error
	if d.transit != nil {
		err = d.leave(d.transit)
	}
	if err = cmp.Or(err, d.disk.Close()); err != nil {
		return unavailable(err)
	}
	return nil
}
