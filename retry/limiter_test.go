package retry_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// steady is a client whose server answers after a second with the status that the test sets.
func steady(status func() int, limit *retry.Limiter) *retry.Client {
	return &retry.Client{
		Limit:  limit,
		Policy: mustAgent(),
		HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return respond(status(), nil, "x"), nil
		})},
	}
}

func mustAgent() *retry.Policy {
	p, _ := retry.Preset("agent")
	p.Budget.Attempts = 1
	return p
}

func get(t *testing.T, c *retry.Client) {
	resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil)})
	if err != nil {
		t.Error(err)
		return
	}
	resp.Body.Close()
}

// The limit falls once for all attempts that were in flight together, never below one, and rises
// slowly to its ceiling.
func TestLimiterAdapts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := 503
		l := retry.NewLimiter(10)
		c := steady(func() int { return status }, l)
		round := func(n int) {
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() { get(t, c) })
			}
			wg.Wait()
			time.Sleep(time.Millisecond)
		}
		var falls []int
		for range 7 {
			round(l.Limit())
			falls = append(falls, l.Limit())
		}
		require.Equal(t, []int{7, 4, 2, 1, 1, 1, 1}, falls)
		status = 200
		start := time.Now()
		round(200)
		require.Equal(t, 10, l.Limit())
		require.InDelta(t, 30, time.Since(start).Seconds(), 5)
		require.Zero(t, l.InFlight())
		status = 400
		round(5)
		require.Equal(t, 10, l.Limit())
	})
}

// Admissions come in the order of asking; calls that have begun come first.
func TestAdmitIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		fail := true
		c := &retry.Client{
			Limit:  retry.NewLimiter(1),
			Policy: preset(t, "agent"),
			HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				time.Sleep(400 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, r.URL.Path)
				if fail {
					fail = false
					return respond(503, nil, ""), nil
				}
				return respond(200, nil, ""), nil
			})},
		}
		var wg sync.WaitGroup
		for _, path := range []string{"/a", "/b", "/c", "/d", "/e"} {
			wg.Go(func() {
				resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x"+path, nil)})
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		// a fails at 0.4 s and sleeps a second without the slot; b, c and d use it; a is back at 1.4 s,
		// before e, which has waited longer but has not begun.
		require.Equal(t, []string{"/a", "/b", "/c", "/d", "/a", "/e"}, order)
	})
}

// A slot is held until the answer's body is closed, not while sleeping, and is released on every
// path.
func TestSlots(t *testing.T) {
	ok := func() int { return 200 }
	synctest.Test(t, func(t *testing.T) {
		l := retry.NewLimiter(3)
		c := steady(ok, l)
		slot, err := c.Admit(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, l.InFlight())
		slot.Release()
		slot.Release()
		require.Equal(t, 0, l.InFlight())
		(*retry.Slot)(nil).Release()

		resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil)})
		require.NoError(t, err)
		require.Equal(t, 1, l.InFlight())
		b := make([]byte, 10)
		n, _ := resp.Body.Read(b)
		require.Equal(t, 1, n)
		_, err = resp.Body.Read(b)
		require.Error(t, err)
		require.Equal(t, 1, l.InFlight(), "read to its end, but not closed")
		resp.Body.Close()
		require.Equal(t, 0, l.InFlight())

		slot, _ = c.Admit(t.Context())
		_, _, err = c.Do(t.Context(), retry.Call{Slot: slot})
		require.Error(t, err)
		require.Equal(t, 0, l.InFlight())

		slot, _ = c.Admit(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err = c.Do(ctx, retry.Call{Request: newRequest("GET", "http://x/", nil), Slot: slot})
		require.Error(t, err)
		require.Equal(t, 0, l.InFlight())

		slot, _ = c.Admit(t.Context())
		resp, _, err = c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil), Slot: slot, Accept: func(*http.Response) error {
			require.Equal(t, 1, l.InFlight())
			return nil
		}})
		require.NoError(t, err)
		require.Equal(t, 1, l.InFlight(), "accepted, but not closed")
		rest, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Empty(t, rest)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 0, l.InFlight())

		require.PanicsWithValue(t, "oh", func() {
			c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil), Accept: func(*http.Response) error { panic("oh") }})
		})
		require.Equal(t, 0, l.InFlight())
	})
	synctest.Test(t, func(t *testing.T) { // not held in a sleep
		l := retry.NewLimiter(1)
		c := steady(func() int { return 503 }, l)
		c.Policy.Budget.Attempts = 2
		done := make(chan struct{})
		go func() {
			get(t, c)
			close(done)
		}()
		time.Sleep(1500 * time.Millisecond)
		require.Equal(t, 0, l.InFlight())
		<-done
	})
}

