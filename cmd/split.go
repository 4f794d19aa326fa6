package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// splitFlags are the flags of quire split.
type splitFlags struct {
	output   string
	settings partition.Split
	password string
	check    bool
	verbose  bool
	kinds    bool
}

const splitExample = `  quire split report.pdf -o chunks/
  quire split report.pdf -o chunks/ --pages 10-60 --split-concurrency 5
  quire split report.pdf --kinds`

func newSplit(sh *shell) *cobra.Command {
	f := &splitFlags{}
	c := &cobra.Command{
		Use:   "split FILE -o DIR | split FILE --kinds",
		Short: "Write the page chunks of a PDF to files",
		Long: "Split cuts a PDF into the page chunks that quire partition would send. It writes each chunk to a file called\n" +
			"<name>.<first page>-<last page>.pdf, and prints the path, pages and size of each.\n\n" +
			"With --kinds it writes no chunks. It prints a line for each run of pages of one kind, as \"1-12 text\". The kinds are text,\n" +
			"scan (a large picture without visible text), mixed (text beside pictures or drawings), table (text in a grid of lines),\n" +
			"blank and unknown.",
		Example: splitExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("expected one PDF, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), sh, args[0]) },
	}
	group(c.Flags(), groupOutput, func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.output, "output", "o", "", "write the chunks to this `folder`; it is created if missing")
		flags.BoolVar(&f.kinds, "kinds", false, "print what kind of page each is, and write no chunks")
		flags.BoolVarP(&f.verbose, "verbose", "v", false, "print how the PDF was read, and whether it is damaged")
	})
	group(c.Flags(), groupSplit, func(flags *pflag.FlagSet) {
		addSplitFlags(flags, &f.settings)
		flags.BoolVar(&f.check, "check", false, "open each chunk again and check its page count")
		flags.StringVar(&f.password, "password-file", "", "`file` with the PDF's password")
	})
	return c
}

func (f *splitFlags) run(ctx context.Context, sh *shell, path string) (err error) {
	if f.kinds && (f.output != "" || f.check) {
		return usageError("--kinds writes no chunks: leave out -o and --check")
	}
	if f.output == "" && !f.kinds {
		return usageError("-o DIR is missing: the folder for the chunks")
	}
	if c := f.settings.Concurrency; c < 1 || c > 50 {
		return usageError("--split-concurrency %d: must be 1 to 50", c)
	}
	options := split.Options{}
	if f.password != "" {
		if options.Password, err = readPassword(f.password); err != nil {
			return err
		}
	}
	file, err := folder.OpenInput(path)
	if err != nil {
		return errors.New(words.PathError(path, err))
	}
	defer file.Close() // it was only read
	info, err := file.Stat()
	if err != nil {
		return errors.New(words.PathError(path, err))
	}
	if !info.Mode().IsRegular() {
		return usageError("%s: not a file", path)
	}
	document, err := split.Open(ctx, file, info.Size(), options)
	if err != nil {
		return splitError(ctx, path, err)
	}
	defer func() { _ = document.Close() }() // it holds memory only: the file is closed after it
	wanted, err := f.wanted(document.Pages())
	if err != nil {
		return err
	}
	if f.kinds {
		f.describe(sh, document, path)
		return printKinds(ctx, sh, document, wanted, path)
	}
	out, err := folder.Open(f.output, sh.disk())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	f.describe(sh, document, path)
	return f.write(ctx, sh, document, wanted.Plan(f.settings.Concurrency), out, path)
}

// describe says how the document was read, if asked, and what is wrong with it.
func (f *splitFlags) describe(sh *shell, document *split.Document, path string) {
	if f.verbose {
		fmt.Fprintf(sh.stderr, "%s: %s\n", wire.Printable(path), readAs[document.Reader()])
	}
	for _, warning := range document.Warnings() {
		fmt.Fprintf(sh.stderr, "warning: %s: %s\n", wire.Printable(path), wire.Printable(warning))
	}
}

