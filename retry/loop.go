package retry

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// loop is one call under way. go-retryablehttp sends and sleeps; everything that
// is decided is decided here, in its hooks, which see one state.
//
// Of that library: RetryMax is out of the way, since it drops the answer; a client
// value is made for each call, since its hooks do not know the call; the
// transport is wrapped, which also hides CloseIdleConnections, or every call that
// gives up would purge the shared pool; bodies are closed and replaced before
// it could drain them without a bound.
type loop struct {
	client    *Client
	base      *http.Client
	ctx       context.Context // of the waits and repeats
	attempts  context.Context // of each attempt: the same, unless the call has a Stop
	call      *Call
	policy    *Policy
	transport http.RoundTripper
	id        uint64
	peek      Peek

	body    Body        // as changed by patches
	header  http.Header // as changed by patches, without the attempt's own
	slot    *Slot
	sending *sending
	start   time.Time // of the first attempt
	state   State
	trace   Trace

	last     Observation
	decision Decision
	wait     time.Duration
	idleFrom time.Time      // when the last attempt was judged
	resp     *http.Response // the last answer; its body is closed where the call went on
	seen     []byte         // what was read of it
	accepted bool

	http   http.Client
	repeat retryablehttp.Client
}

// Do sends a call, and sends it again for as long as its policy says so.
//
// Where the policy ends the call on an answer, of whatever status, the error is
// nil and the answer's body can be read from its beginning; close it, the slot is
// held until then. A budget that ends the call behind an answer
// returns that answer, and [Trace.Stop] names the budget; where that happened
// only after the body was closed, in the queue for the next attempt, the body is
// what the policy's peek had seen of it.
//
// Without a usable answer (no connection, an Accept that failed to the end, the
// caller's context ended) the error is an *[Error]; errors.Is finds the cause of
// the context and the context's own error in it.
//
// The call's slot is released in any case, also by a panic in Accept.
func (c *Client) Do(ctx context.Context, call Call) (*http.Response, Trace, error) {
	c.init()
	return c.do(ctx, call, c.http)
}

// do is Do over an HTTP client of the caller's.
func (c *Client) do(ctx context.Context, call Call, base *http.Client) (*http.Response, Trace, error) {
	c.init()
	l := &loop{client: c, base: base, ctx: ctx, attempts: ctx, call: &call, policy: call.Policy, id: c.calls.Add(1), body: call.Body, slot: call.Slot}
	if call.Stop != nil {
		var stop context.CancelCauseFunc
		l.ctx, stop = context.WithCancelCause(ctx)
		defer stop(nil)
		defer context.AfterFunc(call.Stop, func() { stop(context.Cause(call.Stop)) })()
	}
	if l.policy == nil {
		l.policy = c.policy
	}
	l.peek = l.policy.Peek.withDefaults()
	if l.transport = base.Transport; l.transport == nil {
		l.transport = http.DefaultTransport
	}
	if len(call.Patches) > 0 {
		l.state.Patches = slices.Collect(maps.Keys(call.Patches))
	}
	finished := false
	defer func() {
		if !finished {
			l.abort()
		}
	}()
	err := l.run()
	finished = true
	return l.finish(err)
}

// run makes the attempts. What came of the last one is in l; the error says what
// ended the call between two of them.
func (l *loop) run() error {
	if l.policy.Pace {
		l.client.queue.pace()
	}
	req, err := l.request()
	if err != nil {
		l.last.Kind, l.last.Err = KindInvalid, bare(err)
		l.decision = Decision{Action: Return, Rule: RuleNever}
		return err
	}
	switch {
	case l.slot == nil:
		if l.slot, err = l.client.queue.admit(l.ctx, false, patience{outage: l.policy.Budget.HardElapsed}); err != nil {
			return err
		}
	case l.ctx.Err() != nil:
		return canceled(l.ctx)
	}
	l.start = time.Now()
	l.begin(req.Request)
	base := l.base
	l.http = http.Client{Transport: l, CheckRedirect: base.CheckRedirect, Jar: base.Jar, Timeout: base.Timeout}
	l.repeat = retryablehttp.Client{
		HTTPClient:   &l.http,
		RetryMax:     math.MaxInt,
		CheckRetry:   l.check,
		Backoff:      func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return l.wait },
		PrepareRetry: l.prepare,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	_, err = l.repeat.Do(req) //nolint:bodyclose // the answer is l.resp
	return err
}

