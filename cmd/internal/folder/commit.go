package folder

import (
	"bufio"
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
)

const (
	// commitBatch is how many outputs are brought to the disk together, and so how many files wait
	// open for it at most.
	commitBatch = 128

	// commitSyncs is how many files are synced at once: a file system writes its own journal once
	// for all of them.
	commitSyncs = 16
)

// Settings are what a run's outputs depend on, and how the run ends.
type Settings struct {
	Key         string // see [Key]
	PathMatters bool   // the outputs depend on a document's path as well
	How         string // what is tried: a failure of an earlier run is the last word only on the same
	Partial     bool   // outputs that lack pages are written
	Engine      string // what produces the elements
	Extension   string // of the output format, with the dot
	Force       bool   // send also what the server declared final, and do again what Repairs says
	Again       bool   // do everything again
	FailEmpty   bool   // an empty document fails: one that an earlier run has done as well

	// Repairs reports whether a document's output can be made again, with parents that earlier builds
	// lost, and without a request. It is nil where parents are not repaired.
	Repairs func(ctx context.Context, d *partition.Document) bool

	Stop func(error) // stops the run: nothing more can be written
}

// Outputs are the outputs of one run in a folder. While one batch waits for the disk, the next one
// gathers, so that a busy run waits for the disk less often. A record is written after its output,
// never before.
type Outputs struct {
	Settings
	folder *Folder
	in     chan commit
	done   chan struct{}
}

// An Output is the output of one document, on its way from [Outputs.Begin] to [Outputs.Commit].
type Output struct {
	*outcome.Outcome
	recorded bool           // the document can be read again, so that it is worth remembering
	outdated bool           // the output of an earlier run is that of an empty document, which now fails
	before   journal.Stat   // of the document's file, before it was read
	file     *File          // finished, and not yet in its place; nil where there is none
	size     int64          // of the file, in bytes
	record   journal.Record // what will be known of the document; without a name nothing is
}

type commit struct {
	output *Output
	then   func()
}

// Outputs begins the outputs of a run. The folder must remember ([Folder.Remember]).
func (f *Folder) Outputs(s Settings) *Outputs {
	o := &Outputs{Settings: s, folder: f, in: make(chan commit), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		for first := range o.in {
			o.commit(o.gather(first))
		}
	}()
	return o
}

// Begin begins a document. If an earlier run has settled it, Begin sets its State, and it must not
// be done again.
func (o *Outputs) Begin(ctx context.Context, d *partition.Document, w *outcome.Outcome) *Output {
	output := &Output{Outcome: w, recorded: true, before: statOf(w.Path)}
	if record, known := o.folder.journal.Lookup(w.Name + o.Extension); known {
		o.settle(ctx, d, output, record, output.before)
	}
	return output
}

// BeginUnrecorded is Begin for a document that cannot be read again: earlier runs have no record of
// it, and this run makes none.
func (o *Outputs) BeginUnrecorded(w *outcome.Outcome) *Output { return &Output{Outcome: w} }

// Do does a document that was begun: it calls write, whose error becomes the document's error. The
// output is finished if the document is done, or lacks pages and [Settings.Partial] is set. Do also
// prepares the document's record.
func (o *Outputs) Do(ctx context.Context, d *partition.Document, w *Output, write func(*bufio.Writer) error) {
	o.write(w, write)
	if !w.recorded {
		return
	}
	w.record = o.describe(w)
	if w.before.Same(statOf(w.Path)) {
		w.record.Stat = w.before
	}
	w.record.SHA256, _ = d.SHA256(context.WithoutCancel(ctx)) // also of the last document before a stop; one that cannot be read has none
	w.SHA256 = w.record.SHA256
}

// write writes the output whole or not at all; it is put in its place later.
func (o *Outputs) write(w *Output, write func(*bufio.Writer) error) {
	file, err := o.folder.Create(w.Name + o.Extension)
	if err != nil {
		w.Err = &WriteError{w.Path, err}
		return
	}
	w.Err = write(file.Writer)
	if partial := (*partition.PartialError)(nil); errors.As(w.Err, &partial) && !o.keeps(partial) {
		w.Err, w.Report.Missing = &outcome.UnwrittenError{Cause: partial.Cause()}, nil
	}
	if w.Err != nil && !outcome.LacksPages(w.Err) {
		file.Discard()
		if w.outdated && w.Kind() == partition.KindEmpty {
			_ = o.folder.root.Remove(w.Name + o.Extension) // what is left is still what the record says
		}
		return
	}
	if w.size, err = file.finish(); err != nil {
		file.Discard()
		w.Err = &WriteError{w.Path, err}
		return
	}
	w.file = file
}

// keeps reports whether an output that lacks pages is written. A document that changed while it was
// sent has no content that could be on record.
func (o *Outputs) keeps(partial *partition.PartialError) bool {
	return o.Partial && partition.KindOf(partial) != partition.KindChanged
}

// Commit takes over a document whose State is set. It calls then once the output, if there is one,
// is in its place and recorded. If the output cannot be put in its place, the document has failed.
// Nothing is kept of a document that was not done: its earlier output and record stay valid.
func (o *Outputs) Commit(w *Output, then func()) {
	if w.State == outcome.NotDone {
		w.record = journal.Record{}
		w.file.Discard()
		w.file = nil
	}
	o.in <- commit{w, then}
}

// Close returns when everything is committed.
func (o *Outputs) Close() {
	close(o.in)
	<-o.done
}

// gather takes what is waiting.
func (o *Outputs) gather(first commit) []commit {
	batch := []commit{first}
	for len(batch) < commitBatch {
		select {
		case next, more := <-o.in:
			if !more {
				return batch
			}
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

func (o *Outputs) commit(batch []commit) {
	var places errgroup.Group
	places.SetLimit(commitSyncs)
	for _, c := range batch {
		if c.output.file == nil {
			continue
		}
		places.Go(func() error {
			if err := c.output.file.place(); err != nil {
				o.lose(c.output, err)
			}
			c.output.file = nil
			return nil
		})
	}
	_ = places.Wait() // failures are the documents'
	var records []journal.Record
	for _, c := range batch {
		if c.output.record.Name != "" {
			records = append(records, c.output.record)
		}
	}
	if len(records) > 0 {
		if err := o.folder.journal.Append(records...); err != nil {
			o.Stop(&WriteError{"journal", err})
		}
	}
	for _, c := range batch {
		c.then()
	}
}

// lose notes that a finished output could not be put in its place.
func (o *Outputs) lose(w *Output, err error) {
	lost := &WriteError{w.Path, err}
	w.State, w.Written, w.Err = outcome.Failed, false, lost
	if w.record.Name != "" {
		r := &w.record
		r.State, r.Kind, r.Error = journal.Failed, string(w.Kind()), w.Message()
		r.Output, r.Elements, r.Empty, r.Pages, r.Missing, r.Status, r.Final = 0, 0, false, 0, nil, 0, false
	}
	if !lost.OfItsName() {
		o.Stop(lost)
	}
}
