package retry

import "slices"

// Kind is how an attempt went wrong, apart from its status.
type Kind string

// The kinds of errors.
const (
	KindNone  Kind = ""
	KindDial  Kind = "dial" // no connection, also a TLS handshake that timed out
	KindDNS   Kind = "dns"  // the host's name was not resolved
	KindTLS   Kind = "tls"  // certificate or protocol refused
	KindReset Kind = "reset-before-sent"
	// KindLost is a connection that broke after the request was fully sent and
	// before an answer: the server may have done the work.
	KindLost      Kind = "reset-after-sent"
	KindTimeout   Kind = "timeout"   // the attempt's limit to the answer's header
	KindIdle      Kind = "idle"      // the limit for a body without a byte
	KindTruncated Kind = "truncated" // the answer's body ended early
	KindDecode    Kind = "decode"    // the answer is complete but not what was asked for
	// The kinds below are never repeated, whatever the rules say.
	KindCanceled Kind = "canceled"   // the caller's context ended
	KindRedirect Kind = "redirect"   // the HTTP client refused a redirect
	KindBody     Kind = "body"       // the request's body could not be opened or read
	KindLength   Kind = "bad-length" // the request's body was not as long as declared
	KindInvalid  Kind = "invalid"    // the request cannot be sent as it is
)

// Kinds lists the kinds that a condition may name.
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

// unanswered reports whether the request may have been worked on without the
// caller getting the result.
func (k Kind) unanswered() bool {
	return slices.Contains([]Kind{KindLost, KindTimeout, KindIdle, KindTruncated, KindDecode}, k)
}
