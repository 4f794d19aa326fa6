package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/journal"
	"github.com/quire-dev/quire/cmd/page"
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
	group(flags, groupAPI, func(flags *pflag.FlagSet) { addParamFlags(flags, &f.params) })
}

// do checks everything that can be checked before the first request, then runs.
func (f *partitionFlags) do(ctx context.Context, sh *shell, roots []string) (err error) {
	if err := f.run.check(roots); err != nil {
		return err
	}
	form, options, err := f.check(roots)
	if err != nil {
		return err
	}
	var w *walk
	if !f.stdinList {
		if w, err = f.newWalk(ctx, sh, roots, form); err != nil {
			return err
		}
		if f.output == "" && !w.single() && !form.many {
			return usageError("several documents need -o DIR or -f jsonl")
		}
	}
	if err != nil {
		return err
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
	if f.run.runTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, f.run.runTimeout, &timeLimit{f.run.runTimeout, "--run-timeout"})
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
	var report *page.Run // set before anything is sent
	client, err := f.client.newClient(sh, logger, func(e partition.Event) {
		vain.observe(e)
		console.observe(e)
		if report != nil {
			report.Observe(e)
		}
	}, append(f.cache.options(answers), partition.WithBudget(f.run.budget)))
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
		shell: sh, console: console, client: client, params: f.params, walk: w, format: form, outputOptions: options,
		watch: vain, name: f.name, verbose: f.verbose || f.progress == progressPlain, documentTimeout: f.run.documentTimeout, stop: stop,
		inFlight: f.client.inFlight, maxFailures: f.run.maxFailures,
	}
	if f.output != "" {
		if err := f.openOutput(ctx, r); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.output.close()) }()
		if w.foldCase, err = foldsCase(r.output.root, journal.Folder); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	var found survey
	if f.stdinList {
		vain.stop = func(error) {} // each document has its answer, and who asks knows when to stop
		r.list = &stdinList{in: sh.stdin, params: f.params, unordered: f.unordered, out: bufio.NewWriter(sh.stdout)}
	} else if found, err = w.survey(ctx); err != nil {
		return cmp.Or(interruption(ctx), err)
	}
	console.expect(found.documents, found.bytes)
	if r.images, err = options.openImages(); err != nil {
		return &exitError{exitFailed, err}
	}
	if r.images != nil {
		defer func() { err = errors.Join(err, r.images.close()) }()
	}
	if f.run.report != "" {
		report = page.NewRun("quire partition "+strings.Join(roots, " "), client.engineName(), time.Now())
		r.report = report
	}
	return f.records(ctx, r, found.documents)
}

// newWalk is the walk through the roots, and through the lists that flags name.
func (f *partitionFlags) newWalk(ctx context.Context, sh *shell, roots []string, form format) (*walk, error) {
	o, err := f.walk.options(ctx, sh, roots)
	if err != nil {
		return nil, err
	}
	if f.run.retryFailed != "" {
		if o.list, err = readFailedList(f.run.retryFailed); err != nil {
			return nil, err
		}
	}
	o.output, o.images, o.extension, o.stdinName = f.output, f.form.options.images, form.extension, "stdin"
	if f.name != "" {
		o.stdinName = filepath.Base(f.name)
	}
	return newWalk(o)
}

// openOutput opens the output folder with what is known of earlier runs.
func (f *partitionFlags) openOutput(ctx context.Context, r *run) error {
	key, err := outputKey(f.params, r.client.engineName(), r.outputOptions.key())
	if err != nil {
		return usageError("%s", err)
	}
	if r.output, err = openOutput(f.output); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := r.output.remember(f.output, func(err error) { r.console.remark("warning: %s", partition.Printable(err.Error())) }); err != nil {
		return &exitError{exitFailed, errors.Join(err, r.output.close())}
	}
	r.history = &history{
		run: ctx, output: r.output, params: key, how: fmt.Sprintf("allow-failed=%t narrow=%t", f.params.Split.AllowFailed, f.params.Split.Narrow),
		engine: r.client.engineName(), extension: r.format.extension, force: f.run.force,
		again: f.cache.refresh,
	}
	return nil
}

