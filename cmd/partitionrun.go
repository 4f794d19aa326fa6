package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/format"
)

// A job is what the flags and arguments of quire partition mean.
type job struct {
	flags   *partitionFlags
	roots   []string
	shell   *shell
	console *screen.Console
	disk    *journal.Disk // of everything that the run writes
	form    format.Format
	options outputOptions
	walk    *walk.Walk        // nil with --stdin-list
	again   []journal.Failure // what the walk is of with --retry-failed; not nil then
}

// do checks everything that can be checked before the first request, then runs.
func (f *partitionFlags) do(ctx context.Context, sh *shell, roots []string) error {
	j, err := f.job(ctx, sh, roots)
	if err != nil {
		return err
	}
	if f.output == "" && j.walk != nil && !j.walk.Single() && !j.form.Concatenates {
		return usageError("more than one document needs -o DIR or -f jsonl")
	}
	if f.output == "" && j.form.Binary && screen.IsTerminal(sh.stdout) {
		return usageError("-f %s is no text: write it to a folder with -o DIR, or to a file with > FILE%s", j.form.Name, j.form.Extension)
	}
	progress, err := f.progressWay(sh)
	if err != nil {
		return err
	}
	j.console = screen.New(screen.Options{
		W: sh.stderr, Quiet: f.quiet, Verbose: f.verbose || progress == screen.ProgressPlain, Progress: progress,
	})
	defer j.console.Close()
	j.disk = journal.NewDisk(j.console.Warn)
	err = j.run(ctx)
	if exit := (*exitError)(nil); err != nil && !(errors.As(err, &exit) && exit.err == nil) && j.console.Error(err) {
		return &exitError{exitCode(err), nil}
	}
	return err
}

// job checks the flags and arguments.
func (f *partitionFlags) job(ctx context.Context, sh *shell, roots []string) (*job, error) {
	if err := f.run.check(roots); err != nil {
		return nil, err
	}
	form, options, err := f.check(roots)
	if err != nil {
		return nil, err
	}
	j := &job{flags: f, roots: roots, shell: sh, form: form, options: options}
	if f.stdinList {
		return j, nil
	}
	o, err := f.walk.options(ctx, sh, roots)
	if err != nil {
		return nil, err
	}
	if f.run.retryFailed != "" {
		if j.again, err = folder.ReadFailedList(f.run.retryFailed); err != nil {
			return nil, usageError("--retry-failed: %s", err)
		}
		o.List = []walk.Listed{}
		for _, failure := range j.again {
			o.List = append(o.List, walk.Listed{Path: failure.Path, Name: failure.Name})
		}
	}
	for _, own := range []string{f.run.summary, f.run.report, f.run.failed, f.run.retryFailed, f.walk.filesFrom} {
		if own != "" && own != walk.Stdin {
			o.Own = append(o.Own, own)
		}
	}
	o.Output, o.Images, o.Extension, o.StdinName = f.output, options.images, form.Extension, "stdin"
	if f.name != "" {
		o.StdinName = filepath.Base(f.name)
	}
	j.walk, err = walk.New(o)
	return j, err
}

// progressWay returns how to show progress.
func (f *partitionFlags) progressWay(sh *shell) (string, error) {
	switch {
	case !slices.Contains(screen.ProgressWays(), f.progress):
		return "", usageError("--progress %q: must be one of %s", f.progress, strings.Join(screen.ProgressWays(), ", "))
	case f.progress != screen.ProgressAuto:
		return f.progress, nil
	case f.quiet || !screen.IsTerminal(sh.stderr) || sh.env["TERM"] == "dumb" || sh.env["TERM"] == "" || sh.env["NO_COLOR"] != "":
		return screen.ProgressNone, nil
	case f.output == "" && screen.IsTerminal(sh.stdout):
		return screen.ProgressNone, nil // the live line would stand between the elements
	default:
		return screen.ProgressBar, nil
	}
}

// run opens what the run needs, sends the documents and prints how it went.
func (j *job) run(ctx context.Context) (err error) {
	ctx, stop := j.limited(ctx)
	defer stop(context.Canceled)
	var watch batch.Watch
	var report *page.Run // set before anything is sent
	client, err := j.openClient(func(e partition.Event) {
		watch.Observe(ctx, e)
		j.console.Observe(e)
		if report != nil {
			report.Observe(e)
		}
	})
	if err != nil {
		return err
	}
	defer func() { err = client.finish(err) }()
	defer context.AfterFunc(ctx, func() { j.sayStopping(ctx, client) })()

	out, err := j.openOutputs(stop, client)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	documents, err := j.survey(ctx, out)
	if err != nil {
		return err
	}
	if err := out.openImages(j.options, j.disk); err != nil {
		return err
	}
	if j.flags.run.report != "" {
		report = page.NewRun(j.title(), client.engineName(), time.Now())
	}
	records, err := j.openRecords(out.folder, report)
	if err != nil {
		return err
	}
	defer records.discard()

	r := &run{
		sender: &sender{
			client: client.Client, params: j.flags.params, format: j.form, options: j.options, images: out.images, outputs: j.flags.output,
			shell: j.shell, stdinName: j.flags.name,
		},
		failed: records.failed, console: j.console, quiet: j.walk == nil && !j.console.Verbose, report: report, stop: stop,
		limits: j.limits(&watch),
	}
	r.documents, r.sink = j.ends(out)
	sum := &screen.Summary{Engine: client.engineName()}
	ended, lost := r.do(ctx, sum)
	j.console.Close()
	if sum.NotDone = max(documents-sum.Documents, 0); sum.NotDone == 0 {
		sum.MissingSources = j.missingSources(out)
	}
	lost = errors.Join(lost, records.write(sum))
	return j.verdict(ctx, sum, records, cmp.Or(ended, context.Cause(ctx)), lost)
}

