// Package cache keeps immutable results on disk, keyed by the hash of what
// produced them.
//
// A [Dir] is a directory of entries. What [Dir.Put] has stored is there for
// every process of the same user until it is trimmed, and [Dir.Get] hands it out
// only after its checksum was found right: damage of any kind is a miss, never
// wrong data. A process that is killed at any moment leaves nothing behind but
// files that the next one sweeps away.
//
// The first Get or Put of a Dir begins a run. What a run has used is safe from
// trimming until [Dir.Finish] says that it is done, or, where it never is,
// because it was killed or failed, for a week: so that a later run can resume
// it.
package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// The limits of [Options] where nothing else is said.
const (
	DefaultMaxAge  = 30 * 24 * time.Hour
	DefaultMaxSize = 10_000_000_000
)

// Options say how long a directory keeps things. The zero value is ready to use.
type Options struct {
	// MaxAge is how long an entry stays that nobody uses: 0 is [DefaultMaxAge],
	// less is for ever.
	MaxAge time.Duration
	// MaxSize is what [Dir.Trim] brings the directory down to, in bytes: 0 is
	// [DefaultMaxSize], less is no limit. A single entry is never larger.
	MaxSize int64
	// Warn gets every damaged entry, as a *[Problem], and the first time that
	// the directory cannot be read or written, as an error that is
	// [ErrUnavailable]. It may be called by several goroutines at once; nil is
	// silent.
	Warn func(error)
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// Dir is a directory of entries. Its methods may be called from several
// goroutines at once, and any number of Dirs, in this process or in others, may
// be open on one directory.
type Dir struct {
	path    string
	disk    disk
	options Options
	clock   mark // as the last trim before Open left it

	mu     sync.Mutex
	run    *run
	runErr error // why the last try to begin one failed
	closed bool

	warned sync.Once
}

// DefaultPath is where the user's answers are: quire/answers in
// [os.UserCacheDir], which honours $XDG_CACHE_HOME.
func DefaultPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", unavailable(err)
	}
	return filepath.Join(dir, "quire", "answers"), nil
}

// Open opens the directory, and makes it where it is missing: for the user
// alone, with a CACHEDIR.TAG that tells backups to pass it over and a README. One
// that can be read but not written is opened too: then every Put fails.
//
// The error is [ErrUnavailable]: it cannot be made or opened, users other than
// its owner may write to it, or it has content but is no cache, as nothing is
// put in between the files of others. Its mode is never changed.
func Open(path string, o Options) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
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
	if o.Now == nil {
		o.Now = time.Now
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

// checkPlace refuses a directory that cannot be trusted, or is not for a cache.
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
	if mode := info.Mode().Perm(); mode&0o022 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s: other users may write to it (mode %#o): chmod go-w, or choose another directory", d.path, mode)
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

// Path is the directory's absolute path.
func (d *Dir) Path() string { return d.path }

// Finish says that the run is done: what it used is subject to trimming again,
// and its scratch directories are removed. It waits for every Put under way. The
// next Get or Put begins another run: a process that goes on for long finishes
// between its jobs.
func (d *Dir) Finish() error { return d.endRun(true) }

// Close removes the run's scratch directories and lets the directory go. A run
// that was not finished stays marked as such, just as if the process had been
// killed. Closing again does nothing.
func (d *Dir) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	return cmp.Or(d.endRun(false), d.disk.Close())
}

func (d *Dir) endRun(finished bool) error {
	d.mu.Lock()
	r := d.run
	d.run, d.runErr = nil, nil
	d.mu.Unlock()
	if r == nil {
		return nil
	}
	if err := r.end(finished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}
