package partition

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

const (
	// requestIDHeader carries an id that is new for every attempt, so that a server's log and ours can be put side by side.
	requestIDHeader = "X-Request-Id"

	// errorBodyBytes and errorBodyTime bound how much of an error's body is read, and for how long.
	errorBodyBytes = 64 << 10
	errorBodyTime  = 2 * time.Second
)

// A request is one part of a document, ready to be sent.
type request struct {
	document string
	pages    split.PageRange
	form     *form
	want     OutputFormat
	policy   *retry.Policy
	slot     *retry.Slot
	sending  context.Context // of an attempt under way: it may outlive the context that ends the waiting for it
	secrets  *redactor       // of the client and of the parameters
	keep     func()          // stores an answer that was received whole
	failed   func(*APIError) // is told of an answer that is a failure, before another request can take the slot
}

// post sends a request through the retry core until it is answered or fails for good: then the error is an [APIError], or a
// [DocumentError] where this machine is to blame.
func (c *Client) post(ctx context.Context, r request, a *answer) (retry.Trace, error) {
	header := c.header.Clone()
	header.Set("Content-Type", r.form.contentType())
	header.Set("Accept", string(OutputJSON))
	if r.want != "" {
		header.Set("Accept", string(r.want))
	}
	attrs := []slog.Attr{slog.String("document", Printable(r.document))}
	if r.pages != (split.PageRange{}) {
		attrs = append(attrs, slog.String("pages", r.pages.String()))
	}
	var lastID string
	m := c.spending.meter(ctx, r.sending)
	defer m.close()
	response, trace, err := c.retry.Do(m.sending, retry.Call{
		Stop: m.pauses, Policy: r.policy, Slot: r.slot,
		Request: &http.Request{
			Method: http.MethodPost, URL: c.endpoint.url, Header: header, GetBody: r.form.open, ContentLength: r.form.length(),
		},
		Observe: func(e retry.Event) { c.observeRetry(ctx, e) },
		Accept: func(response *http.Response) error {
			err := a.receive(response, r.want, r.secrets)
			if err == nil && a.local == nil {
				r.keep() // before the slot is free: what a kill can lose is never more than what may be in flight
			}
			return err
		},
		Attrs: attrs,
		NewHeader: func(int) http.Header {
			lastID = rand.Text()
			return http.Header{requestIDHeader: {lastID}}
		},
	})
	if response != nil {
		defer response.Body.Close() // frees the slot: not before everybody knows of a failure
	}
	trace = m.sentOnly(trace)
	failure := &APIError{
		Document: r.document, Pages: r.pages, Method: http.MethodPost, URL: c.endpoint.String(), RequestID: lastID,
		Attempts: len(trace.Attempts), Elapsed: trace.Elapsed, Final: trace.Final,
	}
	if n := len(trace.Attempts); n > 0 {
		failure.Rule = trace.Attempts[n-1].Rule
	}
	if trace.Stop != failure.Rule {
		failure.Stop = retry.Stop(trace.Stop)
	}
	switch limit := m.refusal(trace); {
	case limit != nil && err != nil:
		c.overBudget(failure, trace, err, limit, r.secrets)
		r.failed(failure)
		return trace, failure
	case err != nil:
		return trace, c.noAnswer(ctx, failure, err, r.secrets)
	case response.StatusCode/100 != 2:
		c.refusal(failure, response, r.secrets)
		r.failed(failure)
		return trace, failure
	case a.local != nil:
		return trace, &DocumentError{Document: r.document, Kind: KindLocalIO, Err: a.local}
	default:
		return trace, nil
	}
}

// noAnswer completes the error of a call that got no usable answer.
func (c *Client) noAnswer(ctx context.Context, e *APIError, err error, secrets *redactor) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) && e.Attempts == 0 {
		return canceled(ctx, e.Document)
	}
	var call *retry.Error
	e.Err = err
	e.Kind = KindTransport
	if errors.As(err, &call) {
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
	e.Detail = secrets.redact(e.Err.Error())
	return e
}

// overBudget completes the error of a call that the budget kept from another attempt: what the last one came to, and the limit.
func (c *Client) overBudget(e *APIError, trace retry.Trace, err error, limit *limitError, secrets *redactor) {
	last := trace.Attempts[len(trace.Attempts)-1]
	e.Kind, e.Stop, e.Status, e.Err = KindBudget, retry.Stop(limit.Error()), last.Status, last.Err
	var call *retry.Error
	switch {
	case last.Err != nil:
		e.Detail = secrets.redact(last.Err.Error())
	case errors.As(err, &call) && call.Last != nil && call.Last.Status == last.Status:
		body := call.Last.Body
		detail, _ := errorDetail(body)
		e.Detail = secrets.redact(detail)
		e.Body = []byte(secrets.redact(string(body)))
	}
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
func (c *Client) refusal(e *APIError, response *http.Response, secrets *redactor) {
	body := readErrorBody(response.Body, errorBodyBytes+secrets.longest())
	detail, listed := errorDetail(body)
	e.Status = response.StatusCode
	e.Detail = secrets.redact(detail)
	e.Body = []byte(secrets.redact(string(body)))
	e.Body = e.Body[:min(len(e.Body), errorBodyBytes)]
	e.Kind = statusKind(e.Status, e.Detail, listed)
	switch {
	case e.Status/100 == 3:
		target := secrets.redact(redirectTarget(response))
		e.Detail = "redirect to " + target + " refused: the key and the document would go there; set the URL of the server itself"
	case e.Kind == KindAuth && c.header.Get(keyHeader) == "":
		e.hint = "no key was sent, set " + EnvAPIKey
	case e.Kind == KindAuth:
		e.hint = "the key is from " + c.keyed
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
