package cmd

import (
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

const (
	// commitBatch is how many outputs are brought to the disk together, and so how many files wait open for it at most.
	commitBatch = 128

	// commitSyncs is how many files are synced at once: a file system writes its own journal once for all of them.
	commitSyncs = 16
)

// A committer puts finished outputs in their place and on record. While it waits for the disk the next ones gather, so that the busier
// a run is, the fewer times the disk is waited for. A record is written after its output, never before: what the journal says is true
// after a crash as well.
type committer struct {
	run  *run
	in   chan *work
	done chan struct{}
}

func newCommitter(r *run) *committer {
	c := &committer{run: r, in: make(chan *work), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		for first := range c.in {
			c.commit(c.gather(first))
		}
	}()
	return c
}

// add takes over a document whose output is finished, or which has none; it is concluded once it is on record.
func (c *committer) add(w *work) { c.in <- w }

// close returns when everything is committed.
func (c *committer) close() {
	close(c.in)
	<-c.done
}

// gather takes what is waiting.
func (c *committer) gather(first *work) []*work {
	batch := []*work{first}
	for len(batch) < commitBatch {
		select {
		case w, more := <-c.in:
			if !more {
				return batch
			}
			batch = append(batch, w)
		default:
			return batch
		}
	}
	return batch
}

// lose notes that a finished output could not be put in its place.
func (c *committer) lose(w *work, err error) {
	if w.state == stateDone {
		c.run.countFailure()
	}
	w.state, w.output, w.err = stateFailed, false, &outputError{w.entry.Path, err}
	if w.record.Name != "" {
		r := &w.record
		r.State, r.Kind, r.Error = journal.Failed, string(w.kind()), w.message()
		r.Output, r.Elements, r.Pages, r.Missing, r.Status, r.Final = 0, 0, 0, nil, 0, false
	}
	c.run.stopIfUnwritable(w.err)
}

func (c *committer) commit(batch []*work) {
	var places errgroup.Group
	places.SetLimit(commitSyncs)
	for _, w := range batch {
		if w.file == nil {
			continue
		}
		places.Go(func() error {
			if err := w.file.place(); err != nil {
				c.lose(w, err)
			}
			w.file = nil
			return nil
		})
	}
	_ = places.Wait() // failures are the documents'
	var records []journal.Record
	for _, w := range batch {
		if w.record.Name != "" {
			records = append(records, w.record)
		}
	}
	if len(records) > 0 {
		if err := c.run.output.journal.Append(records...); err != nil {
			c.run.stop(&outputError{"journal", err})
		}
	}
	for _, w := range batch {
		c.run.conclude(w)
	}
}
