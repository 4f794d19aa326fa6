package retry

import "slices"

// Kind is how an attempt went wrong, apart from its status; "" is not at all. A policy's conditions
// name kinds; new ones may be added.
type Kind string

// The kinds of errors that a policy decides on.
const (
	KindDial      Kind = "dial"              // no connection, also a TLS handshake that timed out
	KindDNS       Kind = "dns"               // the host's name was not resolved
	KindTLS       Kind = "tls"               // certificate or protocol refused
	KindReset     Kind = "reset_before_sent" // the connection broke before the request was fully sent
	KindLost      Kind = "reset_after_sent"  // it broke later, before an answer: the work may be done
	KindTimeout   Kind = "timeout"           // no answer's header within [Budget.ToHeaders]
	KindIdle      Kind = "idle"              // no byte of the answer's body within [Budget.BodyIdle]
	KindTruncated Kind = "truncated"         // the answer's body ended early
	KindDecode    Kind = "decode"            // the answer is complete, but not what was asked for
)

// The kinds of errors that are never repeated, whatever the policy says.
const (
	KindCanceled Kind = "canceled"   // the caller's context ended
	KindRedirect Kind = "redirect"   // the HTTP client refused a redirect
	KindBody     Kind = "body"       // the request's body could not be opened or read
	KindLength   Kind = "bad_length" // the request's body was not as long as declared
	KindInvalid  Kind = "invalid"    // the request cannot be sent as it is
)

// Kinds lists the kinds, those that are never repeated last.
func Kinds() []Kind {
	return []Kind{
		KindDial, KindDNS, KindTLS, KindReset, KindLost, KindTimeout, KindIdle, KindTruncated, KindDecode,
		KindCanceled, KindRedirect, KindBody, KindLength, KindInvalid,
	}
}

// permanent reports whether no rule can make the kind repeatable.
func (k Kind) permanent() bool {
	return slices.Contains([]Kind{KindCanceled, KindRedirect, KindBody, KindLength, KindInvalid}, k)
}

// unanswered reports whether the server may have done the work although its result did not arrive.
func (k Kind) unanswered() bool {
	return slices.Contains([]Kind{KindLost, KindTimeout, KindIdle, KindTruncated, KindDecode}, k)
}
