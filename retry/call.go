package retry

import (
	"context"
	"log/slog"
	"net/http"
)

// Call is one request with everything that its repeats need.
type Call struct {
	// Policy decides on this call; nil is the client's.
	Policy *Policy
	// Request is what is sent. It is not changed: attempts send copies, with the context of Do instead
	// of its own.
	//
	// Its body is opened anew by GetBody for every attempt, no sooner than the transport wants the
	// first byte; GetBody may be called while an earlier reader is still being read or closed, and
	// what it returned is closed. A body without GetBody can be read only once: after it was, the
	// request is not repeated, whatever the policy says. ContentLength is the exact length in bytes;
	// -1, or 0 beside a body, is an unknown one, which is sent in chunks.
	Request *http.Request
	// Slot is an admission for the first attempt, from the same client's [Client.Admit]. Do owns it
	// and releases it in any case. nil: Do asks for one itself.
	Slot *Slot
	// Stop, where it is set, ends the call's waits and repeats when it ends, as the context of Do
	// does, but lets an attempt that has begun come to its end: an answer that is paid for is not
	// thrown away. nil: only the context of Do ends the call.
	Stop context.Context
	// Stream says that the answer is a stream: its body is never read here and the status alone
	// decides. An answer of type text/event-stream is one whatever this says.
	Stream bool
	// Facts are what the policy's fact conditions look at; nil is none.
	Facts map[string]bool
	// Patches are the changes that a [Mutate] row may ask for, by name; nil is none. A change stays in
	// force for the attempts that follow. It is made to a copy of the request; a new body is a new
	// GetBody and ContentLength.
	Patches map[string]func(*http.Request) error
	// Accept reads and checks a 2xx answer inside the attempt, while the slot is held and the limits
	// of the attempt are in force. Its error is judged by the policy; mark it with [Truncated] or
	// [Decode]. It may be called once for each attempt and must start afresh. After the last, Do
	// returns the answer with an empty body, and the slot is held until that is closed. Not called
	// where the answer is a stream; nil accepts every answer.
	Accept func(*http.Response) error
	// Alive asks whether the server works, within ctx, where [Budget.SameAnswer] wants to know and no
	// other call has shown it. nil: nobody can be asked.
	Alive func(ctx context.Context) bool
	// Observe gets every event of the call, in the goroutine in which it happens. It must not block
	// and may be called by several goroutines at once. nil is none.
	Observe func(Event)
	// Attrs are added to every log line of the call.
	Attrs []slog.Attr
	// NewHeader returns headers to set on the attempt, from 1: a request id. nil is none.
	NewHeader func(attempt int) http.Header
}