// printKinds prints a line for each run of pages of one kind.
func printKinds(ctx context.Context, sh *shell, document *split.Document, pages split.PageRange, path string) error {
	kinds, err := document.PageKinds(ctx, pages)
	if err != nil {
		return splitError(ctx, path, err)
	}
	for first := 0; first < len(kinds); {
		last := first
		for last+1 < len(kinds) && kinds[last+1] == kinds[first] {
			last++
		}
		r := split.PageRange{First: pages.First + first, Last: pages.First + last}
		if _, err := fmt.Fprintf(sh.stdout, "%s %s\n", r, kinds[first]); err != nil {
			return err
		}
		first = last + 1
	}
	return nil
}

// readAs says how a document was read.
var readAs = map[split.Reader]string{
	split.ReaderTable: "read with its cross-reference table",
	split.ReaderScan:  "its cross-reference table is broken: read by searching the file for objects",
	split.ReaderWhole: "badly damaged: read by parsing the whole file",
}

// wanted are the pages that were asked for.
func (f *splitFlags) wanted(pages int) (split.PageRange, error) {
	wanted := split.PageRange{First: 1, Last: pages}
	if f.settings.Pages != (split.PageRange{}) {
		wanted = f.settings.Pages
	}
	if wanted.Last > pages {
		return split.PageRange{}, usageError("page range %s: the document only has pages 1-%d", wanted, pages)
	}
	return wanted, nil
}

func (f *splitFlags) write(
	ctx context.Context, sh *shell, document *split.Document, ranges []split.PageRange, out *folder.Folder, path string,
) error {
	bytes, warnings := int64(0), len(document.Warnings())
	base := filepath.Base(path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	for _, pages := range ranges {
		chunk, err := document.Chunk(ctx, pages)
		if err != nil {
			return splitError(ctx, fmt.Sprintf("%s pages %s", path, pages), err)
		}
		name := fmt.Sprintf("%s.%d-%d.pdf", stem, pages.First, pages.Last)
		if err := writeChunk(out, name, chunk); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(f.output, name), words.Reason(err))
		}
		if f.check {
			if err := checkChunk(ctx, chunk, pages); err != nil {
				return splitError(ctx, name, err)
			}
		}
		bytes += chunk.Size()
		warnings += len(chunk.Warnings())
		for _, warning := range chunk.Warnings() {
			fmt.Fprintf(sh.stderr, "warning: %s: %s\n", wire.Printable(name), wire.Printable(warning))
		}
		if _, err := fmt.Fprintf(sh.stdout, "%s\tpages %s\t%d bytes\n",
			wire.Printable(filepath.Join(f.output, name)), pages, chunk.Size()); err != nil {
			return err
		}
	}
	checked := ""
	if f.check {
		checked = ", page counts checked"
	}
	fmt.Fprintf(sh.stderr, "%s, %d of %d pages, %d bytes, %s%s\n", words.Count(len(ranges), "chunk"),
		ranges[len(ranges)-1].Last-ranges[0].First+1, document.Pages(), bytes, words.Count(warnings, "warning"), checked)
	return nil
}

// checkChunk opens a chunk as a server would, and counts.
func checkChunk(ctx context.Context, chunk *split.Chunk, pages split.PageRange) error {
	again, err := split.Open(ctx, chunk, chunk.Size(), split.Options{})
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	defer func() { _ = again.Close() }() // it holds memory only
	if again.Pages() != pages.Len() {
		return fmt.Errorf("check: the chunk has %d pages instead of %d", again.Pages(), pages.Len())
	}
	return nil
}

func writeChunk(out *folder.Folder, name string, chunk *split.Chunk) error {
	file, err := out.Create(name)
	if err != nil {
		return err
	}
	if _, err := chunk.WriteTo(file); err != nil {
		file.Discard()
		return err
	}
	return file.Commit()
}

func splitError(ctx context.Context, subject string, err error) error {
	if stop := interruption(ctx); stop != nil {
		return stop
	}
	return fmt.Errorf("%s: %w", subject, err)
}

func readPassword(path string) (string, error) {
	password, err := folder.ReadInput(path)
	if err != nil {
		return "", usageError("password: %s", err)
	}
	return strings.TrimRight(string(password), "\r\n"), nil
}
