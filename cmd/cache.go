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
		Long: "Quire stores every answer of the API on disk, so that you do not pay for the same page twice. These commands show, check\n" +
			"and clean up the stored answers. Runs also clean up on their own: see --cache-max-age and --cache-max-size of\n" +
			"quire partition.",
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
	add("size", "Print how many answers the cache holds, and their size", func(c *cobra.Command, d *cache.Dir) error {
		usage, err := d.Size(c.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(sh.stdout, usageLine(usage))
		return err
	})
	add("verify", "Check every answer in the cache for damage", func(c *cobra.Command, d *cache.Dir) error {
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
	force := false
	addForce := func(flags *pflag.FlagSet) {
		flags.BoolVar(&force, "force", false, "remove answers even if a program is using the cache")
	}
	size := byteSize(-1)
	trim := add("trim", "Remove answers not used for 30 days; in a large cache, also the least recently used",
		func(c *cobra.Command, d *cache.Dir) error {
			if size >= 0 {
				if err := checkUnused(c, d, force); err != nil {
					return err
				}
			}
			return trimCache(c, sh, d, int64(size))
		})
	trim.Long = fmt.Sprintf(`Trim removes the answers that were not used for %d days. If more than %s remain, it also removes the least recently
used ones, but answers used in the last 24 hours may fill twice that size. With --max-size,
that size is a strict limit, for recent answers too; it is refused while a program is using the cache, as clear is.`, cache.DefaultMaxAge/(24*time.Hour), words.Size(cache.DefaultMaxSize))
	group(trim.Flags(), groupCache, func(flags *pflag.FlagSet) {
		flags.Var(&size, "max-size", "remove the least recently used answers until the cache is no larger than this")
		flags.Lookup("max-size").DefValue = ""
		addForce(flags)
	})
	wipe := add("clear", "Remove all answers from the cache", func(c *cobra.Command, d *cache.Dir) error {
		if err := checkUnused(c, d, force); err != nil {
			return err
		}
		usage, err := d.Clear(c.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sh.stdout, "removed %s\n", usageLine(usage))
		return err
	})
	wipe.Long = `Clear removes all answers from the cache. While a program is using the cache, clear refuses: if that program were stopped
before its documents are done, it would pay for their pages again. Wait for it to end, or use --force.`
	group(wipe.Flags(), groupCache, addForce)
	return c
}

// checkUnused refuses to remove answers that a process may need again: it has paid for them, but
// its documents are not done.
func checkUnused(c *cobra.Command, d *cache.Dir, force bool) error {
	if force {
		return nil
	}
	others, err := d.InUse(c.Context())
	if err != nil {
		return err
	}
	if others == 0 {
		return nil
	}
	return &exitError{exitFailed, fmt.Errorf("nothing removed: the cache is in use by %s, which would pay for its pages again if stopped; "+
		"wait until it has ended, or use --force", words.Count(others, "other program"))}
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