// records runs, and leaves the files that say how it went.
func (f *partitionFlags) records(ctx context.Context, r *run, documents int) error {
	var figures *outputFile
	var err error
	if f.run.summary != "" {
		if figures, err = openFile("summary", f.run.summary); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	var about *outputFile
	if r.report != nil {
		if about, err = openFile("report", f.run.report); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	if r.failed, err = openFailedList(f.run.failed, f.output, r.output); err != nil {
		return &exitError{exitFailed, err}
	}
	if r.failed != nil {
		r.failed.again = retryCommand(f.flags, r.failed.path)
	}
	sum := &summary{Engine: r.client.engineName()}
	lost := r.all(ctx, sum)
	r.console.close()
	if sum.NotDone = max(documents-sum.Documents, 0); sum.NotDone == 0 {
		sum.Gone = r.gone()
	}
	lost = errors.Join(lost, r.failed.close(r.format.extension))
	if about != nil {
		lost = errors.Join(lost, about.fill(func(w io.Writer) error { return r.report.Write(w, sum.moreTotals()) }))
	}
	if figures != nil {
		lost = errors.Join(lost, figures.fill(sum.write))
	}
	return r.verdict(ctx, sum, lost, f.output)
}

// check reads the flags that are more than a value.
func (f *partitionFlags) check(roots []string) (format, outputOptions, error) {
	form, options, err := f.form.check()
	if err != nil {
		return form, options, err
	}
	if f.params.OutputFormat == partition.OutputCSV {
		if form.name != "json" && form.name != "csv" {
			return form, options, usageError("--output-format text/csv is written as it comes: -f %s does not go with it", form.name)
		}
		if flag := options.given(); flag != "" {
			return form, options, usageError("--output-format text/csv is written as it comes: --%s does not go with it", flag)
		}
		form.extension = ".csv"
	}
	if c := f.params.Split.Concurrency; c < 1 || c > 50 {
		return form, options, usageError("--split-concurrency %d: not 1 to 50", c)
	}
	switch f.mode {
	case string(partition.Buffered), string(partition.DiskCached):
	default:
		return form, options, usageError("--chunk-mode %q: neither buffered nor disk", f.mode)
	}
	switch f.scope {
	case string(partition.ScopeWhole), string(partition.ScopePerChunk), string(partition.ScopeAfter):
	default:
		return form, options, usageError("--chunking-scope %q: not whole, after or per-chunk", f.scope)
	}
	f.params.Split.Mode, f.params.Split.Scope = partition.ChunkMode(f.mode), partition.ChunkingScope(f.scope)
	f.params.Split.Off = f.noSplit
	if f.password != "" {
		password, err := readPassword(f.password)
		if err != nil {
			return form, options, err
		}
		f.params.Split.Password = partition.Secret(password)
		if !f.flags.Changed("chunk-mode") {
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
		return form, options, usageError("standard input can be read only once")
	case f.output != "" && options.images != "" && filepath.Clean(f.output) == filepath.Clean(options.images):
		return form, options, usageError("--images and -o need folders of their own")
	case f.stdinList && (len(roots) > 0 || f.walk.filesFrom != "" || f.run.retryFailed != ""):
		return form, options, usageError("--stdin-list takes the documents from standard input: name no others")
	case f.stdinList && (f.output != "" || f.flags.Changed("format") || f.params.OutputFormat != ""):
		return form, options, usageError("--stdin-list answers in its own form: -o, -f and --output-format do not go with it")
	case f.unordered && !f.stdinList:
		return form, options, usageError("--unordered is for --stdin-list")
	case stdin > 0 && f.walk.filesFrom == standardInput:
		return form, options, usageError("standard input cannot be both the list (--files-from -) and a document (-)")
	case f.name != "" && stdin == 0:
		return form, options, usageError("--name is for standard input (-)")
	case f.quiet && f.verbose:
		return form, options, usageError("-q and -v exclude each other")
	}
	return form, options, nil
}

// logger writes what -v shows.
func (f *partitionFlags) logger(c *console) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	var handler slog.Handler = slog.DiscardHandler
	switch f.logAs {
	case "text":
		if f.verbose {
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
