package cmd

import (
	"context"
	"io"

	"github.com/quire-dev/quire/partition"
)

// readStandardInput is a document of everything on standard input. An interrupt ends the waiting for it.
func readStandardInput(ctx context.Context, sh *shell, name string) (*partition.Document, error) {
	if name == "" {
		name = "standard input"
	}
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, sh.stdin)
		w.CloseWithError(err)
	}()
	defer context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })()
	return partition.FromReader(ctx, name, r)
}
