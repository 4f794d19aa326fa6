package cmd

import (
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
		Long:    "Partition sends documents to the API and writes their elements, to standard output or, with -o, one file a document.",
		Example: partitionExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !f.stdinList && f.walk.filesFrom == "" && f.run.retryFailed == "" {
				return usageError("no document: name files, folders, or - for standard input")
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
		flags.StringVar(&f.name, "name", "", "name of the document on standard input")
		flags.BoolVar(&f.stdinList, "stdin-list", false,
			"for other programs: read a path, or an object {path, name, params, id}, a line, and answer with a line each")
		flags.BoolVar(&f.unordered, "unordered", false, "with --stdin-list: answer in the order in which documents are done")
	})
	f.walk.add(flags)
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVarP(&f.output, "output", "o", "", "folder for the outputs, DIR/<path>.<format>; made if missing")
		flags.StringVar(&f.progress, "progress", progressAuto, "auto, bar, plain (a line a document), json or none")
		flags.BoolVarP(&f.quiet, "quiet", "q", false, "say only what failed")
		flags.BoolVarP(&f.verbose, "verbose", "v", false, "say more: every document, what is left out, every attempt")
		flags.StringVar(&f.logAs, "log-format", "text", "form of the lines of -v: text or json")
	})
	f.form.add(flags)
	f.run.add(flags)
	group(flags, groupSplit, func(flags *pflag.FlagSet) {
		addSplitFlags(flags, &f.params.Split)
		flags.IntVar(&f.params.Split.MaxPages, "max-pages", 0, "refuse longer documents before anything is sent")
		flags.BoolVar(&f.noSplit, "no-split", false, "send every document in one request")
		flags.StringVar(&f.mode, "chunk-mode", "disk", "where chunks and answers wait: buffered (in memory) or disk")
		flags.BoolVar(&f.params.Split.AllowFailed, "allow-failed", false, "write what was answered although some pages failed (exit 3)")
		flags.BoolVar(&f.params.Split.Narrow, "narrow", false, "ask for halves of a chunk that cannot be had, down to single pages")
		flags.BoolVar(&f.params.Split.RepairParents, "repair-parents", false, "restore parent_id across chunks, where it can be known")
		flags.StringVar(&f.scope, "chunking-scope", "whole", "what a chunking strategy is applied to: whole, after or per-chunk")
		flags.StringVar(&f.password, "password-file", "", "file with the password of encrypted PDFs; their pages stay off the disk")
	})
	f.client.add(flags)
	f.cache.add(flags)
	group(flags, groupAPI, func(flags *pflag.FlagSet) { addParamFlags(flags, &f.params) })
}

// logger writes what -v shows.
func (f *partitionFlags) logger(c *console) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	var handler slog.Handler = slog.DiscardHandler
	switch f.logAs {
	case "text":
		if f.verbose && f.progress == progressJSON {
			handler = slog.NewJSONHandler(c, options)
		} else if f.verbose {
			handler = slog.NewTextHandler(c, options)
		}
	case "json":
		if f.verbose {
			handler = slog.NewJSONHandler(c, options)
		}
	default:
		return nil, usageError("--log-format %q: neither text nor json", f.logAs)
	}
	return slog.New(handler), nil
}
