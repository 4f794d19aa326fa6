package cmd

import (
	"context"
	"io"

	"github.com/quire-dev/quire/partition"
)

// readStandardInput is a document of everything on standard input. An interrupt ends the waiting
// for it.
func readStandardInput(ctx context.Context, sh *shell, name string) (*partition.Document, error) {
	if name == "" {
		name = "standard input"
	}
	in := interruptible(ctx, sh.stdin)
	defer in.Close() // it was only read
	return partition.FromReader(ctx, name, in)
}

// interruptible reads r until ctx ends, which ends a read that waits as well: a terminal or a pipe
// may have nothing for long. Once it is closed, at most one more read of r is under way.
func interruptible(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return &interruptibleReader{out, context.AfterFunc(ctx, func() { in.CloseWithError(context.Cause(ctx)) })}
}

type interruptibleReader struct {
	*io.PipeReader
	disarm func() bool
}

// Close ends the reading.
func (r *interruptibleReader) Close() error {
	r.disarm()
	return r.PipeReader.Close()
}
