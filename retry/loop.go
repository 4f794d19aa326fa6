package retry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Do sends a call, and sends it again as long as its policy says so.
//
// If the policy ends the call with an answer, of any status, the error is nil. The caller must
// close the answer's body: the call holds its slot until then, so that the caller can act on the
// answer before another attempt takes the slot. The body can be read from its beginning, unless
// [Call.Accept] has read it. Then it is empty, but must still be closed.
//
// If a limit forbids a retry after an answer, Do returns that answer, and [Trace.Stop] names the
// limit. If the limit is reached only while the call waits for its next attempt, the slot is free
// already, and the body has only the part that had been read.
//
// Without a usable answer (no connection, an Accept that failed at every attempt, the end of the
// caller's context) the error is an [*Error]. [errors.Is] finds both the context's error and its
// cause. The slot is then free; it is also free if Accept or another function of the call panics.
func (c *Client) Do(ctx context.Context, call Call) (*http.Response, Trace, error) {
	c.init()
	return c.do(ctx, call, c.http)
}

// do is Do over an HTTP client of the caller's.
func (c *Client) do(ctx context.Context, call Call, base *http.Client) (*http.Response, Trace, error) {
	c.init()
	l := c.newLoop(ctx, &call, base)
	defer l.cleanUp()
	return l.result(l.run())
}

// run makes the attempts of a call: it is the call's life from the first to the last. What came of
// the last attempt is in the loop; the error says what ended the call between two of them.
//
// go-retryablehttp sends. Of that library: RetryMax is out of the way, since it drops the answer; a
// client value is made for each call, since its hooks do not know the call; the transport is
// wrapped, which also hides CloseIdleConnections, or every call that gives up would purge the
// shared pool; bodies are closed and replaced before it could drain them without a bound; the wait
// is ours, since its own does not end with [Call.Stop].
func (l *loop) run() error {
	req, err := l.prepare()
	if err != nil {
		l.last.Kind, l.last.err = KindInvalid, err
		l.decision = decision{action: Return, rule: ruleNever}
		return err
	}
	if err := l.admit(waitLimit{outage: l.policy.Budget.HardElapsed}); err != nil {
		return err
	}
	l.start = time.Now()
	l.begin(req.Request)
	attempts := retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: l, CheckRedirect: l.base.CheckRedirect, Jar: l.base.Jar, Timeout: l.base.Timeout},
		RetryMax:     math.MaxInt,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		Backoff:      func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return 0 },

		// After every attempt.
		CheckRetry: func(_ context.Context, resp *http.Response, err error) (again bool, _ error) {
			l.observe(resp, err)
			l.decide()
			closed, opened := l.client.queue.judge(l.slot, l.id, l.sending.start, &l.decision, &l.last)
			l.record()
			l.settle(resp, err)
			l.report(closed, opened)
			return l.decision.action != Return, nil
		},

		// Before every attempt but the first.
		PrepareRetry: func(req *http.Request) error {
			if err := l.life.sleep(l.wait); err != nil {
				return err
			}
			if err := l.patch(); err != nil {
				return err
			}
			var limit waitLimit
			if hard := l.policy.Budget.HardElapsed; hard > 0 {
				limit.until = l.start.Add(hard)
			}
			if err := l.admit(limit); err != nil {
				return err
			}
			l.trace.Slept += time.Since(l.judged)
			l.begin(req)
			return nil
		},
	}
	_, err = attempts.Do(req) //nolint:bodyclose // the answer is l.resp
	return err
}

// prepare readies the request, and the library's form of it.
func (l *loop) prepare() (*retryablehttp.Request, error) {
	switch {
	case l.call.Request == nil || l.call.Request.URL == nil:
		return nil, errors.New("the call has no request, or no URL")
	case l.nilContext:
		return nil, errNilContext
	case isNil(l.transport):
		return nil, fmt.Errorf("the transport of the HTTP client is a nil %T", l.transport)
	}
	if l.policy.Pace {
		l.client.queue.pace()
	}
	l.request = l.call.Request.Clone(l.life.ctx)
	l.body = bodyOf(l.request)
	plain := *l.request
	plain.Body, plain.GetBody = nil, nil
	req, err := retryablehttp.FromRequest(&plain)
	if err == nil && (l.body.open != nil || len(l.call.Patches) > 0) {
		err = req.SetBody(retryablehttp.ReaderFunc(l.open))
	}
	return req, err
}

