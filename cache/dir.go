// Package cache keeps immutable results on disk. The key of each is the hash of what produced it.
//
// A [Dir] is a directory of entries. [Dir.Put] stores an entry, which all processes of the same
// user can read. [Dir.Get] checks the whole entry before it returns it, so that a damaged entry is
// a miss and never wrong data. A process may be killed at any time: the next one removes what it
// left behind.
//
// Processes that work side by side use [Dir.Claim], so that only one of them makes an entry.
//
// A program only has to call Get and Put. Put trims the directory from time to time; [Dir.Trim]
// says which entries it removes.
//
// Put writes an entry to a file below runs/, in a directory of this process that a lock marks as in
// use. It syncs the file and renames it to entries/ab/abcd..., the key in hexadecimal. Get opens
// that file, checks its key and checksum, and sets its modification time, so that a trim knows when
// the entry was last used.
package cache

import (
	"cmp"
	"context"
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

// The defaults of [Options].
const (
	DefaultMaxAge  = 30 * 24 * time.Hour
	DefaultMaxSize = 10_000_000_000 // bytes
)

// Options are the limits of a directory. The zero value is ready to use.
type Options struct {
	// MaxAge is how long an unused entry is kept. Zero means [DefaultMaxAge], less than zero
	// forever. Less than seven days counts as seven days.
	MaxAge time.Duration
	// MaxSize is how many bytes all entries together may have. Zero means [DefaultMaxSize], less
	// than zero no limit. To keep entries used in the last 24 hours, the directory may hold up to
	// twice as much. No single entry may be larger than MaxSize.
	MaxSize int64
	// Warn is called with every damaged entry that Get finds, as a *[Problem]. It is also called
	// once when the directory cannot be read or written, with an [ErrUnavailable]; once when the
	// file system has no fsync or no file locks; and once when the directory holds more than
	// MaxSize because all of it was used in the last 24 hours. Several goroutines may call it at
	// once. If it is nil, all this is ignored.
	Warn func(error)

	now func() time.Time // for tests; nil is time.Now
}

// Dir is a directory of entries. Several goroutines may call its methods at once. Any number of
// Dirs, in this process and in others, may share one directory.
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

	noLocks atomic.Bool // the file system has none

	warnedUnavailable, warnedUnsupported, warnedSize sync.Once
}

// DefaultPath returns the default directory: quire/answers in [os.UserCacheDir], which honours
// $XDG_CACHE_HOME. The error is [ErrUnavailable].
func DefaultPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", unavailable(err)
	}
	return filepath.Join(dir, "quire", "answers"), nil
}

// Open opens the directory. If it is missing, Open makes it, for this user alone, with a README and
// a CACHEDIR.TAG that tells backups to skip it. A read-only directory is opened too, but every Put
// then fails.
//
// The error is [ErrUnavailable] if the directory cannot be made or opened, or has files in it that
// are not a cache's. It is also ErrUnavailable if anyone but this user and root owns the directory
// or one above it, or may write to one of them. Two cases are allowed above it: a directory with
// the sticky bit, such as /tmp, and a directory that the user's own group (with the same number as
// the user) may write to. Windows has no such check. Open never changes the mode of the directory.
func Open(path string, o Options) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, unavailable(err)
	}
	if err := CheckOwners(path); err != nil {
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
				return fmt.Errorf("%s: it contains %q and is not a cache: choose an empty or a new directory", d.path, e.Name())
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

var errNotOpened = errors.New("the directory was not opened by Open")

// check returns why a call cannot begin, nil where it can.
func (d *Dir) check(ctx context.Context) error {
	switch {
	case d == nil || d.disk == nil:
		return unavailable(errNotOpened)
	case ctx == nil:
		return errors.New("cache: the context is nil")
	default:
		return context.Cause(ctx)
	}
}

// Close waits for every Put under way, removes the directories of [Dir.Scratch], and closes the
// directory. Entries are kept. Further calls do nothing.
func (d *Dir) Close() error {
	if d == nil || d.disk == nil {
		return nil
	}
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
