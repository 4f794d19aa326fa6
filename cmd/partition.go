package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/partition"
)

// partitionFlags are the flags of quire partition.
type partitionFlags struct {
	client clientFlags
	cache  cacheFlags
	params partition.Params

	name   string
	hidden bool

	output   string
	format   string
	csvSafe  bool
	summary  string
	progress string
	quiet    bool
	verbose  bool
	logAs    string

	noSplit         bool
	mode            string
	scope           string
	password        string
	documentTimeout time.Duration
	runTimeout      time.Duration

	changed func(flag string) bool // whether a flag was given
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
			if len(args) == 0 {
				return usageError("no document: name files, folders, or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), sh, args) },
	}
	f.add(c.Flags())
	return c
}

func (f *partitionFlags) add(flags *pflag.FlagSet) {
	f.changed = flags.Changed
	flags.SortFlags = false
	group(flags, groupInput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVar(&f.name, "name", "", "name of the document on standard input")
		flags.BoolVar(&f.hidden, "hidden", false, "take hidden files and folders too")
	})
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVarP(&f.output, "output", "o", "", "folder for the outputs, DIR/<path>.<format>; made if missing")
		flags.StringVarP(&f.format, "format", "f", "json", "json, jsonl, markdown, text or csv")
		flags.BoolVar(&f.csvSafe, "csv-safe", false, "keep spreadsheets from taking texts for formulas")
		flags.StringVar(&f.summary, "summary", "", "file for the run's figures, as one JSON object")
		flags.StringVar(&f.progress, "progress", progressAuto, "auto, bar, plain (a line a document) or none")
		flags.BoolVarP(&f.quiet, "quiet", "q", false, "say only what failed")
		flags.BoolVarP(&f.verbose, "verbose", "v", false, "say more: every document, what is left out, every attempt")
		flags.StringVar(&f.logAs, "log-format", "text", "form of the lines of -v: text or json")
	})
	group(flags, groupSplit, func(flags *pflag.FlagSet) {
		addSplitFlags(flags, &f.params.Split)
		flags.IntVar(&f.params.Split.MaxPages, "max-pages", 0, "refuse longer documents before anything is sent")
		flags.Int64Var(&f.params.Split.ParseLimit, "split-limit", 256<<20, "bytes above which a PDF is not parsed but sent whole")
		flags.BoolVar(&f.params.Split.RefuseLarge, "refuse-large", false, "fail PDFs above --split-limit instead")
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
	group(flags, groupRetry, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.DurationVar(&f.documentTimeout, "document-timeout", 0, "time for a document, retries included (default none)")
		flags.DurationVar(&f.runTimeout, "run-timeout", 0, "time for the whole run (default none)")
	})
	group(flags, groupAPI, func(flags *pflag.FlagSet) { addParamFlags(flags, &f.params) })
}

// run checks everything that can be checked before the first request, then runs.
func (f *partitionFlags) run(ctx context.Context, sh *shell, roots []string) (err error) {
	form, err := f.check(roots)
	if err != nil {
		return err
	}
	w, err := newWalk(roots, f.hidden, f.output)
	if err != nil {
		return err
	}
	w.stdinName = "stdin"
	if f.name != "" {
		w.stdinName = filepath.Base(f.name)
	}
	if f.output == "" && !w.single() && !form.many {
		return usageError("several documents need -o DIR or -f jsonl")
	}
	console, err := newConsole(sh, f.progress, f.quiet)
	if err != nil {
		return err
	}
	defer console.close()
	logger, err := f.logger(console)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(context.Canceled)
	if f.runTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, f.runTimeout, &timeLimit{f.runTimeout, "--run-timeout"})
		defer cancel()
		ctx = limited
	}
	answers, err := f.cache.open(console)
	if err != nil {
		return err
	}
	defer func() {
		if lost := finishCache(ctx, answers, err == nil); err == nil {
			err = lost
		}
	}()
	vain := &watch{stop: stop}
	client, err := f.client.newClient(sh, logger, func(e partition.Event) {
		vain.observe(e)
		console.observe(e)
	}, f.cache.options(answers))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	defer context.AfterFunc(ctx, func() {
		if n := console.underWay(); n > 0 && answers != nil && interruption(ctx) != nil {
			console.say("stopping: up to %s for %d requests already sent; interrupt again to stop at once", f.cache.grace, n)
		}
	})()
	vain.url = client.URL()
	r := &run{
		shell: sh, console: console, client: client, params: f.params, walk: w, format: form, formatOptions: formatOptions{f.csvSafe},
		name: f.name, verbose: f.verbose || f.progress == progressPlain, documentTimeout: f.documentTimeout, stop: stop,
		inFlight: f.client.inFlight, toStdout: f.output == "",
	}
	if f.output != "" {
		if r.output, err = openOutput(f.output); err != nil {
			return &exitError{exitFailed, err}
		}
		defer func() { err = errors.Join(err, r.output.close()) }()
	}
	return r.all(ctx, f.summary, f.output)
}

