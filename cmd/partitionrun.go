package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/journal"
	"github.com/quire-dev/quire/cmd/page"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/partition/wire"
)

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
		if f.output == "" && !w.single() && !form.Concatenates {
			return usageError("several documents need -o DIR or -f jsonl")
		}
	}
	if f.progress == progressAuto && f.output == "" && isTerminal(sh.stdout) {
		f.progress = progressNone // the live line would stand between the elements
	}
	console, err := newConsole(sh, f.progress, f.quiet)
	if err != nil {
		return err
	}
	defer console.close()
	defer func() { err = console.last(err) }()
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
		if lost := closeCache(answers); err == nil {
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
	}, append(f.cache.options(answers), partition.WithMaxRequests(f.run.maxRequests)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.close()) }()
	defer vain.close()
	defer context.AfterFunc(ctx, func() {
		if n := console.underWay(); n > 0 && answers != nil && interruption(ctx) != nil {
			console.say("stopping: up to %s for %d requests already sent; interrupt again to stop at once", f.cache.grace, n)
		}
	})()
	vain.url = client.URL()
	r := &run{
		shell: sh, console: console, client: client, params: f.params, walk: w, format: form, outputOptions: options,
		watch: vain, name: f.name, verbose: f.verbose || f.progress == progressPlain, documentTimeout: f.run.documentTimeout, stop: stop,
		inFlight: f.client.inFlight, maxFailures: f.run.maxFailures, pages: pageLimit{limit: f.run.maxPages}, ordered: f.output == "" && !f.unordered,
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
	console.expect(found.documents+found.failing, found.bytes)
	if r.images, err = options.openImages(); err != nil {
		return &exitError{exitFailed, err}
	}
	if r.images != nil {
		defer func() { err = errors.Join(err, r.images.close()) }()
	}
	if f.run.report != "" {
		report = page.NewRun(f.title(roots), client.engineName(), time.Now())
		r.report = report
	}
	return f.records(ctx, r, found.documents+found.failing)
}

// title is what the page about the run is called.
func (f *partitionFlags) title(roots []string) string {
	words := append([]string{"quire partition"}, roots...)
	for _, list := range []struct{ flag, path string }{{"--files-from", f.walk.filesFrom}, {"--retry-failed", f.run.retryFailed}} {
		if list.path != "" {
			words = append(words, list.flag, list.path)
		}
	}
	if f.stdinList {
		words = append(words, "--stdin-list")
	}
	return strings.Join(words, " ")
}

// newWalk is the walk through the roots, and through the lists that flags name.
func (f *partitionFlags) newWalk(ctx context.Context, sh *shell, roots []string, form format.Format) (*walk, error) {
	o, err := f.walk.options(ctx, sh, roots)
	if err != nil {
		return nil, err
	}
	if f.run.retryFailed != "" {
		if o.retried, err = readFailedList(f.run.retryFailed); err != nil {
			return nil, err
		}
		o.list = listedFailures(o.retried)
	}
	for _, own := range []string{f.run.summary, f.run.report, f.run.failed, f.run.retryFailed, f.walk.filesFrom} {
		if own != "" && own != standardInput {
			o.own = append(o.own, own)
		}
	}
	o.output, o.images, o.extension, o.stdinName = f.output, f.form.options.images, form.Extension, "stdin"
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
	if err := r.output.remember(f.output, func(err error) { r.console.remark("warning: %s", wire.Printable(err.Error())) }); err != nil {
		return &exitError{exitFailed, errors.Join(err, r.output.close())}
	}
	r.history = &history{
		run: ctx, output: r.output, params: key, how: fmt.Sprintf("allow-failed=%t narrow=%t", f.params.Split.AllowFailed, f.params.Split.Narrow),
		engine: r.client.engineName(), extension: r.format.Extension, force: f.run.force,
		again: f.cache.refresh, paths: r.outputOptions.sourceField,
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
		defer figures.discard()
	}
	var about *outputFile
	if r.report != nil {
		if about, err = openFile("report", f.run.report); err != nil {
			return &exitError{exitFailed, err}
		}
		defer about.discard()
	}
	if r.failed, err = openFailedList(f.run.failed, f.output, r.output, r.format.Extension); err != nil {
		return &exitError{exitFailed, err}
	}
	defer r.failed.discard()
	if r.failed != nil {
		r.failed.again = retryCommand(f.flags, r.failed.path)
	}
	if r.walk != nil {
		r.failed.carry(r.walk.retried)
		if !f.run.force {
			r.final = newFinalFailures(r.walk.retried)
		}
	}
	sum := &summary{Engine: r.client.engineName()}
	lost := r.all(ctx, sum)
	r.console.close()
	if sum.NotDone = max(documents-sum.Documents, 0); sum.NotDone == 0 {
		sum.Gone = r.gone()
	}
	lost = errors.Join(lost, r.failed.close())
	if about != nil {
		lost = errors.Join(lost, about.fill(func(w io.Writer) error { return r.report.Write(w, sum.moreTotals()) }))
	}
	if figures != nil {
		lost = errors.Join(lost, figures.fill(sum.write))
	}
	return r.verdict(ctx, sum, lost, f.output)
}
