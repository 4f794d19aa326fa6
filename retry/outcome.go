package retry

import "net/http"

// Outcome is how an attempt ended, as a policy sees it: values only, no open resource.
type Outcome struct {
	// Status is the answer's; 0 is no answer.
	Status int
	// Header is the answer's.
	Header http.Header
	// Kind is what went wrong, apart from the status; "" is nothing.
	Kind Kind
	// Body is the answer's body; nil is an empty one, or one that was not seen to its end.
	Body []byte
	// Sent says that the request was sent to its end.
	Sent bool
}
