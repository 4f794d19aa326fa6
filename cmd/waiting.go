package cmd

import (
	"bufio"
	"errors"
	"io"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition/wire"
)

// waiting is where the outputs are that wait for their turn.
type waiting struct {
	scratch wire.Scratch
	console *screen.Console
}

func newWaiting(console *screen.Console) *waiting {
	return &waiting{scratch: wire.Scratch{Disk: true}, console: console}
}

// spooled writes an output that has to wait for its turn. It is kept if it is whole, or only lacks
// pages.
func (w *waiting) spooled(write func(*bufio.Writer) error) (*wire.Store, error) {
	store := w.scratch.NewStore()
	to, err := store.Create()
	if err == nil {
		err = flushed("temporary file", to, write)
	}
	if err != nil && !outcome.LacksPages(err) {
		store.Remove()
		return nil, err
	}
	return store, err
}

// free lets the output of a document go.
func (w *waiting) free(of *work) {
	if of.spool != nil {
		of.spool.Remove()
		of.spool = nil
	}
}

// close removes what waits, and says where it could not be kept as it should.
func (w *waiting) close() {
	if warning := w.scratch.Warning(); warning != "" {
		w.console.Warn(errors.New(warning))
	}
	_ = w.scratch.Close() // nothing in it is needed any more
}

// copyStore writes what waited.
func copyStore(w io.Writer, store *wire.Store) error {
	r, err := store.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}
