package retry_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// The waits are at the upper end of the equal jitter: 1, 2, 4 to 60 s. That before the third of the
// same 500s is what is left of their 5 s, and the spread of the jitter: 4 + 1 s.
func TestUnstructured(t *testing.T) {
	ok := reply{status: 200, body: "[]"}
	for _, c := range []struct {
		name   string
		script []reply
		times  []float64
		stop   string
	}{
		{"503 declared final", []reply{{status: 503, body: `{"detail":"x","retryable":false}`}}, []float64{0}, "declared final"},
		{"429 declared final", []reply{{status: 429, header: "Retry-After: 1", body: `{"retryable":false}`}}, []float64{0}, "declared final"},
		{"422 declared final", []reply{{status: 422, body: `{"retryable":false}`}}, []float64{0}, "declared final"},
		{"declared retryable", []reply{{status: 503, body: `{"retryable":true}`}, ok}, []float64{0, 1}, "success"},
		{"true widens nothing", []reply{{status: 400, body: `{"retryable":true}`}}, []float64{0}, "default"},
		{"500", []reply{{status: 500}, {status: 500}, ok}, []float64{0, 1, 6}, "success"},
		{"408", []reply{{status: 408}, ok}, []float64{0, 1}, "success"},
		{"429", []reply{{status: 429}, ok}, []float64{0, 1}, "success"},
		{"429 with Retry-After", []reply{{status: 429, header: "Retry-After: 7"}, ok}, []float64{0, 7}, "success"},
		{"500 with Retry-After", []reply{{status: 500, header: "Retry-After: 2.5"}, ok}, []float64{0, 2.5}, "success"},
		{"503 with a date", []reply{{status: 503, header: "Retry-After: Sat, 01 Jan 2000 00:00:09 GMT"}, ok}, []float64{0, 9}, "success"},
		{"retry-after-ms", []reply{{status: 503, header: "Retry-After: 9\nretry-after-ms: 1500"}, ok}, []float64{0, 1.5}, "success"},
		{"Retry-After of nothing", []reply{{status: 503, header: "Retry-After: 0"}, {status: 503, header: "Retry-After-Ms: 1"}, ok}, []float64{0, 1, 1.5}, "success"},
		{"Retry-After of five minutes", []reply{{status: 503, header: "Retry-After: 300"}, ok}, []float64{0, 300}, "success"},
		{"Retry-After above", []reply{{status: 503, header: "Retry-After: 301"}}, []float64{0}, "retry_after_ceiling"},
		{"Retry-After that overflows", []reply{{status: 503, header: "Retry-After: 9223372037"}}, []float64{0}, "retry_after_ceiling"},
		{"Retry-After past the hard budget", []reply{{status: 503, header: "Retry-After: 299"}}, []float64{0, 299, 598, 897}, "hard_elapsed"},
		{"refused", []reply{{fault: "dial"}, ok}, []float64{0, 1}, "success"},
		{"connection lost", []reply{{fault: "reset"}, ok}, []float64{0, 1}, "success"},
		{"connection lost four times", []reply{{fault: "reset"}}, []float64{0, 1, 3, 7}, "resends"},
		{
			"server error to the end",
			[]reply{{status: 500}},
			[]float64{0, 1, 6, 10, 18, 34, 66, 126, 186, 246, 306, 366, 426, 486, 546, 606, 666, 726, 786, 846, 899.999999999}, // the last wait, 30 to 60 s, cut to what is left
			"hard_elapsed",
		},
		{"401", []reply{{status: 401}}, []float64{0}, "default"},
		{"302", []reply{{status: 302}}, []float64{0}, "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.script, func(t *testing.T, s *server) {
				o := s.do(t.Context(), s.client("unstructured", 1), post("document"))
				require.Equal(t, c.times, s.seconds())
				require.Equal(t, c.stop, o.trace.Stop)
				require.Equal(t, c.stop == "declared final", o.trace.Final)
				require.Equal(t, len(c.times)-1, o.trace.Retries())
				if last := c.script[min(len(s.sent), len(c.script))-1]; last.fault == "" {
					require.NoError(t, o.err)
					require.Equal(t, last.status, o.status)
					require.Equal(t, last.body, o.body)
				} else {
					require.Error(t, o.err)
				}
			})
		})
	}
}

