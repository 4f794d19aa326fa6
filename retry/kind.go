package retry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
)

// Kind is what went wrong in an attempt, apart from its status; "" means nothing. The conditions of
// a policy use it. New kinds may be added.
type Kind string

// The kinds of errors that a policy decides on.
const (
	KindDial      Kind = "dial"              // no connection, or a TLS handshake that timed out
	KindDNS       Kind = "dns"               // the host's name was not resolved
	KindTLS       Kind = "tls"               // certificate or protocol refused
	KindReset     Kind = "reset_before_sent" // the connection broke before the request was fully sent
	KindLost      Kind = "reset_after_sent"  // it broke later, before an answer: the work may be done
	KindTimeout   Kind = "timeout"           // no answer's header within [Budget.ToHeaders], or no whole answer within [Budget.WholeAttempt]
	KindIdle      Kind = "idle"              // less than 1 KiB of the answer's body within [Budget.BodyIdle]
	KindTruncated Kind = "truncated"         // the answer's body ended early
	KindDecode    Kind = "decode"            // the answer is complete, but not what was asked for
)

// The kinds of errors that are never retried, whatever the policy says.
const (
	KindCanceled Kind = "canceled"   // the caller's context ended
	KindRedirect Kind = "redirect"   // the HTTP client refused a redirect
	KindBody     Kind = "body"       // the request's body could not be opened or read
	KindLength   Kind = "bad_length" // the request's body was not as long as declared
	KindInvalid  Kind = "invalid"    // the request cannot be sent as it is
)

// Kinds returns all kinds. Those that are never retried come last.
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

// classify returns the kind of an error that came instead of an answer. dialing says that the
// transport was still without a connection. A transport that will not send a request at all says so
// by an error with a method Permanent() bool.
func classify(err error, dialing, sent bool) Kind {
	var (
		limit  *limitError
		dns    *net.DNSError
		op     *net.OpError
		cert   *tls.CertificateVerificationError
		record tls.RecordHeaderError
		alert  tls.AlertError
		ca     x509.UnknownAuthorityError
		host   x509.HostnameError
		bad    x509.CertificateInvalidError
		slow   interface{ Timeout() bool }
		final  interface{ Permanent() bool }
	)
	text := err.Error()
	switch {
	case errors.As(err, &limit):
		return limit.kind
	case errors.As(err, &dns):
		return KindDNS
	case errors.As(err, &cert), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &ca), errors.As(err, &host), errors.As(err, &bad),
		errors.As(err, &op) && op.Op == "remote error", strings.HasPrefix(text, "tls: "), strings.HasPrefix(text, "http: server gave HTTP response to HTTPS client"):
		return KindTLS
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"), dialing:
		return KindDial
	case strings.HasPrefix(text, "unsupported protocol scheme"), strings.HasPrefix(text, "http: no Host in request URL"), strings.HasPrefix(text, "http: nil Request.URL"), strings.HasPrefix(text, "net/http: invalid "):
		return KindInvalid
	case errors.As(err, &final) && final.Permanent():
		return KindInvalid
	case errors.As(err, &slow) && slow.Timeout():
		return KindTimeout
	case sent:
		return KindLost
	}
	return KindReset
}

// classifyResult returns the kind of an error that came while an answer's body was read or checked;
// read is why reading it failed, if it did.
func classifyResult(err, read error) Kind {
	var (
		result *resultError
		limit  *limitError
	)
	switch {
	case errors.As(read, &limit):
		return limit.kind
	case read != nil:
		return KindTruncated
	case errors.As(err, &result):
		return result.kind
	case errors.Is(err, io.ErrUnexpectedEOF):
		return KindTruncated
	}
	return KindDecode
}

// bare takes off what net/http's client wraps around an error: it names the whole URL, whose query
// may hold secrets.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) && u.Err != nil {
		return u.Err
	}
	return err
}
