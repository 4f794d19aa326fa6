package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/folder"
	pages "github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition/format"
)

const viewExample = `  quire view out/report.pdf.json > report.html
  quire view out/report.pdf.json -o report.html
  quire partition report.pdf --local -f jsonl | quire view - -o report.html`

func newView(sh *shell) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "view FILE",
		Short: "Show elements as an HTML page",
		Long: "View writes the elements in a file as one HTML page, with their types, tables and images, document page by document page.\n" +
			"The file must come from quire partition with -f json or -f jsonl; - means standard input. The HTML page has no script and\n" +
			"loads nothing.",
		Example: viewExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("expected one file of elements, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return view(c.Context(), sh, args[0], output) },
	}
	group(c.Flags(), groupOutput, func(flags *pflag.FlagSet) {
		flags.StringVarP(&output, "output", "o", "", "write the HTML page to this `file` instead of standard output")
	})
	return c
}

// view writes the page of the elements at path to output, or to standard output where that is
// empty: whole or not at all.
func view(ctx context.Context, sh *shell, path, output string) error {
	in, name, err := openElements(ctx, sh, path)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	write := func(page func(io.Writer) error) error {
		err := page(sh.stdout)
		if errors.Is(err, syscall.EPIPE) {
			return &exitError{exitBrokenPipe, nil}
		}
		return err
	}
	if output != "" {
		if sameFile(path, output) {
			return usageError("-o %s would overwrite the input file", output)
		}
		file, err := folder.OpenFile("page", output, sh.disk())
		if err != nil {
			return err
		}
		defer file.Discard() // nothing, once it is in its place
		write = file.Fill
	}
	scratch := newScratch()
	defer func() { _ = scratch.Close() }() // the page is made
	body := scratch.NewStore()
	buffered := bufio.NewWriterSize(body.Create(), 64<<10)
	v := pages.NewView(name, buffered)
	for e, err := range format.Read(in) {
		if stop := interruption(ctx); stop != nil {
			return stop
		}
		if err == nil {
			err = v.Element(e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return write(func(w io.Writer) error { return v.Write(w, func(w io.Writer) error { return copyStore(w, body) }) })
}

// openElements opens a file, or standard input, and returns how it is called. An interrupt ends the
// waiting for standard input.
func openElements(ctx context.Context, sh *shell, path string) (io.ReadCloser, string, error) {
	if path != walk.Stdin {
		file, err := folder.OpenInput(path)
		if err != nil {
			return nil, "", errors.New(words.PathError(path, err))
		}
		return file, path, nil
	}
	return interruptible(ctx, sh.stdin), "standard input", nil
}

// sameFile reports whether two paths lead to one file that exists.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
