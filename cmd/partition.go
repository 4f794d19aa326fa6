package cmd

import (
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
)

// partitionFlags are the flags of quire partition.
type partitionFlags struct {
	client clientFlags
	cache  cacheFlags
	params partition.Params

	name      string
	stdinList bool
	unordered bool

	walk walkFlags
	run  runFlags

	output   string
	form     formatFlags
	progress string
	quiet    bool
	verbose  bool
	logAs    string

	noSplit  bool
	mode     string
	scope    string
	password string

	flags *pflag.FlagSet
}

const partitionExample = `  quire partition report.pdf --local -f markdown
  quire partition report.pdf --strategy hi_res --languages eng,deu > report.json
  quire partition contracts/ -o out/ --summary run.json
  cat scan.pdf | quire partition - --name scan.pdf -f jsonl`

func newPartition(sh *shell) *cobra.Command {
	f := &partitionFlags{}
	c := &cobra.Command{
		Use:     "partition PATH...",
		Short:   "Turn files, folders or standard input (-) into elements",
		Long:    "Partition sends documents to the API and writes their elements to standard output or, with -o, to one file per document.",
		Example: partitionExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !f.stdinList && f.walk.filesFrom == "" && f.run.retryFailed == "" {
				return usageError("no documents: give files, folders, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.do(c.Context(), sh, args) },
	}
	f.add(c.Flags())
	return c
}

func (f *partitionFlags) add(flags *pflag.FlagSet) {
	f.flags = flags
	flags.SortFlags = false
	group(flags, groupInput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.name, "name", "", "file name that the server sees for the document on standard input")
		flags.BoolVar(&f.stdinList, "stdin-list", false,
			"read one document per line (a path or a JSON object {path, name, params, id}) and write one JSON line per document")
		flags.BoolVar(&f.unordered, "unordered", false, "with --stdin-list: write each line as soon as its document is done")
	})
	f.walk.add(flags)
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVarP(&f.output, "output", "o", "", "write outputs to this `folder`, as <path>.<format>; it is created if missing")
		flags.StringVar(&f.progress, "progress", screen.ProgressAuto, "how to show progress: auto, bar, plain (one line per document), json or none")
		flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only failures")
		flags.BoolVarP(&f.verbose, "verbose", "v", false, "print more: every document, every file left out, every attempt")
		flags.StringVar(&f.logAs, "log-format", "text", "format of the lines that -v prints: text or json")
	})
	f.form.add(flags)
	f.run.add(flags)
	group(flags, groupSplit, func(flags *pflag.FlagSet) {
		addSplitFlags(flags, &f.params.Split)
		flags.IntVar(&f.params.Split.MaxPages, "max-pages", 0, "refuse documents with more pages than this, before anything is sent")
		flags.BoolVar(&f.noSplit, "no-split", false, "send every document whole, in one request")
		flags.StringVar(&f.mode, "chunk-mode", "disk", "where to hold chunks and answers in transit: buffered (in memory) or disk")
		flags.BoolVar(&f.params.Split.AllowFailed, "allow-failed", false, "write the pages that were answered although others failed (exit code 3)")
		flags.BoolVar(&f.params.Split.Narrow, "narrow", false, "on failure, retry a chunk as two halves, down to single pages")
		flags.BoolVar(&f.params.Split.RepairParents, "repair-parents", false, "restore parent_id across chunks where it can be determined")
		flags.StringVar(&f.scope, "chunking-scope", "whole", "what to do with a PDF when --chunking-strategy is set: whole (send it whole), after (split it, and chunk all elements in a second request) or per_chunk (chunk the elements of each page chunk)")
		flags.StringVar(&f.password, "password-file", "", "`file` with the password for encrypted PDFs; their pages are not written to disk")
	})
	f.client.add(flags)
	f.cache.add(flags)
	group(flags, groupAPI, func(flags *pflag.FlagSet) { addParamFlags(flags, &f.params) })
}

// logger writes what -v shows.
func (f *partitionFlags) logger(c *screen.Console) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	var handler slog.Handler = slog.DiscardHandler
	switch f.logAs {
	case "text":
		if f.verbose && f.progress == screen.ProgressJSON {
			handler = slog.NewJSONHandler(c, options)
		} else if f.verbose {
			handler = slog.NewTextHandler(c, options)
		}
	case "json":
		if f.verbose {
			handler = slog.NewJSONHandler(c, options)
		}
	default:
		return nil, usageError("--log-format %q: must be text or json", f.logAs)
	}
	return slog.New(handler), nil
}
