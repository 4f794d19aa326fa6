package partition

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// An APIError is a partition request that failed for good. The [Report] lists its attempts.
type APIError struct {
	Document  string          // its name, as the caller gave it
	Pages     split.PageRange // of the document, counted from 1; zero if the document was sent whole
	Kind      Kind
	Status    int    // of the HTTP answer; 0 if there was none
	Detail    string // the server's words, or what is wrong with its answer; without the key
	RequestID string // of the last attempt, in the header X-Request-Id
	Attempts  int    // sent, retries included
	Final     bool   // the server declared that a retry cannot succeed
	Body      []byte // of the answer, at most 64 KiB, without the key
	Err       error  // the cause if no usable answer came; nil if Status is set

	url     string // without credentials and query; "" of an error that was made elsewhere
	elapsed time.Duration
	stop    retry.Stop // the limit that forbade another attempt; "" where the policy's rule did not want one
	hint    string     // what to look at
}

// Error returns one line: the document, its pages, the request, the answer and the number of
// attempts.
func (e *APIError) Error() string { return subject(e.Document, e.Pages) + ": " + e.cause() }

// cause is Error without the document and its pages.
func (e *APIError) cause() string {
	var b strings.Builder
	if e.url != "" {
		fmt.Fprintf(&b, "%s %s: ", http.MethodPost, e.where())
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, "%d", e.Status)
		if text := http.StatusText(e.Status); text != "" {
			b.WriteString(" " + text)
		}
		if e.Detail != "" {
			b.WriteString(": ")
		}
	}
	b.WriteString(text.Shorten(text.Printable(e.Detail), 500))
	if e.hint != "" {
		b.WriteString("; " + e.hint)
	}
	if e.Attempts == 0 {
		return b.String() + " (not sent)"
	}
	b.WriteString(" (" + text.Count(e.Attempts, "attempt"))
	if e.elapsed >= time.Second {
		fmt.Fprintf(&b, " in %s", e.elapsed.Round(100*time.Millisecond))
	}
	switch {
	case e.Final:
		b.WriteString(", not retryable")
	case e.Kind == KindBudget:
		b.WriteString(", " + string(e.stop))
	case e.stop == retry.StopSameAnswer:
		b.WriteString(", the same answer each time")
	case e.stop != "":
		b.WriteString(", stopped by " + strings.ReplaceAll(string(e.stop), "_", " "))
	}
	b.WriteString(")")
	return b.String()
}

// Transient reports whether the same request may be answered at another time: not where the server
// declared its failure final, or gave the request the same answer again and again while it answered
// others.
func (e *APIError) Transient() bool { return e.Kind.Transient() && !e.lasts() }

// lasts reports whether a repetition would fail alike.
func (e *APIError) lasts() bool { return e.Final || e.stop == retry.StopSameAnswer }

// where is the path of a request that was answered; where no answer came, or the answer casts doubt
// on the URL, all of it.
func (e *APIError) where() string {
	if u, err := url.Parse(e.url); err == nil && e.Err == nil && e.hint == "" {
		return u.Path
	}
	return e.url
}

// Unwrap returns the cause.
func (e *APIError) Unwrap() error { return e.Err }

// A DocumentError is a document that failed before any request was sent for it, because of this
// machine, or because it is empty.
type DocumentError struct {
	Document string
	Kind     Kind
	Err      error
}

// Error returns one line: the document and the cause.
func (e *DocumentError) Error() string {
	return subject(e.Document, split.PageRange{}) + ": " + text.Printable(e.Err.Error())
}

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// A PartialError says which of the requested pages have no answer. Everything else was delivered.
// Pages that were not sent, or not waited for, because the document had failed before have an error
// without a [Kind].
type PartialError struct {
	Document string
	Missing  []split.PageRange // in order
	Errs     []error           // the cause of each, in the same order
}

