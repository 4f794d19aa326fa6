package cmd

import (
	"bufio"
	"context"
	"io"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
)

// A sink is where the outputs of a run go. Documents call output and finish at once; show is called
// for one document at a time.
type sink interface {
	// ordered reports whether documents are shown in the order of the walk, else as they are
	// concluded.
	ordered() bool
	// resumes reports whether another run does what this one ends before, so that nothing of such a
	// document is kept.
	resumes() bool
	// streams reports whether an output is shown as it comes, so that it cannot begin again.
	streams() bool
	// begin sets the State of a document that an earlier run has settled, so that it is not sent.
	begin(ctx context.Context, d *partition.Document, w *work)
	// output makes the output of a document that has to be sent: write sends it and is given what
	// takes the elements.
	output(ctx context.Context, d *partition.Document, w *work, write func(*bufio.Writer) error)
	// finish takes over a document whose State is set, and calls then once its output is where it
	// belongs.
	finish(w *work, then func())
	// room waits until another document may be begun. The error is why there is none.
	room(ctx context.Context) error
	// finished returns when every output is where it belongs.
	finished()
	// show shows a concluded document in its turn.
	show(w *work) error
}

// A folderSink puts outputs in a folder, each in its place as soon as it is whole.
type folderSink struct {
	outputs *folder.Outputs
	final   folder.FinalFailures // of a failed list that is run again
}

func (s *folderSink) ordered() bool    { return false }
func (s *folderSink) resumes() bool    { return true }
func (s *folderSink) streams() bool    { return false }
func (s *folderSink) finished()        { s.outputs.Close() }
func (s *folderSink) show(*work) error { return nil }

func (s *folderSink) room(context.Context) error { return nil }

func (s *folderSink) begin(ctx context.Context, d *partition.Document, w *work) {
	switch {
	case !s.outputs.Knows(w.Name) && s.final.Settle(ctx, d, &w.Outcome):
	case w.Path == walk.Stdin:
		w.output = s.outputs.BeginUnrecorded(&w.Outcome)
	default:
		w.output = s.outputs.Begin(ctx, d, &w.Outcome)
	}
}

func (s *folderSink) output(ctx context.Context, d *partition.Document, w *work, write func(*bufio.Writer) error) {
	s.outputs.Do(ctx, d, w.output, write)
}

func (s *folderSink) finish(w *work, then func()) {
	if w.output == nil {
		then()
		return
	}
	s.outputs.Commit(w.output, then)
}

// A stdoutSink writes outputs to standard output, in the order of the walk.
type stdoutSink struct {
	stdout  io.Writer
	console *screen.Console
	format  format.Format
	single  bool                 // there is one document, which need not wait for its turn
	hashes  bool                 // a failed list wants to know what a document was that failed
	final   folder.FinalFailures // of a failed list that is run again
	waiting *waiting
}

func (s *stdoutSink) ordered() bool               { return true }
func (s *stdoutSink) streams() bool               { return s.single && s.format.Streams }
func (s *stdoutSink) resumes() bool               { return false }
func (s *stdoutSink) finish(_ *work, then func()) { then() }
func (s *stdoutSink) finished()                   { s.waiting.close() }

func (s *stdoutSink) room(ctx context.Context) error { return s.waiting.room(ctx) }

func (s *stdoutSink) begin(ctx context.Context, d *partition.Document, w *work) {
	s.final.Settle(ctx, d, &w.Outcome)
}

// output streams a single document, but for JSON, which is shown at once, so that it is always a
// whole array; of several documents each waits for its turn.
func (s *stdoutSink) output(ctx context.Context, d *partition.Document, w *work, write func(*bufio.Writer) error) {
	if s.streams() {
		w.Err = flushed("standard output", s.stdout, write)
	} else {
		s.waiting.free(w)
		w.spool, w.Err = s.waiting.spooled(write)
	}
	if s.hashes && w.Err != nil {
		w.SHA256, _ = d.SHA256(ctx) // without it, less is known of the document
	}
}

func (s *stdoutSink) show(w *work) error {
	if w.spool == nil {
		return nil
	}
	defer s.waiting.free(w)
	s.console.Clear()
	if err := copyStore(s.stdout, w.spool); err != nil {
		return &folder.WriteError{Name: "standard output", Err: err}
	}
	return nil
}

// flushed writes through a buffer.
func flushed(name string, w io.Writer, write func(*bufio.Writer) error) error {
	out := bufio.NewWriter(w)
	err := write(out)
	if lost := out.Flush(); lost != nil && err == nil {
		err = &folder.WriteError{Name: name, Err: lost}
	}
	return err
}
