package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition/wire"
)

func newCache(sh *shell) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "cache",
		Short: "Show, check and clean up the answers on disk",
		Long: "Quire stores every answer of the API on disk, so that the same page is not sent, and paid, twice. These commands show,\n" +
			"check and clean up what is stored. Runs clean up by themselves: see --cache-max-age and --cache-max-size of quire\npartition.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("unknown command \"cache %s\"", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	add := func(use, short string, run func(c *cobra.Command, d *cache.Dir) error) *cobra.Command {
		sub := &cobra.Command{
			Use: use, Short: short, Args: noArguments,
			RunE: func(c *cobra.Command, _ []string) error {
				if path, missing := missingCache(dir); missing {
					_, err := fmt.Fprintln(sh.stdout, path+": no cache yet")
					return err
				}
				d, err := openCache(dir, cache.Options{})
				if err != nil {
					return err
				}
				defer func() { _ = d.Close() }() // nothing is under way
				return run(c, d)
			},
		}
		group(sub.Flags(), groupCache, func(flags *pflag.FlagSet) { addCacheDir(flags, &dir) })
		c.AddCommand(sub)
		return sub
	}
	where := &cobra.Command{
		Use: "dir", Short: "Print the path of the cache", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			path, _ := missingCache(dir)
			_, err := fmt.Fprintln(sh.stdout, path)
			return err
		},
	}
	group(where.Flags(), groupCache, func(flags *pflag.FlagSet) { addCacheDir(flags, &dir) })
	c.AddCommand(where)
	add("size", "Print how many answers it holds, and their size", func(c *cobra.Command, d *cache.Dir) error {
		usage, err := d.Size(c.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(sh.stdout, usageLine(usage))
		return err
	})
	add("verify", "Read every answer and check it", func(c *cobra.Command, d *cache.Dir) error {
		problems := 0
		usage, err := d.Verify(c.Context(), func(p *cache.Problem) {
			problems++
			fmt.Fprintln(sh.stderr, wire.Printable(p.Error()))
		})
		if err != nil {
			return err
		}
		if problems > 0 {
			return &exitError{exitFailed, fmt.Errorf("%d damaged; a run sends those pages again", problems)}
		}
		_, err = fmt.Fprintf(sh.stdout, "%s, no damage\n", usageLine(usage))
		return err
	})
	size := byteSize(-1)
	trim := add("trim", "Remove answers not used for 30 days, and the oldest of a cache that is too large",
		func(c *cobra.Command, d *cache.Dir) error { return trimCache(c, sh, d, int64(size)) })
	trim.Long = fmt.Sprintf(`Trim removes the answers that were not used for %d days. If more than %s remain, it removes those not used
for longest. Answers used in the last 24 hours then stay, up to twice that size. With --max-size, it obeys that
size exactly.`, cache.DefaultMaxAge/(24*time.Hour), words.Size(cache.DefaultMaxSize))
	group(trim.Flags(), groupCache, func(flags *pflag.FlagSet) {
		flags.Var(&size, "max-size", "remove the answers not used for longest until no more than this is left")
		flags.Lookup("max-size").DefValue = ""
	})
	add("clear", "Remove all answers", func(c *cobra.Command, d *cache.Dir) error {
		usage, err := d.Clear(c.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sh.stdout, "removed %s\n", usageLine(usage))
		return err
	})
	return c
}

// trimCache trims to a size in bytes, or, where it is negative, to the limits of the cache.
func trimCache(c *cobra.Command, sh *shell, d *cache.Dir, size int64) error {
	var trimmed cache.Trimmed
	var err error
	if size < 0 {
		trimmed, err = d.Trim(c.Context())
	} else {
		trimmed, err = d.TrimTo(c.Context(), size)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(sh.stdout, "removed %s; %s left\n", usageLine(trimmed.Removed), usageLine(trimmed.Left))
	if err == nil && trimmed.Over > 0 {
		_, err = fmt.Fprintf(sh.stdout, "that is %s over the limit of %s: all of it was used in the last 24 hours; --max-size removes it too\n",
			words.Size(trimmed.Over), words.Size(cache.DefaultMaxSize))
	}
	return err
}

// missingCache is the path of the cache, and whether there is nothing yet: looking at a cache must
// not make one.
func missingCache(dir string) (path string, missing bool) {
	if dir == "" {
		dir, _ = cache.DefaultPath() // without one, opening it says why
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	_, err := os.Stat(dir)
	return dir, errors.Is(err, fs.ErrNotExist)
}

func usageLine(u cache.Usage) string {
	return fmt.Sprintf("%s, %s", words.Count(u.Entries, "answer"), words.Count(int(u.Bytes), "byte"))
}
