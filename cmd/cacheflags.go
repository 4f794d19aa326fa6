package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// cacheFlags are the flags for the cache.
type cacheFlags struct {
	dir     string
	off     bool
	refresh bool
	maxAge  time.Duration
	maxSize int64
	grace   time.Duration
}

func (f *cacheFlags) add(flags *pflag.FlagSet) {
	group(flags, groupCache, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		addCacheDir(flags, &f.dir)
		flags.BoolVar(&f.off, "no-cache", false, "do not use the cache")
		flags.BoolVar(&f.refresh, "refresh", false, "send every request, even if its answer is cached, and store the new answers")
		flags.DurationVar(&f.maxAge, "cache-max-age", cache.DefaultMaxAge, "remove cached answers that were not used for this long; values below 168h count as 168h")
		flags.Int64Var(&f.maxSize, "cache-max-size", cache.DefaultMaxSize, "limit on the size of the cache, in bytes; beyond it the least recently used answers are removed, but answers used in the last 24 hours may fill twice this size")
		flags.DurationVar(&f.grace, "grace", wire.DefaultGrace, "when a document or the run ends early, wait this long for the answers to requests already sent, and cache them")
	})
}

func addCacheDir(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "cache-dir", "", "`folder` of the cache (default quire/answers in the user's cache folder)")
}

// openCache opens the cache in dir, or in the user's cache folder if dir is empty.
func openCache(dir string, o cache.Options) (*cache.Dir, error) {
	if dir == "" {
		var err error
		if dir, err = cache.DefaultPath(); err != nil {
			return nil, err
		}
	}
	return cache.Open(dir, o)
}

// open opens the cache for a run. It is nil with --no-cache. One that cannot be opened is an error
// where it was asked for by name; else it is a warning, and the cache is nil.
func (f *cacheFlags) open(c *screen.Console) (*cache.Dir, error) {
	switch {
	case f.off && f.refresh:
		return nil, usageError("--no-cache and --refresh cannot be used together")
	case f.maxAge < 0 || f.maxSize < 0 || f.grace < 0:
		return nil, usageError("--cache-max-age, --cache-max-size and --grace must not be negative")
	case f.off:
		return nil, nil
	}
	dir, err := openCache(f.dir, cache.Options{MaxAge: limit(f.maxAge), MaxSize: limit(f.maxSize), Warn: c.Warn})
	if err != nil && f.dir != "" {
		return nil, unusableCache(err)
	}
	if err != nil {
		c.Remark("warning: %s; continuing without a cache", wire.Printable(err.Error()))
		return nil, nil
	}
	return dir, nil
}

// openForWriting is open for a run that is about to pay for answers: a cache that was asked for by
// name must also take them.
func (f *cacheFlags) openForWriting(c *screen.Console) (*cache.Dir, error) {
	dir, err := f.open(c)
	if dir == nil || f.dir == "" {
		return dir, err
	}
	if err := proveWritable(dir); err != nil {
		return nil, errors.Join(unusableCache(err), closeCache(dir))
	}
	return dir, nil
}

func proveWritable(dir *cache.Dir) error {
	scratch, err := dir.Scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) // what stays goes with the cache's own
	return os.WriteFile(filepath.Join(scratch, "probe"), make([]byte, probeSize), 0o600)
}

// probeSize is what a disk must have room for, in bytes: a block.
const probeSize = 4 << 10

func unusableCache(err error) error {
	return &exitError{exitFailed, fmt.Errorf("--cache-dir: %w (a cache is for one user, who may use it from several machines; "+
		"--no-cache does without)", err)}
}

// limit makes a limit of 0 the smallest one there is, where the cache would take it for its
// default.
func limit[T time.Duration | int64](given T) T {
	return max(given, 1)
}

// options returns the client's options for this cache.
func (f *cacheFlags) options(dir *cache.Dir) []partition.Option {
	if dir == nil {
		return nil
	}
	options := []partition.Option{partition.WithCache(dir), partition.WithGrace(f.grace)}
	if f.refresh {
		options = append(options, partition.WithRefresh())
	}
	return options
}

// closeCache closes the cache of a run, nil if there is none.
func closeCache(dir *cache.Dir) error {
	if dir == nil {
		return nil
	}
	if err := dir.Close(); !errors.Is(err, cache.ErrUnavailable) {
		return err
	}
	return nil // there was a warning when it happened, and nothing is lost
}