// Waiting for a slot is not charged to the call, and ends with the context.
func TestAdmitCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := retry.NewLimiter(1)
		c := steady(func() int { return 200 }, l)
		slot, err := c.Admit(t.Context())
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err = c.Admit(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.AfterFunc(time.Hour, slot.Release)
		resp, trace, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil)})
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, time.Second, trace.Elapsed)
		require.Zero(t, trace.Slept)
	})
}

// Two clients on one limit: a slot that one frees serves the other.
func TestLimiterIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := retry.NewLimiter(2)
		clients := []*retry.Client{steady(func() int { return 200 }, l), steady(func() int { return 200 }, l)}
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { get(t, clients[i%2]) })
		}
		wg.Wait()
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// Everything that happens is told, in order, with the call's own attributes.
func TestEvents(t *testing.T) {
	bubble(t, []reply{{status: 429, header: "Retry-After: 7"}, {fault: "reset"}, {status: 400}}, func(t *testing.T, s *server) {
		var events []retry.EventKind
		c := s.client("unstructured", 1)
		call := post("x")
		call.Observe = func(e retry.Event) { events = append(events, e.Kind) }
		s.do(t.Context(), c, call)
		require.Equal(t, []retry.EventKind{
			"attempt", "answer", "closed", "sleep", "opened", "attempt", "answer", "sleep", "attempt", "answer", "stop",
		}, events)
	})
	bubble(t, []reply{{status: 200, delay: 3 * time.Minute}}, func(t *testing.T, s *server) {
		var silent []retry.Event
		var mu sync.Mutex
		c := s.client("unstructured", 1)
		call := post("x")
		call.Observe = func(e retry.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Kind == retry.EventSilence {
				silent = append(silent, e)
			}
		}
		o := s.do(t.Context(), c, call)
		require.NoError(t, o.err)
		require.Len(t, silent, 1)
		require.Equal(t, 2*time.Minute, silent[0].Wait)
		require.Equal(t, 1, silent[0].Attempt)
	})
}

// NewHeader names every attempt, and no header leaks from one to the next.
func TestNewHeader(t *testing.T) {
	bubble(t, []reply{{status: 503}, {status: 503}, {status: 200}}, func(t *testing.T, s *server) {
		call := post("x")
		call.Request.Header = http.Header{"Accept": {"application/json"}}
		call.NewHeader = func(attempt int) http.Header {
			h := http.Header{"X-Request-Id": {"id-" + string(rune('0'+attempt))}}
			if attempt == 1 {
				h.Set("X-First", "yes")
			}
			return h
		}
		before := call.Request.Header.Clone()
		s.do(t.Context(), s.client("agent", 1), call)
		require.Equal(t, before, call.Request.Header)
		var ids []string
		for _, r := range s.sent {
			ids = append(ids, r.header.Get("X-Request-Id"))
			require.Equal(t, "application/json", r.header.Get("Accept"))
		}
		require.Equal(t, []string{"id-1", "id-2", "id-3"}, slices.Clone(ids))
		require.Equal(t, "", s.sent[1].header.Get("X-First"))
	})
}

// Whatever the answer, and whether the call checks it or not: once Do has returned it, its slot is
// held until the body is closed, so that no other attempt begins before.
func TestSlotIsHeldUntilTheBodyIsClosed(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		accept func(*http.Response) error
		body   string
	}{
		{"a good answer", 200, nil, "x"},
		{"a good answer that was checked", 200, func(r *http.Response) error {
			_, err := io.Copy(io.Discard, r.Body)
			return err
		}, ""},
		{"a good answer that was checked but not read", 200, func(*http.Response) error { return nil }, ""},
		{"a refusal", 422, nil, "x"},
		{"a refusal beside a check", 422, func(*http.Response) error { return nil }, "x"},
		{"a failure", 503, func(*http.Response) error { return nil }, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := retry.NewLimiter(1)
				client := steady(func() int { return c.status }, l)
				resp, trace, err := client.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://x/", nil), Accept: c.accept})
				require.NoError(t, err)
				require.Len(t, trace.Attempts, 1)
				require.Equal(t, c.status, resp.StatusCode)

				var admitted *retry.Slot
				go func() { admitted, _ = client.Admit(t.Context()) }()
				time.Sleep(time.Hour)
				require.Nil(t, admitted, "another attempt was let out")
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, c.body, string(body))
				synctest.Wait()
				require.Nil(t, admitted, "another attempt was let out before Close")
				require.NoError(t, resp.Body.Close())
				synctest.Wait()
				require.NotNil(t, admitted)
				admitted.Release()
				require.Zero(t, l.InFlight())
			})
		})
	}
}
