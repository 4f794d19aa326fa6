package retry

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
)

// Call is one request with everything that its repeats need.
type Call struct {
	// Policy decides on this call; nil is the client's.
	Policy *Policy
	// Method and URL are the request's; an empty method is GET.
	Method, URL string
	// Header is not changed: attempts send copies. A Host entry overrides the
	// URL's host.
	Header http.Header
	Body   Body
	// Slot is an admission for the first attempt, from the same client's
	// [Client.Admit]. Do owns it and releases it in any case. nil: Do asks for
	// one itself.
	Slot *Slot
	// Stop, where it is set, ends the call's waits and repeats when it ends, as the
	// context of Do does, but lets an attempt that has begun come to its end: an
	// answer that is paid for is not thrown away.
	Stop context.Context
	// Stream says that the answer is a stream: its body is never read here and
	// the status alone decides. An answer of type text/event-stream is one
	// whatever this says.
	Stream bool
	// Facts are what the policy's fact conditions look at.
	Facts map[string]bool
	// Patches are the changes that a [Mutate] row may ask for, by name. A change
	// stays in force for the attempts that follow.
	Patches map[string]Patch
	// Accept reads and checks a 2xx answer inside the attempt, while the slot is
	// held and the limits of the attempt are in force. Its error is judged by
	// the policy; mark it with [Truncated], [Decode] or a [ResultError]. It may
	// be called once for each attempt and must start afresh. Its answer comes
	// back from Do with an empty body. Not called where Stream is set.
	Accept func(*http.Response) error
	// Attrs are added to every log line and event of the call.
	Attrs []slog.Attr
	// NewHeader returns headers to set on the attempt, from 1: a request id.
	NewHeader func(attempt int) http.Header
}

// Body is a request's body, opened anew for every attempt. The zero value is no
// body. It is never copied.
type Body struct {
	// Open returns a fresh reader from the first byte; it may be called while an
	// earlier reader is still being read or closed. It is called when the
	// transport wants the first byte, and what it returned is closed.
	Open func() (io.ReadCloser, error)
	// Len is the exact length in bytes, -1 for unknown, which is sent in chunks.
	Len int64
	// Once says that Open works only once: after it was called the request is
	// not repeated, whatever the policy says.
	Once bool
}

// BytesBody is a body in memory. It is not copied.
func BytesBody(b []byte) Body {
	return Body{
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil },
		Len:  int64(len(b)),
	}
}

// Patch changes the request of the attempts that follow. The request's header
// and URL are copies, the request's own Body and ContentLength are not looked
// at: set *b.
type Patch func(r *http.Request, b *Body) error