// loop is one call under way.
type loop struct {
	client    *Client
	base      *http.Client
	transport http.RoundTripper
	call      *Call
	policy    *Policy
	peek      Peek
	life      lifetime
	id        uint64

	nilContext bool // the caller gave none

	request *http.Request // as changed by patches, without what is the attempt's own
	body    body          // of request
	slot    *Slot
	sending *sending
	start   time.Time // of the first attempt
	state   state
	same    sameAnswers
	trace   Trace

	last     observation
	decision decision
	wait     time.Duration
	judged   time.Time      // when the last attempt was
	resp     *http.Response // the last answer; its body is closed where the call went on
	seen     []byte         // what was read of it
	accepted bool
	finished bool // the results are made
}

func (c *Client) newLoop(ctx context.Context, call *Call, base *http.Client) *loop {
	nilContext := ctx == nil
	if nilContext {
		ctx = context.Background()
	}
	l := &loop{
		nilContext: nilContext,
		client:     c, base: base, transport: base.Transport, call: call, policy: call.Policy,
		life: lifetime{ctx, call.Stop}, id: c.calls.Add(1), slot: call.Slot, state: newState(call),
	}
	if l.policy == nil {
		l.policy = c.policy
	}
	l.peek = l.policy.Peek.withDefaults()
	if l.transport == nil {
		l.transport = http.DefaultTransport
	}
	return l
}

var errNilContext = errors.New("the context is nil")

// isNil reports whether a transport is a nil pointer.
func isNil(transport http.RoundTripper) bool {
	v := reflect.ValueOf(transport)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// admit waits for the slot of the next attempt. The first may have been waited for by the caller.
func (l *loop) admit(limit waitLimit) error {
	begun := !l.start.IsZero()
	if !begun && l.slot != nil {
		return l.life.ended()
	}
	slot, err := l.client.queue.admit(l.life, begun, limit)
	if err == nil {
		l.slot = slot
	}
	return err
}

// decide asks the policy what follows, and draws the wait of a repeat.
func (l *loop) decide() {
	l.judged = time.Now()
	l.state.elapsed = l.judged.Sub(l.start)
	l.state.unreplayable = l.unreplayable()
	l.state.timeLeft = l.life.left(l.judged)
	l.state.same, l.state.spread = l.same.note(&l.last, l.judged)
	l.state.works = false
	l.decision, l.wait = l.policy.decide(&l.state, &l.last), 0
	if l.decision.action == Retry && l.policy.Budget.sameAnswerDue(&l.state) && l.works() {
		l.state.works = true
		l.decision = l.policy.decide(&l.state, &l.last)
	}
	if l.last.success() {
		l.client.successes.note(l.id, l.judged)
	}
	if d := &l.decision; d.action != Return {
		l.wait = d.wait.pick(l.client.draw())
		if !d.free && d.wait.max >= minWait {
			l.wait = max(l.wait, minWait)
		}
		l.state.repeated(d)
	}
}

// record adds the attempt to the trace.
func (l *loop) record() {
	l.trace.Attempts = append(l.trace.Attempts, Event{
		Kind: EventAnswer, Attempt: l.state.attempt, Status: l.last.Status, Error: l.last.Kind, Err: l.last.err,
		Rule: l.decision.rule, Stop: l.decision.stop, Wait: l.wait, Elapsed: l.judged.Sub(l.sending.start),
		BytesSent: l.sending.progress().n, Same: l.state.same, MaybeBilled: l.decision.billed,
	})
}

// settle frees what an attempt holds: all but the slot, and the body that the caller is to read,
// where its answer is the call's.
func (l *loop) settle(resp *http.Response, err error) {
	final := l.decision.action == Return && l.usable()
	if resp != nil && err == nil && (!final || l.accepted) {
		l.dispose(resp)
	}
	if !final {
		l.slot.Release()
	}
}

// usable reports whether the last attempt brought an answer that can be returned.
func (l *loop) usable() bool { return l.resp != nil && l.last.Kind == "" }
