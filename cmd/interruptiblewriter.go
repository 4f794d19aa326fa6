package cmd

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// writePatience is how long a write may wait for its reader after a signal has come.
	writePatience = 5 * time.Second

	// writeAtOnce is how many bytes are written at a time: a reader that is slow shows that it reads.
	writeAtOnce = 64 << 10
)

// interruptibleOutput writes to w. A reader that does not read does not keep a command from ending:
// once ctx has ended, a write waits for writePatience, then it and all later ones fail with the
// context's cause.
func interruptibleOutput(ctx context.Context, w io.Writer) io.Writer {
	out := &interruptibleWriter{ctx: ctx, w: w}
	if file, ok := w.(*os.File); ok {
		return &interruptibleFile{out, file}
	}
	return out
}

type interruptibleWriter struct {
	ctx context.Context
	w   io.Writer

	mu     sync.Mutex
	buffer []byte // of the write under way, which may outlast its caller's
	err    error  // of the write that was given up
}

// Write writes everything, or returns an error.
func (w *interruptibleWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	written := 0
	for {
		if w.err != nil {
			return written, w.err
		}
		n, err := w.write(p[written:min(len(p), written+writeAtOnce)])
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

func (w *interruptibleWriter) write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	w.buffer = append(w.buffer[:0], p...)
	buffer, done := w.buffer, make(chan result, 1)
	go func() {
		n, err := w.w.Write(buffer)
		if n < len(buffer) && err == nil {
			err = io.ErrShortWrite
		}
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-w.ctx.Done():
	}
	patience := time.NewTimer(writePatience)
	defer patience.Stop()
	select {
	case r := <-done:
		return r.n, r.err
	case <-patience.C:
		w.err, w.buffer = context.Cause(w.ctx), nil
		return 0, w.err
	}
}

// An interruptibleFile is what [screen.IsTerminal] can ask.
type interruptibleFile struct {
	*interruptibleWriter
	file *os.File
}

// Fd is the file's.
func (f *interruptibleFile) Fd() uintptr { return f.file.Fd() }
