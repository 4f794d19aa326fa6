package cmd

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"runtime"
	"syscall"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
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

// A planned is one file and its plan.
type planned struct {
	entry walk.Entry
	plan  *partition.Plan
}

func (p *planning) run(ctx context.Context) error {
	var lost error
	for o := range batch.Run(ctx, p.client.Client, p.items(ctx), batch.Options{
		Concurrency: runtime.GOMAXPROCS(0), Ahead: waitingOutputs, KeepGoing: true, Do: p.plan,
	}) {
		if o.State == batch.Ended {
			return cmp.Or(interruption(ctx), o.Err)
		}
		if lost = p.conclude(o); lost != nil {
			break
		}
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

// items are the files as a batch takes them.
func (p *planning) items(ctx context.Context) iter.Seq[batch.Item] {
	return func(yield func(batch.Item) bool) {
		for e := range p.walk.Entries(ctx) {
			item := batch.Item{Name: e.Path, Params: p.params, Tag: &planned{entry: e}}
			if e.Skip == "" {
				item.Open = func(ctx context.Context) (*partition.Document, error) { return p.open(ctx, e) }
			}
			if !yield(item) {
				return
			}
		}
	}
}

func (p *planning) open(ctx context.Context, e walk.Entry) (*partition.Document, error) {
	switch {
	case e.Err != nil:
		return nil, &partition.DocumentError{Document: e.Path, Kind: partition.KindLocalIO, Err: words.Reason(e.Err)}
	case e.Path == walk.Stdin:
		return readStandardInput(ctx, p.shell, p.name)
	default:
		return partition.Open(e.Path)
	}
}

// plan plans one document. It sends nothing, and so has nothing to report.
func (p *planning) plan(ctx context.Context, item batch.Item, d *partition.Document) (_ partition.Report, err error) {
	item.Tag.(*planned).plan, err = p.client.Plan(ctx, d, item.Params)
	return partition.Report{}, err
}

// conclude prints a document's plan and its warnings. An error ends the command.
func (p *planning) conclude(o batch.Outcome) error {
	d := o.Item.Tag.(*planned)
	name := wire.Printable(d.entry.Path)
	switch {
	case o.State == batch.Skipped:
		p.sheet.total.Skipped++
		p.console.Skipped(d.entry.Path, d.entry.Skip, d.entry.Quiet)
		return nil
	case o.State == batch.NotDone:
		return nil // the command's own error says why
	case o.Err != nil:
		p.console.Say("failed: %s", wire.Printable(o.Err.Error()))
		return p.sheet.failed(d.entry.Path, o.Err)
	}
	for _, warning := range d.plan.Warnings {
		p.console.Remark("warning: %s: %s", name, warning)
	}
	return p.sheet.document(d.plan)
}