// A client that asks for gzip itself gets gzip; the verdict in it counts all the same, and the
// caller reads what the server sent.
func TestVerdictInGzip(t *testing.T) {
	packed := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(s))
		z.Close()
		return b.String()
	}
	final := packed(`{"detail":"x","retryable":false}`)
	for _, c := range []struct {
		name, body string
		sent       int
	}{
		{"final", final, 1},
		{"not final", packed(`{"retryable":"false"}`), 2},
		{"broken", final[:len(final)-3], 2},
		{"not gzip", `{"retryable":false}`, 2},
		{"inflates beyond the peek", packed(`{"retryable":false,"x":"` + strings.Repeat("x", 1<<20) + `"}`), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []reply{{status: 503, header: "Content-Encoding: gzip", body: c.body}}, func(t *testing.T, s *server) {
				p, _ := retry.Preset("unstructured")
				p.Budget.Attempts = 2
				p.Budget.MinRetries = 0
				client := s.client("unstructured", 1)
				client.Policy = p
				call := post("x")
				call.Request.Header = http.Header{"Accept-Encoding": {"gzip"}}
				o := s.do(t.Context(), client, call)
				require.NoError(t, o.err)
				require.Len(t, s.sent, c.sent)
				require.Equal(t, c.body, o.body)
			})
		})
	}
	t.Run("decoded by the transport", func(t *testing.T) {
		bubble(t, []reply{{status: 503, header: "Content-Encoding: gzip", body: final}}, func(t *testing.T, s *server) {
			o := s.do(t.Context(), s.client("unstructured", 1), post("x"))
			require.NoError(t, o.err)
			require.Len(t, s.sent, 1)
			require.Equal(t, `{"detail":"x","retryable":false}`, o.body)
		})
	})
}

// The first two retries are owed: their waits shrink to the time that is left. Once it is over
// nothing is sent again.
func TestOwedRetries(t *testing.T) {
	bubble(t, []reply{{status: 500, delay: 16 * time.Minute}}, func(t *testing.T, s *server) {
		o := s.do(t.Context(), s.client("unstructured", 1), post("x"))
		require.NoError(t, o.err)
		require.Equal(t, []float64{0}, s.seconds())
		require.Equal(t, "hard_elapsed", o.trace.Stop)
		require.Zero(t, o.trace.Slept)
	})
	bubble(t, []reply{{status: 500, delay: 899500 * time.Millisecond}}, func(t *testing.T, s *server) {
		s.do(t.Context(), s.client("unstructured", 1), post("x"))
		require.Equal(t, []float64{0, 899.999999999}, s.seconds())
	})
}

func TestLimitsOfAnAttempt(t *testing.T) {
	t.Run("headers", func(t *testing.T) {
		bubble(t, []reply{{status: 200, delay: 2 * time.Hour}, {status: 200, body: "[]"}}, func(t *testing.T, s *server) {
			c := s.client("unstructured", 1)
			c.Policy.Budget.HardElapsed = 2 * time.Hour
			o := s.do(t.Context(), c, post("x"))
			require.NoError(t, o.err)
			require.Equal(t, []float64{0, 3601}, s.seconds())
			require.Equal(t, []retry.Kind{retry.KindTimeout, ""}, kinds(o.trace))
			require.EqualError(t, o.trace.Attempts[0].Err, "no answer within the attempt's limit of 1h")
			require.True(t, o.trace.Attempts[0].MaybeBilled)
			time.Sleep(2 * time.Hour)
		})
	})
	t.Run("body", func(t *testing.T) {
		bubble(t, []reply{{status: 200, body: "[", fault: "stall"}, {status: 200, body: "[]"}}, func(t *testing.T, s *server) {
			call := post("x")
			call.Accept = func(r *http.Response) error {
				var b bytes.Buffer
				_, err := b.ReadFrom(r.Body)
				return err
			}
			o := s.do(t.Context(), s.client("unstructured", 1), call)
			require.NoError(t, o.err)
			require.Equal(t, []float64{0, 301}, s.seconds())
			require.Equal(t, []retry.Kind{retry.KindIdle, ""}, kinds(o.trace))
			require.EqualError(t, o.trace.Attempts[0].Err, "less than 1 KiB of the answer's body within the idle limit of 5m")
			time.Sleep(2 * time.Hour)
		})
	})
	t.Run("body, read by the caller", func(t *testing.T) {
		bubble(t, []reply{{status: 200, body: "[", fault: "stall"}}, func(t *testing.T, s *server) {
			resp, _, err := s.client("unstructured", 1).Do(t.Context(), post("x"))
			require.NoError(t, err)
			var b bytes.Buffer
			_, err = b.ReadFrom(resp.Body)
			require.EqualError(t, err, "less than 1 KiB of the answer's body within the idle limit of 5m")
			require.Equal(t, "[", b.String())
			resp.Body.Close()
			time.Sleep(2 * time.Hour)
		})
	})
}

