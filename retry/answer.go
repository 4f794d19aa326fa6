package retry

import (
	"context"
	"errors"
	"io"
)

// answerBody is an answer's body within the limits of its attempt: a read that
// sees no byte for too long ends the attempt, and so does Close.
type answerBody struct {
	rc     io.ReadCloser
	ctx    context.Context
	limits limits
	err    error // why reading failed
}

func (b *answerBody) Read(p []byte) (int, error) {
	b.limits.wait()
	n, err := b.rc.Read(p)
	b.limits.stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = withLimit(b.ctx, err)
		b.err = err
	}
	return n, err
}

func (b *answerBody) Close() error {
	err := b.rc.Close()
	b.limits.close()
	return err
}

// withLimit returns the limit that ended the attempt instead of what the
// transport made of it.
func withLimit(ctx context.Context, err error) error {
	var limit *limitError
	if errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	return err
}

// heldBody is the body that the caller gets: what was peeked at, then the rest. It holds the slot, if
// it has one, until Close.
type heldBody struct {
	seen []byte
	rest io.ReadCloser
	slot *Slot
}

func (b *heldBody) Read(p []byte) (int, error) {
	if len(b.seen) > 0 {
		n := copy(p, b.seen)
		b.seen = b.seen[n:]
		return n, nil
	}
	return b.rest.Read(p)
}

func (b *heldBody) Close() error {
	err := b.rest.Close()
	b.slot.Release()
	return err
}
