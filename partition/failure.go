package partition

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/quire-dev/quire/retry"
)

// errorBodyBytes and errorBodyTime bound how much of an error's body is read, and for how long.
const (
	errorBodyBytes = 64 << 10
	errorBodyTime  = 2 * time.Second
)

// newError is the error of a call, but for what came back.
func (j *job) newError(c *chunk, requestID string, trace retry.Trace) *APIError {
	e := &APIError{
		Document: j.plan.Document, Pages: c.pages, RequestID: requestID, Attempts: len(trace.Attempts), Final: trace.Final,
		url: j.client.endpoint.String(), elapsed: trace.Elapsed,
	}
	rule := ""
	if n := len(trace.Attempts); n > 0 {
		last := trace.Attempts[n-1]
		rule, e.Status, e.Err = last.Rule, last.Status, last.Err
	}
	if trace.Stop != rule {
		e.stop = retry.Stop(trace.Stop)
	}
	return e
}

// noAnswer completes the error of a call that got no usable answer.
func (j *job) noAnswer(ctx context.Context, e *APIError, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) && e.Attempts == 0 {
		return canceled(ctx, e.Document)
	}
	var call *retry.Error
	if errors.As(err, &call) && isRefused(errors.Unwrap(call)) {
		return j.stopped(e, errors.Unwrap(call))
	}
	e.Err = err
	e.Kind = KindTransport
	if call != nil {
		e.Err = errors.Unwrap(call)
		e.Kind = transportKind(call)
		if call.Last != nil {
			e.Status = call.Last.Status
		}
	}
	if wrapped := (*url.Error)(nil); errors.As(e.Err, &wrapped) {
		e.Err = wrapped.Err // it repeats the method and the URL
	}
	if e.Err == nil {
		e.Err = errors.New("no answer")
	}
	e.Detail = j.secrets.redact(e.Err.Error())
	return e
}

// stopped completes the error of a call that a spending limit kept from another attempt: it has
// what the last one came to, and names the limit.
func (j *job) stopped(e *APIError, limit error) error {
	if e.Attempts == 0 {
		return j.overLimit(limit)
	}
	e.Kind, e.stop, e.Final = KindBudget, retry.Stop(limit.Error()), false
	if e.Err != nil {
		e.Detail = j.secrets.redact(e.Err.Error())
	}
	return e
}

func transportKind(e *retry.Error) Kind {
	switch {
	case errors.Is(e, context.Canceled):
		return KindCanceled
	case e.Last == nil:
		return KindTransport
	}
	switch e.Last.Kind {
	case retry.KindTimeout, retry.KindIdle:
		return KindTimeout
	case retry.KindDecode, retry.KindTruncated:
		return KindBadResponse
	case retry.KindCanceled:
		return KindCanceled
	case retry.KindLength, retry.KindBody:
		return KindLocalIO
	default:
		return KindTransport
	}
}

// refusal completes the error of a call that was answered with a status.
func (j *job) refusal(e *APIError, response *http.Response) {
	body := readErrorBody(response.Body, errorBodyBytes+j.secrets.longest())
	detail, listed := errorDetail(body)
	e.Status, e.Err = response.StatusCode, nil
	e.Kind = statusKind(e.Status, detail, listed) // by what the server said, not by what is shown of it
	e.Detail = j.secrets.redact(detail)
	e.Body = []byte(j.secrets.redact(string(body)))
	e.Body = e.Body[:min(len(e.Body), errorBodyBytes)]
	switch {
	case e.Status/100 == 3:
		target := j.secrets.redact(redirectTarget(response))
		e.Detail = "redirect to " + target + " refused: the key and the document would go there; set the URL of the server itself"
	case e.Kind == KindAuth && j.client.header.Get(keyHeader) == "":
		e.hint = "no key was sent, set " + EnvAPIKey
	case e.Kind == KindAuth:
		e.hint = "the key is from " + j.client.keyed
	case e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed:
		e.hint = "is this the URL of a partition API?"
	}
}

// redirectTarget is where a redirect leads, without credentials and query.
func redirectTarget(response *http.Response) string {
	to, err := response.Location()
	if err != nil {
		return "nowhere"
	}
	return (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String()
}

// readErrorBody reads what is there of an error's body, bounded in bytes and time.
func readErrorBody(body io.ReadCloser, most int) []byte {
	late := time.AfterFunc(errorBodyTime, func() { _ = body.Close() })
	defer late.Stop()
	data, _ := io.ReadAll(io.LimitReader(body, int64(most))) // what was read before an error is still worth showing
	return data
}

// canceled is the error of a document whose context ended: by whom is its cause.
func canceled(ctx context.Context, document string) error {
	cause := context.Cause(ctx)
	kind := KindCanceled
	if errors.Is(cause, context.DeadlineExceeded) {
		kind = KindTimeout
	}
	return &DocumentError{Document: document, Kind: kind, Err: cause}
}