// The caller's context, its deadline and the attempt's limits are told apart, and the cause is
// kept.
func TestCaller(t *testing.T) {
	cause := errors.New("the run was stopped")
	t.Run("canceled in a sleep", func(t *testing.T) {
		bubble(t, []reply{{status: 503}}, func(t *testing.T, s *server) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(10*time.Second, func() { cancel(cause) })
			o := s.do(ctx, s.client("unstructured", 1), post("x"))
			require.ErrorIs(t, o.err, cause)
			require.ErrorIs(t, o.err, context.Canceled)
			require.Equal(t, 10*time.Second, o.at)
			var e *retry.Error
			require.ErrorAs(t, o.err, &e)
			require.Equal(t, 503, e.Last.Status)
			require.EqualError(t, o.err, "4 attempts in 10s, stopped by canceled, last status 503: the caller canceled: the run was stopped")
		})
	})
	t.Run("canceled in an attempt", func(t *testing.T) {
		bubble(t, []reply{{status: 200, delay: time.Minute}}, func(t *testing.T, s *server) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(10*time.Second, func() { cancel(cause) })
			o := s.do(ctx, s.client("unstructured", 1), post("x"))
			require.ErrorIs(t, o.err, cause)
			require.Equal(t, []retry.Kind{retry.KindCanceled}, kinds(o.trace))
			require.EqualError(t, o.err, "1 attempt in 10s, stopped by canceled: the caller canceled: the run was stopped")
			time.Sleep(time.Hour)
		})
	})
	t.Run("canceled before", func(t *testing.T) {
		bubble(t, nil, func(t *testing.T, s *server) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(cause)
			o := s.do(ctx, s.client("unstructured", 1), post("x"))
			require.ErrorIs(t, o.err, cause)
			require.EqualError(t, o.err, "no attempt in 0s, stopped by canceled: the caller canceled: the run was stopped")
			require.Empty(t, s.sent)
		})
	})
	t.Run("a deadline that would be passed", func(t *testing.T) {
		bubble(t, []reply{{status: 503, body: "busy"}}, func(t *testing.T, s *server) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			o := s.do(ctx, s.client("unstructured-python", 1), post("x"))
			require.NoError(t, o.err)
			require.Equal(t, "busy", o.body)
			require.Equal(t, "deadline", o.trace.Stop)
			require.Zero(t, o.at)
		})
	})
	t.Run("a deadline in an attempt", func(t *testing.T) {
		bubble(t, []reply{{status: 200, delay: time.Minute}}, func(t *testing.T, s *server) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			o := s.do(ctx, s.client("unstructured", 1), post("x"))
			require.ErrorIs(t, o.err, context.DeadlineExceeded)
			require.EqualError(t, o.err, "1 attempt in 5s, stopped by deadline: the caller's deadline passed: context deadline exceeded")
			time.Sleep(time.Hour)
		})
	})
}
