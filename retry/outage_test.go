package retry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// roundTrip is a transport in a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	return f(r)
}

func respond(status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = make(http.Header)
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body))}
}

// farm is a server that works for 2 to 10 s on a request, and is dead from a moment on for some
// time.
type farm struct {
	mu         sync.Mutex
	rand       *rand.Rand
	start      time.Time
	dead, back time.Duration
	how        string // dial, reset or 502
	requests   int
	flying     int
	most       int
}

func newFarm(seed uint64, dead, back time.Duration, how string) *farm {
	return &farm{rand: rand.New(rand.NewPCG(seed, 7)), start: time.Now(), dead: dead, back: back, how: how}
}

func (f *farm) down() bool {
	at := time.Since(f.start)
	return at >= f.dead && at < f.back
}

func (f *farm) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.requests++
	f.flying++
	f.most = max(f.most, f.flying)
	work := 2*time.Second + time.Duration(f.rand.Int64N(int64(8*time.Second)))
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.flying--
		f.mu.Unlock()
	}()
	if f.down() {
		time.Sleep(10 * time.Millisecond)
		switch f.how {
		case "502":
			return respond(502, nil, "<html>bad gateway</html>"), nil
		case "reset":
			return nil, io.ErrUnexpectedEOF
		}
		return nil, &net.OpError{Op: "dial", Err: errRefused}
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
	for range 100 { // what is in flight when the server dies is lost
		time.Sleep(work / 100)
		if f.down() {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return respond(200, nil, "[]"), nil
}

// chunk sends one chunk as a client that prepares it only when it may be sent.
func chunk(ctx context.Context, c *retry.Client) (retry.Trace, error) {
	slot, err := c.Admit(ctx)
	if err != nil {
		return retry.Trace{}, err
	}
	call := post("chunk")
	call.Slot = slot
	resp, trace, err := c.Do(ctx, call)
	if err != nil {
		return trace, err
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		return trace, fmt.Errorf("status %d", resp.StatusCode)
	}
	return trace, nil
}

// Forty documents of ten chunks survive a server that is dead for some time, and it costs hardly
// more requests than without.
func TestOutageIsWaitedOut(t *testing.T) {
	const chunks, inFlight, probes = 400, 10, 12
	for _, dead := range []time.Duration{30 * time.Second, 2 * time.Minute, 4 * time.Minute} {
		for _, how := range []string{"dial", "reset", "502"} {
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("%s/%s/%d", dead, how, seed), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := rand.New(rand.NewPCG(seed, uint64(dead)))
						from := time.Duration(r.Int64N(int64(4 * time.Minute)))
						f := newFarm(seed, from, from+dead, how)
						c := &retry.Client{HTTP: &http.Client{Transport: f}, Limit: retry.NewLimiter(inFlight)}
						var wg sync.WaitGroup
						for range chunks {
							wg.Go(func() {
								if _, err := chunk(t.Context(), c); err != nil {
									t.Error(err)
								}
							})
						}
						wg.Wait()
						require.LessOrEqual(t, f.most, inFlight)
						require.LessOrEqual(t, f.requests, chunks*11/10+probes)
						t.Logf("%d requests, %s", f.requests, time.Since(f.start).Round(time.Second))
					})
				})
			}
		}
	}
}

// A server that is dead for good is asked no more than what is in flight and 40 probes for a
// hundred chunks, and every call ends within its elapsed budget.
func TestDeadForGood(t *testing.T) {
	for _, how := range []string{"dial", "502"} {
		for _, inFlight := range []int{1, 10, 100} {
			t.Run(fmt.Sprintf("%s/%d", how, inFlight), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFarm(1, 0, 1<<62, how)
					c := &retry.Client{HTTP: &http.Client{Transport: f}, Limit: retry.NewLimiter(inFlight)}
					var wg sync.WaitGroup
					for range 100 {
						wg.Go(func() {
							start := time.Now()
							_, err := chunk(t.Context(), c)
							if err == nil || time.Since(start) > 15*time.Minute+time.Second {
								t.Error(time.Since(start), err)
							}
						})
					}
					wg.Wait()
					require.LessOrEqual(t, f.requests, inFlight+40)
					t.Logf("%d requests, %s", f.requests, time.Since(f.start).Round(time.Second))

					// Who comes later is not kept waiting, unless it is the next probe.
					time.Sleep(time.Second)
					start := time.Now()
					for range 3 {
						_, err := c.Admit(t.Context())
						if err != nil {
							var e *retry.Error
							require.ErrorAs(t, err, &e)
							require.Equal(t, "outage", e.Trace.Stop)
							require.ErrorContains(t, err, "no attempt in 0s, stopped by outage: the server has been out of reach for 15m")
						}
					}
					require.Zero(t, time.Since(start))
				})
			})
		}
	}
}