// limits returns the limits of the run. A run of --stdin-list is never given up: each document gets
// its answer, and the program that feeds the list knows when to stop.
func (j *job) limits(watch *batch.Watch) batch.Options {
	f := j.flags
	return batch.Options{
		Concurrency: f.client.inFlight + documentsAhead, MaxPages: f.run.maxPages, MaxFailures: f.run.maxFailures,
		DocumentTimeout:      f.run.documentTimeout,
		DocumentTimeoutCause: &outcome.TimeLimit{Limit: f.run.documentTimeout, Flag: "--document-timeout"},
		Watch:                watch, KeepGoing: j.walk == nil,
	}
}

// limited returns a context with the time limit of --run-timeout, and a function that ends it
// earlier.
func (j *job) limited(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	limit := j.flags.run.runTimeout
	if limit == 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &outcome.TimeLimit{Limit: limit, Flag: "--run-timeout"})
	return ctx, func(cause error) {
		stop(cause)
		cancel()
	}
}

// openClient makes the client, with its cache.
func (j *job) openClient(observe func(partition.Event)) (*apiClient, error) {
	f := j.flags
	logger, err := f.logger(j.console)
	if err != nil {
		return nil, err
	}
	answers, err := f.cache.openForWriting(j.console)
	if err != nil {
		return nil, err
	}
	client, err := f.client.newClient(j.shell, logger, observe, append(f.cache.options(answers), partition.WithMaxRequests(f.run.maxRequests)))
	if err != nil {
		return nil, errors.Join(err, closeCache(answers))
	}
	client.answers = answers
	return client, nil
}

// sayStopping prints what an interrupted run waits for.
func (j *job) sayStopping(ctx context.Context, client *apiClient) {
	if n := j.console.InFlight(); n > 0 && client.answers != nil && interruption(ctx) != nil {
		j.console.Say("stopping: waiting up to %s for %d requests already sent; interrupt again to stop now", j.flags.cache.grace, n)
	}
}

// survey counts the documents, and refuses those whose outputs would be in each other's way.
func (j *job) survey(ctx context.Context, out *outputs) (documents int, err error) {
	if j.walk == nil {
		return 0, nil
	}
	foldCase := false
	if out.folder != nil {
		if foldCase, err = out.folder.FoldsCase(); err != nil {
			return 0, &exitError{exitFailed, err}
		}
	}
	found, err := j.walk.Survey(ctx, foldCase)
	if err != nil {
		return 0, cmp.Or(interruption(ctx), err)
	}
	documents = found.Documents + found.Failing
	j.console.Expect(documents, found.Bytes)
	return documents, nil
}

// title is what the page about the run is called.
func (j *job) title() string {
	words := append([]string{"quire partition"}, j.roots...)
	for _, list := range []struct{ flag, path string }{
		{"--files-from", j.flags.walk.filesFrom}, {"--retry-failed", j.flags.run.retryFailed},
	} {
		if list.path != "" {
			words = append(words, list.flag, list.path)
		}
	}
	if j.flags.stdinList {
		words = append(words, "--stdin-list")
	}
	return strings.Join(words, " ")
}

// ends returns where the run's documents come from and where its outputs go.
func (j *job) ends(out *outputs) (func(context.Context) iter.Seq[*work], sink) {
	f := j.flags
	if j.walk == nil {
		list := &listSink{
			stdin: j.shell.stdin, out: bufio.NewWriter(j.shell.stdout), params: f.params, unordered: f.unordered, hashes: f.run.failed != "",
			waiting: newWaiting(j.console),
		}
		return list.documents, list
	}
	documents := func(ctx context.Context) iter.Seq[*work] {
		return func(yield func(*work) bool) {
			for e := range j.walk.Entries(ctx) {
				if !yield(newWork(e)) {
					return
				}
			}
		}
	}
	var final folder.FinalFailures
	if !f.run.force {
		final = folder.NewFinalFailures(j.again)
	}
	if out.folder != nil {
		out.store = out.folder.Outputs(out.settings)
		return documents, &folderSink{outputs: out.store, final: final}
	}
	return documents, &stdoutSink{
		stdout: j.shell.stdout, console: j.console, format: j.form, single: j.walk.Single(), hashes: f.run.failed != "", final: final,
		waiting: newWaiting(j.console),
	}
}