// check reads the flags that are more than a value.
func (f *partitionFlags) check(roots []string) (format, error) {
	form, err := findFormat(f.format)
	if err != nil {
		return form, err
	}
	if f.params.OutputFormat == partition.OutputCSV {
		if f.format != "json" && f.format != "csv" {
			return form, usageError("--output-format text/csv is written as it comes: -f %s does not go with it", f.format)
		}
		form.extension = ".csv"
	}
	if c := f.params.Split.Concurrency; c < 1 || c > 50 {
		return form, usageError("--split-concurrency %d: not 1 to 50", c)
	}
	switch f.mode {
	case string(partition.Buffered), string(partition.DiskCached):
	default:
		return form, usageError("--chunk-mode %q: neither buffered nor disk", f.mode)
	}
	switch f.scope {
	case string(partition.ScopeWhole), string(partition.ScopePerChunk), string(partition.ScopeAfter):
	default:
		return form, usageError("--chunking-scope %q: not whole, after or per-chunk", f.scope)
	}
	f.params.Split.Mode, f.params.Split.Scope = partition.ChunkMode(f.mode), partition.ChunkingScope(f.scope)
	f.params.Split.Off = f.noSplit
	if f.password != "" {
		password, err := readPassword(f.password)
		if err != nil {
			return form, err
		}
		f.params.Split.Password = partition.Secret(password)
		if !f.changed("chunk-mode") {
			f.params.Split.Mode = partition.Buffered
		}
	}
	stdin := 0
	for _, root := range roots {
		if root == standardInput {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return form, usageError("standard input can be read only once")
	case f.name != "" && stdin == 0:
		return form, usageError("--name is for standard input (-)")
	case f.quiet && f.verbose:
		return form, usageError("-q and -v exclude each other")
	}
	return form, nil
}

// logger writes what -v shows.
func (f *partitionFlags) logger(c *console) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	var handler slog.Handler = slog.DiscardHandler
	switch f.logAs {
	case "text":
		if f.verbose {
			handler = slog.NewTextHandler(consoleWriter{c}, options)
		}
	case "json":
		if f.verbose {
			handler = slog.NewJSONHandler(consoleWriter{c}, options)
		}
	default:
		return nil, usageError("--log-format %q: neither text nor json", f.logAs)
	}
	return slog.New(handler), nil
}

// A consoleWriter writes log lines above the live line.
type consoleWriter struct{ console *console }

// Write writes one line.
func (w consoleWriter) Write(line []byte) (int, error) {
	w.console.mu.Lock()
	defer w.console.mu.Unlock()
	if w.console.bar != nil {
		_ = w.console.bar.Clear()
	}
	return w.console.w.Write(line)
}

// A timeLimit is the cause of a context that a flag's time limit ended.
type timeLimit struct {
	limit time.Duration
	flag  string
}

func (t *timeLimit) Error() string {
	return fmt.Sprintf("time limit of %s reached (%s)", t.limit, t.flag)
}
func (t *timeLimit) Is(target error) bool { return target == context.DeadlineExceeded }

// readStandardInput is a document of everything on standard input. An interrupt ends the waiting for it.
func readStandardInput(ctx context.Context, sh *shell, name string) (*partition.Document, error) {
	if name == "" {
		name = "standard input"
	}
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, sh.stdin)
		w.CloseWithError(err)
	}()
	defer context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })()
	return partition.FromReader(ctx, name, r)
}
