package cmd

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition/wire"
)

// waiting is where the outputs are that wait for their turn.
type waiting struct {
	scratch *wire.Scratch
	console *screen.Console
}

func newWaiting(console *screen.Console) *waiting {
	return &waiting{scratch: newScratch(), console: console}
}

// What may wait, in bytes: in the temporary file, and in memory where that cannot be written. From half
// of it on no document is begun.
const (
	waitingOnDisk   = 32 << 30
	waitingInMemory = 512 << 20
)

func newScratch() *wire.Scratch {
	return &wire.Scratch{Disk: true, Space: wire.NewSpace(waitingOnDisk, waitingInMemory)}
}

// room waits until another document may be begun.
func (w *waiting) room(ctx context.Context) error { return w.scratch.Space.Wait(ctx, nil) }

// spooled writes an output that has to wait for its turn. It is kept if it is whole, or only lacks
// pages.
func (w *waiting) spooled(write func(*bufio.Writer) error) (*wire.Store, error) {
	store := w.scratch.NewStore()
	err := flushed("temporary file", store.Create(), write)
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
	_, err := io.Copy(w, store.Open())
	return err
}
