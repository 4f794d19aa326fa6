package cmd

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// A planning plans documents, several at once, and prints them in the order of the walk.
type planning struct {
	shell   *shell
	console *screen.Console
	client  *apiClient
	walk    *walk.Walk
	params  partition.Params
	name    string // of standard input
	sheet   *planSheet
}

// A planned is one file and its plan. plan and err are set before done is closed.
type planned struct {
	entry walk.Entry
	plan  *partition.Plan
	err   error
	done  chan struct{}
}

func (p *planning) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(context.Canceled)
	var lost error
	for d := range p.start(ctx) {
		<-d.done
		if lost == nil && ctx.Err() == nil {
			if lost = p.conclude(d); lost != nil {
				stop(lost)
			}
		}
	}
	if lost == nil && ctx.Err() != nil {
		return cmp.Or(interruption(ctx), context.Cause(ctx))
	}
	if lost == nil && p.sheet.total.Documents == 0 {
		return &exitError{exitFailed, errors.New("no documents found")}
	}
	if lost == nil {
		lost = p.sheet.end()
	}
	switch {
	case errors.Is(lost, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
	case lost != nil:
		return &folder.WriteError{Name: "standard output", Err: lost}
	case p.sheet.total.Failed > 0:
		return &exitError{exitPartial, nil}
	default:
		return nil
	}
}

// start begins to plan all documents. The channel must be read to its end.
func (p *planning) start(ctx context.Context) <-chan *planned {
	queue := make(chan *planned, waitingOutputs)
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	go func() {
		defer close(queue)
		for e := range p.walk.Entries(ctx) {
			d := &planned{entry: e, done: make(chan struct{})}
			queue <- d
			if !e.Document() {
				close(d.done)
				continue
			}
			workers.Go(func() error {
				defer close(d.done)
				d.plan, d.err = p.plan(ctx, e)
				return nil
			})
		}
	}()
	return queue
}

// plan plans one document.
func (p *planning) plan(ctx context.Context, e walk.Entry) (*partition.Plan, error) {
	var document *partition.Document
	var err error
	if e.Path == walk.Stdin {
		document, err = readStandardInput(ctx, p.shell, p.name)
	} else {
		document, err = partition.Open(e.Path)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = document.Close() }() // it was only read
	return p.client.Plan(ctx, document, p.params)
}

// conclude prints a document's plan and its warnings. An error ends the command.
func (p *planning) conclude(d *planned) error {
	name := wire.Printable(d.entry.Path)
	switch {
	case d.entry.Skip != "":
		p.sheet.total.Skipped++
		p.console.Skipped(d.entry.Path, d.entry.Skip, d.entry.Quiet)
		return nil
	case d.entry.Err != nil:
		d.err = &partition.DocumentError{Document: d.entry.Path, Kind: partition.KindLocalIO, Err: words.Reason(d.entry.Err)}
	}
	if d.err != nil {
		p.console.Say("failed: %s", wire.Printable(d.err.Error()))
		return p.sheet.failed(d.entry.Path, d.err)
	}
	for _, warning := range d.plan.Warnings {
		p.console.Remark("warning: %s: %s", name, warning)
	}
	return p.sheet.document(d.plan)
}
