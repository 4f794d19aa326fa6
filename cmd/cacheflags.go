package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
)

// cacheFlags say where answers are kept.
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
		flags.BoolVar(&f.off, "no-cache", false, "neither read nor write the cache")
		flags.BoolVar(&f.refresh, "refresh", false, "send what is in the cache too, and store the new answers")
		flags.DurationVar(&f.maxAge, "cache-max-age", cache.DefaultMaxAge, "how long an answer stays that nobody asks for")
		flags.Int64Var(&f.maxSize, "cache-max-size", cache.DefaultMaxSize, "bytes that the cache is brought down to between runs")
		flags.DurationVar(&f.grace, "grace", partition.DefaultGrace, "time for requests already sent when a document or the run ends early")
	})
}

func addCacheDir(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "cache-dir", "", "directory of the cache (default quire/answers in the user's cache directory)")
}

// openCache opens the directory that was named, else the user's own.
func openCache(dir string, o cache.Options) (*cache.Dir, error) {
	if dir == "" {
		var err error
		if dir, err = cache.DefaultPath(); err != nil {
			return nil, err
		}
	}
	return cache.Open(dir, o)
}

// open opens the cache for a run. One that cannot be opened is said, and the run goes on without it.
func (f *cacheFlags) open(c *screen.Console) (*cache.Dir, error) {
	switch {
	case f.off && f.refresh:
		return nil, usageError("--no-cache and --refresh exclude each other")
	case f.maxAge < 0 || f.maxSize < 0 || f.grace < 0:
		return nil, usageError("--cache-max-age, --cache-max-size and --grace must not be negative")
	case f.off:
		return nil, nil
	}
	dir, err := openCache(f.dir, cache.Options{MaxAge: limit(f.maxAge), MaxSize: limit(f.maxSize), Warn: c.Warn})
	if err != nil {
		c.Remark("warning: %s; going on without a cache", partition.Printable(err.Error()))
		return nil, nil
	}
	return dir, nil
}

// limit makes a limit of 0 mean that nothing is kept, as it says, where the cache takes it for its default.
func limit[T time.Duration | int64](given T) T {
	return max(given, 1)
}

// options are the client's for this cache.
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

// finishCache ends a run's use of the cache. After a run that left nothing to do the cache may be trimmed.
func finishCache(ctx context.Context, dir *cache.Dir, complete bool) error {
	if dir == nil {
		return nil
	}
	var err error
	if complete && ctx.Err() == nil {
		if err = dir.Finish(); err == nil {
			_, err = dir.Trim(ctx)
		}
	}
	err = errors.Join(err, dir.Close())
	if errors.Is(err, cache.ErrUnavailable) {
		return nil // it was said when it happened, and nothing is lost
	}
	return err
}
