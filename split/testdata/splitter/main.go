//go:build unix

// Splitter cuts a PDF into files of n pages: how many at once, input, folder,
// n. The benchmark runs it beside other programs; it links
// nothing but the package.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/split"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(atOnce, name, folder, pages string) error {
	workers, err := strconv.Atoi(atOnce)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(pages)
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	d, err := split.Open(context.Background(), f, info.Size(), split.Options{})
	if err != nil {
		return err
	}
	var first float64
	cut := func(page int) error {
		c, err := d.Chunk(context.Background(), split.PageRange{First: page, Last: min(page+n-1, d.Pages())})
		if err != nil {
			return err
		}
		if page == 1 {
			first = used()
		}
		return save(c, filepath.Join(folder, c.Pages().String()+".pdf"))
	}
	var group errgroup.Group
	group.SetLimit(workers)
	for page := 1; page <= d.Pages(); page += n {
		group.Go(func() error { return cut(page) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{"first": first, "all": used()})
}

// used returns the CPU seconds of the process so far: on a busy machine they say
// more than the clock.
func used() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func save(c *split.Chunk, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(f)
	return errors.Join(err, f.Close())
}
