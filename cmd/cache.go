package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
)

func newCache(sh *shell) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "cache",
		Short: "Look after the answers that are kept on disk",
		Long:  "Cache looks after the answers that are kept on disk, so that what was answered once is not sent again.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("unknown command \"cache %s\"", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	add := func(use, short string, run func(c *cobra.Command, d *cache.Dir) error) {
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
				defer func() { _ = d.Close() }() // what it removed is gone already
				return run(c, d)
			},
		}
		group(sub.Flags(), groupCache, func(flags *pflag.FlagSet) { addCacheDir(flags, &dir) })
		c.AddCommand(sub)
	}
	where := &cobra.Command{
		Use: "dir", Short: "Print where the cache is", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			path, _ := missingCache(dir)
			_, err := fmt.Fprintln(sh.stdout, path)
			return err
		},
	}
	group(where.Flags(), groupCache, func(flags *pflag.FlagSet) { addCacheDir(flags, &dir) })
	c.AddCommand(where)
	add("size", "Print how much is in it", func(c *cobra.Command, d *cache.Dir) error {
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
			fmt.Fprintln(sh.stderr, partition.Printable(p.Error()))
		})
		if err != nil {
			return err
		}
		if problems > 0 {
			return &exitError{exitFailed, fmt.Errorf("%d damaged; they will be asked for again", problems)}
		}
		_, err = fmt.Fprintf(sh.stdout, "%s, no damage\n", usageLine(usage))
		return err
	})
	add("trim", "Remove what is old, then what is too much", func(c *cobra.Command, d *cache.Dir) error {
		trimmed, err := d.Trim(c.Context())
		if err != nil {
			return err
		}
		if trimmed.Deferred {
			_, err = fmt.Fprintln(sh.stdout, "nothing removed: runs are under way")
			return err
		}
		_, err = fmt.Fprintf(sh.stdout, "removed %s; %s left\n", usageLine(trimmed.Removed), usageLine(trimmed.Left))
		return err
	})
	add("clear", "Remove everything", func(c *cobra.Command, d *cache.Dir) error {
		usage, err := d.Clear(c.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sh.stdout, "removed %s\n", usageLine(usage))
		return err
	})
	return c
}

// missingCache is the path of the cache, and whether there is nothing yet: to look must not make it.
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