// request builds the request of the first attempt.
func (l *loop) request() (*retryablehttp.Request, error) {
	method := l.call.Method
	if method == "" {
		method = http.MethodGet
	}
	l.last.Method = method
	var body any
	if l.body.Open != nil || len(l.call.Patches) > 0 {
		body = retryablehttp.ReaderFunc(l.open)
	}
	req, err := retryablehttp.NewRequestWithContext(l.ctx, method, l.call.URL, body)
	if err != nil {
		return nil, err
	}
	if l.call.Header != nil {
		req.Header = l.call.Header.Clone()
		req.Host = l.call.Header.Get("Host")
	}
	l.header = req.Header
	return req, nil
}

// open is the body of the attempt that is about to be sent. The library opens it
// once too often, before the first attempt, which costs nothing.
func (l *loop) open() (io.Reader, error) {
	if l.sending == nil || l.body.Open == nil || l.body.Len == 0 {
		return http.NoBody, nil
	}
	if l.unreplayable() {
		return nil, errTwice
	}
	l.sending.body = &sentBody{body: l.body}
	return l.sending.body, nil
}

func (l *loop) unreplayable() bool {
	return l.body.Once && l.sending.body != nil && l.sending.body.progress().opened
}

// begin readies the request for an attempt that has its slot.
func (l *loop) begin(req *http.Request) {
	if l.slot.reopened {
		l.emit(Event{Kind: EventOpened})
	}
	before := l.sending
	l.sending = &sending{start: time.Now()}
	if l.body.Once && before != nil {
		l.sending.body = before.body
	}
	l.state.Attempt++
	req.ContentLength = 0
	if l.body.Open != nil {
		req.ContentLength = l.body.Len
	}
	if l.call.NewHeader != nil {
		req.Header = req.Header.Clone()
		maps.Copy(req.Header, l.call.NewHeader(l.state.Attempt))
	}
	l.emit(Event{Kind: EventAttempt, Attempt: l.state.Attempt})
}

// check judges an attempt and says whether there is another.
func (l *loop) check(_ context.Context, resp *http.Response, err error) (bool, error) {
	l.observe(resp, err)
	now := time.Now()
	l.state.Elapsed = now.Sub(l.start)
	l.state.Unreplayable = l.unreplayable()
	l.state.TimeLeft = l.timeLeft(now)
	d := l.policy.decide(&l.state, &l.last)
	again := d.Action != Return
	l.decision, l.wait, l.idleFrom = d, 0, now
	if again {
		l.again()
	}
	closed, opened := l.client.queue.judge(l.slot, l.id, l.sending.start, &d, &l.last)
	l.record(now)
	if again || l.resp == nil || l.accepted || l.last.Kind != KindNone {
		if resp != nil && err == nil {
			l.dispose(resp)
		}
		l.slot.Release()
	}
	l.report(closed, opened)
	return again, nil
}

// timeLeft is the time to the nearer deadline of the call's contexts; nil is none.
func (l *loop) timeLeft(now time.Time) *time.Duration {
	deadline, some := l.ctx.Deadline()
	if l.call.Stop != nil {
		if stop, ok := l.call.Stop.Deadline(); ok && (!some || stop.Before(deadline)) {
			deadline, some = stop, true
		}
	}
	if !some {
		return nil
	}
	left := deadline.Sub(now)
	return &left
}

// again notes that the decision is a repeat, and draws its wait.
func (l *loop) again() {
	d := &l.decision
	l.wait = d.Wait.Pick(l.client.draw())
	if !d.Free && d.Wait.Max >= minWait {
		l.wait = max(l.wait, minWait)
	}
	if l.state.Fired == nil {
		l.state.Fired = make(map[string]int)
	}
	l.state.Fired[d.Rule]++
	if d.Free {
		l.state.Free++
	}
	if d.Billed {
		l.state.Resends++
	}
}

// prepare readies the next attempt: it changes the request if the policy asked
// for it, and waits for a slot.
func (l *loop) prepare(req *http.Request) error {
	u := *req.URL
	req.URL, req.Header = &u, l.header.Clone()
	if name := l.decision.Patch; name != "" {
		if err := l.call.Patches[name](req, &l.body); err != nil {
			return fmt.Errorf("patch %s: %w", name, err)
		}
		l.header = req.Header
	}
	var until time.Time
	if hard := l.policy.Budget.HardElapsed; hard > 0 {
		until = l.start.Add(hard)
	}
	slot, err := l.client.queue.admit(l.ctx, true, patience{until: until})
	if err != nil {
		return err
	}
	l.slot = slot
	l.trace.Slept += time.Since(l.idleFrom)
	l.begin(req)
	return nil
}