// A Retry-After closes the gate for every call, and the calls that come back are spread.
func TestRetryAfterHoldsEveryone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var times []time.Duration
		c := &retry.Client{
			HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				times = append(times, time.Since(start))
				if len(times) == 1 {
					return respond(429, headers("Retry-After: 20"), ""), nil
				}
				return respond(200, nil, "[]"), nil
			})},
		}
		c.SetRandom(func() float64 { return 0.5 })
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				_, err := chunk(t.Context(), c)
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, []time.Duration{0, 20 * time.Second, 20050 * time.Millisecond, 20100 * time.Millisecond, 20150 * time.Millisecond}, times)
	})
}

// The parity policy does not honour Retry-After, and knows no outage.
func TestParityHasNoGate(t *testing.T) {
	bubble(t, []reply{{status: 503, header: "Retry-After: 1000"}}, func(t *testing.T, s *server) {
		c := s.client("unstructured-python", 0.5)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				resp, trace, err := c.Do(t.Context(), post("x"))
				if err != nil || len(trace.Attempts) != 6 {
					t.Error(trace, err)
				}
				resp.Body.Close()
			})
		}
		wg.Wait()
		require.Len(t, s.sent, 30)
		require.Equal(t, 321500*time.Millisecond, time.Since(s.start))
	})
}

// published is a server that counts requests in fixed windows of a minute.
type published struct {
	mu      sync.Mutex
	start   time.Time
	phase   time.Duration
	limit   int
	window  int64
	used    int
	refused int
	others  func(window int64) int // used by somebody else at a window's start
	latency func() time.Duration
}

func (p *published) RoundTrip(*http.Request) (*http.Response, error) {
	time.Sleep(p.latency())
	p.mu.Lock()
	defer p.mu.Unlock()
	at := time.Since(p.start) + p.phase
	if w := int64(at / time.Minute); w != p.window {
		p.window, p.used = w, 0
		if p.others != nil {
			p.used = p.others(w)
		}
	}
	h := make(http.Header)
	h.Set("X-Ratelimit-Limit", strconv.Itoa(p.limit))
	if p.used >= p.limit {
		p.refused++
		h.Set("X-Ratelimit-Remaining", "0")
		h.Set("Retry-After", strconv.Itoa(int((time.Minute - at%time.Minute + time.Second - 1).Seconds())))
		return respond(429, h, ""), nil
	}
	p.used++
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(p.limit-p.used))
	return respond(200, h, `{"results":[]}`), nil
}

// 300 calls at a published 60 a minute are never refused, however many workers there are, whenever
// the server's minute begins, and with answers that jitter.
func TestPaceIsNeverRefused(t *testing.T) {
	for _, workers := range []int{1, 8, 300} {
		for _, phase := range []time.Duration{0, 17 * time.Second, 45 * time.Second, 59900 * time.Millisecond} {
			t.Run(fmt.Sprintf("%d/%s", workers, phase), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := rand.New(rand.NewPCG(1, uint64(phase)))
					var mu sync.Mutex
					s := &published{start: time.Now(), phase: phase, limit: 60, latency: func() time.Duration {
						mu.Lock()
						defer mu.Unlock()
						return 200*time.Millisecond + time.Duration(r.Int64N(int64(400*time.Millisecond)))
					}}
					c := &retry.Client{HTTP: &http.Client{Transport: s}, Policy: preset(t, "search-api")}
					run(t, c, workers, 300)
					require.Zero(t, s.refused)
					require.InDelta(t, 300, time.Since(s.start).Seconds(), 10)
				})
			})
		}
	}
}

