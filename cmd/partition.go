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
		Long:    "Partition sends documents to the API. It writes their elements to standard output or, with -o, to one file per document.",
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
		flags.StringVar(&f.name, "name", "", "file name to use for the document on standard input")
		flags.BoolVar(&f.stdinList, "stdin-list", false,
			"read a list of documents from standard input, one per line (a path or a JSON object {path, name, params, id}), and write one JSON line for each: with the elements, with an error, or with both if pages are missing")
		flags.BoolVar(&f.unordered, "unordered", false, "with --stdin-list: write each line as soon as its document is done, not in the order of the list")
	})
	f.walk.add(flags)
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVarP(&f.output, "output", "o", "", "write one file per document to this `folder`, named <path>.<format>; the folder is created if missing. Within one given folder <path> is relative to it; of several paths, or a list, it is the whole path as given: /abs/a.pdf gives <folder>/abs/a.pdf.json")
		flags.StringVar(&f.progress, "progress", screen.ProgressAuto, "how to show progress: auto, bar, plain (one line per document), json or none")
		flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only failures")
		flags.BoolVarP(&f.verbose, "verbose", "v", false, "print more: every document, every skipped file, every attempt")
		flags.StringVar(&f.logAs, "log-format", "text", "format of the log lines from -v: text or json")
	})
	f.form.add(flags)
	f.run.add(flags)
	group(flags, groupSplit, func(flags *pflag.FlagSet) {
		addSplitFlags(flags, &f.params.Split)
		flags.IntVar(&f.params.Split.MaxPages, "max-pages", 0, "refuse a document with more pages than this, before any of it is sent (default: no limit)")
		flags.BoolVar(&f.noSplit, "no-split", false, "send every document whole, in one request")
		flags.StringVar(&f.mode, "chunk-mode", "disk", "where to keep the chunks and answers of documents in progress: buffered (in memory) or disk")
		flags.BoolVar(&f.params.Split.AllowFailed, "allow-failed", false, "if some pages of a document fail, send all others, and write them also with -o (exit code 3)")
		flags.BoolVar(&f.params.Split.Narrow, "narrow", false, "narrowing: if a chunk fails, send its two halves instead, and so on down to single pages")
		flags.VarPF(switchFlag{&f.params.Split.RepairParents}, "repair-parents", "",
			"restore parent_id where cutting the PDF has separated an element from its parent (default: if the answers prove how the server finds parents). Given, it does so unless the answers contradict the rule; =false leaves parent_id as it was answered").NoOptDefVal = "true"
		flags.StringVar(&f.scope, "chunking-scope", "whole", "how to send a PDF when --chunking-strategy is set: whole (uncut), after (in page chunks; a second request then combines all elements into text chunks) or per_chunk (in page chunks; the server combines the elements of each into text chunks)")
		flags.StringVar(&f.password, "password-file", "", "`file` with the password of encrypted PDFs; their chunks and answers are not written to disk, unless --chunk-mode disk is given")
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
