package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/retry"
)

// after is a transport that answers each attempt after a time, as the test says.
func after(wait time.Duration, answer func(attempt int) (int, string)) http.RoundTripper {
	n := 0
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		n++
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		status, body := answer(n)
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})
}

// A Stop lets the attempt under way end, and begins no other.
func TestStop(t *testing.T) {
	ended := errors.New("the run has ended")
	for name, test := range map[string]struct {
		answer   func(int) (int, string)
		stopAt   time.Duration
		killAt   time.Duration // 0 is never
		elapsed  time.Duration
		attempts int
		ok       bool
	}{
		"the answer is still taken":          {func(int) (int, string) { return 200, "fine" }, time.Second, 0, 10 * time.Second, 1, true},
		"a failure is not repeated":          {func(int) (int, string) { return 500, "" }, time.Second, 0, 10 * time.Second, 1, false},
		"a sleep ends at once":               {func(int) (int, string) { return 500, "" }, 10*time.Second + time.Millisecond, 0, 10*time.Second + time.Millisecond, 1, false},
		"the context of Do ends the attempt": {func(int) (int, string) { return 200, "fine" }, time.Second, 3 * time.Second, 3 * time.Second, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limit := retry.NewLimiter(1)
				c := &retry.Client{HTTP: &http.Client{Transport: after(10*time.Second, test.answer)}, Limit: limit}
				ctx, kill := context.WithCancel(t.Context())
				defer kill()
				stop, end := context.WithCancelCause(t.Context())
				time.AfterFunc(test.stopAt, func() { end(ended) })
				if test.killAt > 0 {
					time.AfterFunc(test.killAt, kill)
				}
				start := time.Now()
				resp, trace, err := c.Do(ctx, retry.Call{Request: newRequest("GET", "http://x/", nil), Stop: stop})
				require.Equal(t, test.elapsed, time.Since(start))
				require.Len(t, trace.Attempts, test.attempts)
				if !test.ok {
					require.Error(t, err)
					if test.killAt == 0 {
						require.ErrorIs(t, err, ended)
					}
					require.Zero(t, limit.InFlight())
					return
				}
				require.NoError(t, err)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, "fine", string(body))
				require.NoError(t, resp.Body.Close())
				require.Zero(t, limit.InFlight())
			})
		})
	}
}

// A deadline of Stop counts like one of the context: a wait that would pass it is not begun, and
// the answer in hand is returned.
func TestStopDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &retry.Client{HTTP: &http.Client{Transport: after(time.Second, func(int) (int, string) { return 503, "busy" })}}
		stop, cancel := context.WithTimeout(t.Context(), 1100*time.Millisecond)
		defer cancel()
		resp, trace, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil), Stop: stop})
		require.NoError(t, err)
		require.Equal(t, 503, resp.StatusCode)
		require.Equal(t, "deadline", trace.Stop)
		require.NoError(t, resp.Body.Close())
	})
}

// An attempt derives two contexts from that of Do, for its limits and for its trace, also beside a
// Stop: a call has two lifetimes, and its contexts carry no parameters.
func TestContextsOfAnAttempt(t *testing.T) {
	derived := func(ctx context.Context) int { return strings.Count(fmt.Sprint(ctx), ".With") }
	var seen []int
	c := &retry.Client{HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		seen = append(seen, derived(r.Context()))
		return respond(200, nil, "fine"), nil
	})}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, stop := range []context.Context{nil, t.Context()} {
		resp, _, err := c.Do(ctx, retry.Call{Request: newRequest("POST", "http://x/", []byte("document")), Stop: stop})
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	base := derived(ctx)
	require.Equal(t, []int{base + 2, base + 2}, seen)
}