// Error returns one line: the document, the missing pages, the first cause, and the pages that were
// given up because of it.
func (e *PartialError) Error() string {
	var givenUp []split.PageRange
	for i, err := range e.Errs {
		if errors.Is(err, errGivenUp) && i < len(e.Missing) {
			givenUp = append(givenUp, e.Missing[i])
		}
	}
	line := fmt.Sprintf("%s: missing pages %s: %s", subject(e.Document, split.PageRange{}), joined(e.Missing), e.cause())
	if len(givenUp) > 0 {
		line += "; then given up: pages " + joined(givenUp)
	}
	return line
}

// joined is a list of ranges in order; those that follow each other are one.
func joined(ranges []split.PageRange) string {
	var list []string
	for i := 0; i < len(ranges); {
		run := ranges[i]
		for i++; i < len(ranges) && ranges[i].First == run.Last+1; i++ {
			run.Last = ranges[i].Last
		}
		list = append(list, run.String())
	}
	return strings.Join(list, ", ")
}

// Cause returns the first cause that has a [Kind], and so is no consequence of another; nil if Errs
// is empty.
func (e *PartialError) Cause() error { return cause(e.Errs) }

// cause is [PartialError.Cause] without the document and its pages.
func (e *PartialError) cause() string {
	first := e.Cause()
	api, document := (*APIError)(nil), (*DocumentError)(nil)
	switch {
	case first == nil:
		return "no answer"
	case errors.As(first, &api):
		return api.cause()
	case errors.As(first, &document) && document.Document == e.Document && document.Err != nil:
		return text.Printable(document.Err.Error())
	default:
		return text.Printable(first.Error())
	}
}

// cause returns the first error that has a kind, else the first, nil without any.
func cause(errs []error) error {
	for _, err := range errs {
		if KindOf(err) != "" {
			return err
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

// Unwrap returns the causes.
func (e *PartialError) Unwrap() []error { return e.Errs }

// KindOf returns the kind of an error of this package. For a [PartialError] it is the kind of the
// first cause that has one, for any other error "".
func KindOf(err error) Kind {
	var api *APIError
	var document *DocumentError
	var partial *PartialError
	switch {
	case errors.As(err, &partial) && len(partial.Errs) > 0:
		return KindOf(partial.Cause())
	case errors.As(err, &api):
		return api.Kind
	case errors.As(err, &document):
		return document.Kind
	case errors.Is(err, context.Canceled):
		return KindCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return KindTimeout
	case errors.Is(err, errChanged):
		return KindChanged
	default:
		return ""
	}
}

// localError is a document that could not be read.
func localError(name string, err error) error {
	kind := KindLocalIO
	if cause := KindOf(err); cause != "" {
		kind = cause
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == name {
		err = path.Err
	}
	return &DocumentError{Document: name, Kind: kind, Err: err}
}

// statusKind is what a status means; listDetail says that a 422 lists form fields.
func statusKind(status int, detail string, listDetail bool) Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return KindAuth
	case status == http.StatusPaymentRequired:
		return KindQuota
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return KindTimeout
	case status == http.StatusRequestEntityTooLarge:
		return KindTooLarge
	case status == http.StatusUnsupportedMediaType, status == http.StatusBadRequest && isTypeRefusal(detail):
		return KindUnsupportedType
	case status == http.StatusUnprocessableEntity && !listDetail:
		return KindBadDocument
	case status == http.StatusTooManyRequests:
		return KindThrottled
	case status >= 500:
		return KindServer
	case status >= 400:
		return KindBadRequest
	default:
		return KindBadResponse
	}
}

// isTypeRefusal recognizes the texts with which the API refuses a media type.
func isTypeRefusal(detail string) bool {
	return strings.HasPrefix(detail, "File type ") && strings.HasSuffix(strings.TrimRight(detail, "."), "is not supported") ||
		strings.HasSuffix(detail, "not currently supported")
}

func subject(document string, pages split.PageRange) string {
	name := text.Printable(document)
	if name == "" {
		name = "document"
	}
	switch {
	case pages == split.PageRange{}:
		return name
	case pages.Len() == 1:
		return name + " page " + pages.String()
	default:
		return name + " pages " + pages.String()
	}
}
