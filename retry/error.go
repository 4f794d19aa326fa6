package retry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Error is returned by a call that ended without a usable answer. It unwraps to the last attempt's
// error and, if the caller's context ended, also to its cause.
type Error struct {
	// Trace is what the call did.
	Trace Trace
	// Last is how the last attempt ended; nil if no attempt was made.
	Last *Outcome

	err error
}

// Error returns one line: the number of attempts, the time, what stopped the call, and why.
func (e *Error) Error() string {
	var b strings.Builder
	switch n := len(e.Trace.Attempts); n {
	case 0:
		b.WriteString("no attempt")
	case 1:
		b.WriteString("1 attempt")
	default:
		fmt.Fprintf(&b, "%d attempts", n)
	}
	fmt.Fprintf(&b, " in %s", roundSpan(e.Trace.Elapsed))
	if e.Trace.Stop != "" {
		fmt.Fprintf(&b, ", stopped by %s", e.Trace.stopText())
	}
	if e.Last != nil && e.Last.Status != 0 {
		fmt.Fprintf(&b, ", last status %d", e.Last.Status)
	}
	if e.err != nil {
		b.WriteString(": ")
		b.WriteString(oneLine(e.err.Error()))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// resultError marks what was wrong with an answer.
type resultError struct {
	kind Kind
	err  error
}

func (e *resultError) Error() string {
	if e.err == nil {
		return string(e.kind)
	}
	return e.err.Error()
}

func (e *resultError) Unwrap() error { return e.err }

// Truncated wraps the error of a [Call.Accept] whose answer ended early. The policy sees
// [KindTruncated].
func Truncated(err error) error { return &resultError{KindTruncated, err} }

// Decode wraps the error of a [Call.Accept] whose answer is complete but not what was asked for.
// The policy sees [KindDecode].
func Decode(err error) error { return &resultError{KindDecode, err} }

// limitError is a limit of the policy that ended an attempt.
type limitError struct {
	kind Kind
	text string
}

func (e *limitError) Error() string { return e.text }

// Timeout marks the error as a time-out for errors that look for it.
func (e *limitError) Timeout() bool { return true }

func headersLimit(d time.Duration) error {
	return &limitError{KindTimeout, fmt.Sprintf("no answer within the attempt's limit of %s", formatSpan(d))}
}

func wholeLimit(d time.Duration) error {
	return &limitError{KindTimeout, fmt.Sprintf("no whole answer within the attempt's limit of %s", formatSpan(d))}
}

func idleLimit(d time.Duration) error {
	return &limitError{KindIdle, fmt.Sprintf("less than 1 KiB of the answer's body within the idle limit of %s", formatSpan(d))}
}

// errTwice is returned for a body that would have to be opened again but cannot be.
var errTwice = errors.New("the request's body cannot be replayed")

// roundSpan keeps three or four digits.
func roundSpan(d time.Duration) string {
	switch {
	case d >= time.Minute:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Millisecond)
	}
	return formatSpan(d)
}

// oneLine quotes control characters, so that what a server wrote cannot act on a terminal.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