// Another client on the key that takes half of each window: the pacer sees that less remains than
// it used itself, and slows down; few calls are refused.
func TestPaceBesideAnotherClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &published{
			start: time.Now(), limit: 60, others: func(int64) int { return 30 },
			latency: func() time.Duration { return 200 * time.Millisecond },
		}
		s.used = 30
		c := &retry.Client{HTTP: &http.Client{Transport: s}, Policy: preset(t, "search-api")}
		run(t, c, 8, 150)
		require.LessOrEqual(t, s.refused, 8)
		t.Logf("%d refused, %s", s.refused, time.Since(s.start))
	})
}

func run(t *testing.T, c *retry.Client, workers, calls int) {
	work := make(chan int, calls)
	for i := range calls {
		work <- i
	}
	close(work)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range work {
				resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://search/", nil)})
				if err != nil {
					t.Error(err)
					continue
				}
				if resp.StatusCode != 200 {
					t.Error(resp.StatusCode)
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
}

// A probe that is still at work after 30 s, or that is canceled, makes room for the next; its
// success opens the gate for all.
func TestSlowProbe(t *testing.T) {
	for _, c := range []struct {
		name   string
		cancel time.Duration // of the first probe; 0 is never
		want   []time.Duration
	}{
		{"at work", 0, []time.Duration{0, 0, 0, time.Second, 31 * time.Second, 32 * time.Second, 32 * time.Second}},
		{"canceled", 10 * time.Second, []time.Duration{0, 0, 0, time.Second, 10 * time.Second, 11 * time.Second, 11 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var mu sync.Mutex
				var times []time.Duration
				ctx, cancel := context.WithCancel(t.Context())
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				client := &retry.Client{
					HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
						mu.Lock()
						n := len(times)
						times = append(times, time.Since(start))
						mu.Unlock()
						switch {
						case n < 3:
							return nil, &net.OpError{Op: "dial", Err: errRefused}
						case n == 3: // the first probe
							select {
							case <-time.After(time.Minute):
							case <-r.Context().Done():
								return nil, r.Context().Err()
							}
						}
						time.Sleep(time.Second)
						return respond(200, nil, "[]"), nil
					})},
				}
				client.SetRandom(func() float64 { return 0 })
				var wg sync.WaitGroup
				for i := range 3 {
					wg.Go(func() {
						mine := t.Context()
						if i == 0 {
							mine = ctx
						}
						// The two others come back later than the first call, whose wait is 0.5 s.
						call := post("x")
						p := preset(t, "unstructured")
						if i > 0 {
							p.Backoff.Initial = 4 * time.Second
						}
						call.Policy = p
						resp, _, err := client.Do(mine, call)
						if err == nil {
							resp.Body.Close()
						}
						if (err != nil) != (i == 0 && c.cancel > 0) {
							t.Error(i, err)
						}
					})
				}
				wg.Go(func() { // one that comes during the outage
					time.Sleep(5 * time.Second)
					if _, err := chunk(t.Context(), client); err != nil {
						t.Error(err)
					}
				})
				wg.Wait()
				require.Equal(t, c.want, times)
				cancel()
			})
		})
	}
}

// A call that the gate holds back until its own budget ends returns the last answer it had, and one
// whose deadline passes there, too.
func TestBudgetEndsAtTheGate(t *testing.T) {
	for _, c := range []struct {
		name     string
		deadline time.Duration
		stop     string
		at       time.Duration
	}{
		{"hard_elapsed", time.Hour, "hard_elapsed", 15 * time.Minute},
		{"deadline", 5 * time.Minute, "deadline", 5 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
				defer cancel()
				start := time.Now()
				client := &retry.Client{
					HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
						return respond(502, nil, "bad gateway"), nil
					})},
				}
				client.SetRandom(func() float64 { return 0 })
				var wg sync.WaitGroup
				for range 30 {
					wg.Go(func() {
						resp, trace, err := client.Do(ctx, post("x"))
						if err != nil { // never sent, or the attempt was cut
							var e *retry.Error
							if !errors.As(err, &e) || e.Last != nil && c.stop != "deadline" {
								t.Error(err)
							}
							return
						}
						b, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						if err != nil || string(b) != "bad gateway" || trace.Stop != c.stop || time.Since(start) > c.at {
							t.Error(string(b), err, trace.Stop, time.Since(start))
						}
					})
				}
				wg.Wait()
				require.Equal(t, c.at, time.Since(start))
			})
		})
	}
}
