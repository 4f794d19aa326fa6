package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// outputs are the folders that a run writes to.
type outputs struct {
	folder   *folder.Folder // of -o; nil without it
	settings folder.Settings
	store    *folder.Outputs // of the folder, once the run has begun
	images   *folder.Folder  // of --images; nil without it
}

// openOutputs opens the folder of -o and its journal.
func (j *job) openOutputs(stop context.CancelCauseFunc, client *apiClient) (*outputs, error) {
	f := j.flags
	if f.output == "" {
		return &outputs{}, nil
	}
	key, err := folder.Key(f.params, client.engineName(), j.options.key())
	if err != nil {
		return nil, usageError("%s", err)
	}
	out := &outputs{settings: folder.Settings{
		Key: key, PathMatters: j.options.sourceField,
		How:     fmt.Sprintf("allow-failed=%t narrow=%t", f.params.Split.AllowFailed, f.params.Split.Narrow),
		Partial: f.params.Split.AllowFailed, Engine: client.engineName(), Extension: j.form.Extension, Force: f.run.force, Again: f.cache.refresh,
		FailEmpty: f.params.FailEmpty, Stop: stop,
	}}
	if client.Client != nil && j.repairsParents() {
		out.settings.Repairs = func(ctx context.Context, d *partition.Document) bool {
			plan, err := client.Plan(ctx, d, f.params)
			return err == nil && len(plan.Chunks) > 1 && len(plan.Left) == 0
		}
	}
	if out.folder, err = folder.Open(f.output, j.disk); err != nil {
		return nil, &exitError{exitFailed, err}
	}
	if err := out.folder.Remember(j.console.Warn); err != nil {
		return nil, &exitError{exitFailed, errors.Join(err, out.folder.Close())}
	}
	return out, nil
}

// repairsParents reports whether parents that cutting has lost are restored.
func (j *job) repairsParents() bool {
	p := j.flags.params
	return p.OutputFormat != partition.OutputCSV && (p.Split.RepairParents == nil || *p.Split.RepairParents)
}

// openImages opens the folder of --images, before any request is paid for.
func (o *outputs) openImages(options outputOptions, disk *journal.Disk) (err error) {
	if o.images, err = options.openImages(disk); err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}

func (o *outputs) close() (err error) {
	if o.images != nil {
		err = o.images.Close()
	}
	if o.folder != nil {
		err = errors.Join(err, o.folder.Close())
	}
	return err
}

// namedSources is how many missing documents are named, unless -v is set.
const namedSources = 10

// missingSources prints and counts the documents of earlier runs that are no longer in the folders
// of this run. Their outputs are kept.
func (j *job) missingSources(out *outputs) int {
	if out.store == nil {
		return 0
	}
	n := out.store.MissingSources(j.walk.Covers, func(number int, r journal.Record) {
		if number <= namedSources || j.console.Verbose {
			j.console.Remark("source missing: %s; its output is kept: %s", wire.Printable(r.Path), wire.Printable(r.Name))
		}
	})
	if n > namedSources && !j.console.Verbose {
		j.console.Remark("source missing: %d more (-v lists them)", n-namedSources)
	}
	return n
}
