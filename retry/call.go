package retry

import (
	"context"
	"log/slog"
	"net/http"
)

// Call is one request with everything that is needed to send it again.
type Call struct {
	// Policy is the policy for this call; nil means the client's.
	Policy *Policy
	// Request is the request to send. It is not changed: each attempt sends a copy, with the
	// context of Do instead of its own.
	//
	// Every attempt opens the body with GetBody, not before the transport wants the first byte.
	// GetBody may be called while an earlier reader is still being read or closed. Every reader
	// that it returns is closed. A body without GetBody can be read only once: after that, the
	// request is not sent again, whatever the policy says. ContentLength is the exact length in
	// bytes. If it is -1, or 0 with a body, the length is unknown and the body is sent with chunked
	// encoding.
	Request *http.Request
	// Slot is a slot for the first attempt, from [Client.Admit] of the same client. Do always
	// releases it. If nil, Do waits for a slot itself.
	Slot *Slot
	// Stop is a second context. When it ends, the call ends its waits and retries, but an attempt
	// under way is finished, because its answer is paid for. If nil, only the context of Do ends
	// the call.
	Stop context.Context
	// Stream says that the answer is a stream: Do never reads its body and decides by the status
	// alone. An answer of type text/event-stream is always treated as a stream.
	Stream bool
	// Facts are the values for [Condition.Fact]; nil means none.
	Facts map[string]bool
	// Patches are the changes that a [Mutate] rule may ask for, by name; nil means none. A patch
	// changes a copy of the request, and applies to all later attempts. To replace the body, it
	// sets GetBody and ContentLength.
	Patches map[string]func(*http.Request) error
	// Accept reads and checks a 2xx answer as part of the attempt, while the slot is held and the
	// limits of the attempt apply. The policy decides on its error; wrap it with [Truncated] or
	// [Decode]. It is called at most once per attempt and must start afresh each time. At the end,
	// Do returns the answer with an empty body, and the slot is held until that body is closed. It
	// is not called for a stream. nil accepts every answer.
	Accept func(*http.Response) error
	// Alive asks whether the server works, within ctx. It is called when [Budget.SameAnswer] needs to
	// know and no other call has shown it. nil means that nobody can be asked.
	Alive func(ctx context.Context) bool
	// Observe gets every event of the call, in the goroutine in which it happens. Several
	// goroutines may call it at once; it must not block. nil means none.
	Observe func(Event)
	// Attrs are added to every log line of the call.
	Attrs []slog.Attr
	// NewHeader returns headers to set on an attempt, such as a request id. Attempts are counted
	// from 1. nil means none.
	NewHeader func(attempt int) http.Header
}
