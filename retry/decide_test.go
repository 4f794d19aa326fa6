package retry_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// headers reads "Name: value" lines.
func headers(lines string) http.Header {
	h := make(http.Header)
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		h.Add(name, strings.TrimPrefix(value, " "))
	}
	return h
}

func answered(status int, body string) retry.Observation {
	return retry.Observation{Status: status, Peek: []byte(body), PeekEOF: true}
}

func preset(t testing.TB, name string) *retry.Policy {
	p, ok := retry.Preset(name)
	require.True(t, ok)
	return p
}

func TestDecide(t *testing.T) {
	final := answered(503, `{"detail":"x","retryable":false}`)
	for _, c := range []struct {
		name   string
		policy string
		s      retry.State
		o      retry.Observation
		want   retry.Decision
	}{
		{"the verdict", "unstructured", retry.State{}, final, retry.Decision{
			Action: retry.Return, Rule: "declared final", Final: true, Why: "the server says that a repeat fails the same way",
		}},
		{"the sixth attempt", "unstructured-python", retry.State{Attempt: 6, Elapsed: 321 * time.Second}, answered(503, ""), retry.Decision{
			Action: retry.Return, Rule: "server error", Stop: retry.StopSoftElapsed, Why: "no verdict, true, or one that cannot be read",
		}},
		{"a success", "agent", retry.State{}, answered(204, ""), retry.Decision{Action: retry.Return, Rule: "success"}},
		{"a redirect", "agent", retry.State{}, answered(304, ""), retry.Decision{Action: retry.Return, Rule: "default"}},
		{"a patch not offered", "openai-compatible", retry.State{}, answered(400, ""), retry.Decision{
			Action: retry.Return, Rule: "client error", Why: "400, 401, 403, 404, 422 and the rest: the request is wrong",
		}},
		{"a patch offered", "openai-compatible", retry.State{Attempt: 3, Patches: []string{"drop-chat_template_kwargs"}}, answered(400, ""), retry.Decision{
			Action: retry.Mutate, Rule: "unknown field", Patch: "drop-chat_template_kwargs", Free: true,
			Why: "a strict server may reject what only vLLM knows; a second 400 is returned",
		}},
		{"not replayable", "agent", retry.State{Unreplayable: true}, answered(503, ""), retry.Decision{
			Action: retry.Return, Rule: "transient", Stop: retry.StopUnreplayable, Why: "a fresh attempt draws from a new distribution",
		}},
		{"canceled", "unstructured", retry.State{}, retry.Observation{Kind: retry.KindCanceled}, retry.Decision{
			Action: retry.Return, Rule: "permanent error", Stop: retry.StopCanceled,
		}},
		{"a wrong length", "unstructured", retry.State{}, retry.Observation{Kind: retry.KindLength}, retry.Decision{Action: retry.Return, Rule: "permanent error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, preset(t, c.policy).Decide(c.s, c.o))
		})
	}
}

// x-should-retry, the header that some servers send, needs no code.
func TestShouldRetryHeader(t *testing.T) {
	p, err := retry.Parse([]byte(`{"name":"h","default":"return","backoff":{"initial":"1s"},"budget":{"attempts":3},"rules":[
		{"name":"told not to","when":{"header":["x-should-retry: false"]},"do":"return"},
		{"name":"told to","when":{"header":["X-Should-Retry: true"]},"do":"retry"},
		{"name":"busy","when":{"status":"5XX"},"do":"retry"}]}`))
	require.NoError(t, err)
	for header, want := range map[string]string{"": "busy", "x-should-retry: False ": "told not to", "x-should-retry: true": "told to", "x-should-retry: 1": "busy"} {
		require.Equal(t, want, p.Decide(retry.State{}, retry.Observation{Status: 500, Header: headers(header)}).Rule)
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		name string
		when string
		o    retry.Observation
		want bool
	}{
		{"any, first", `{"any":[{"status":"500"},{"kind":["dial"]}]}`, answered(500, ""), true},
		{"any, second", `{"any":[{"status":"500"},{"kind":["dial"]}]}`, retry.Observation{Kind: retry.KindDial}, true},
		{"any, none", `{"any":[{"status":"500"},{"kind":["dial"]}]}`, answered(503, ""), false},
		{"not", `{"status":"5XX","not":{"status":"501"}}`, answered(503, ""), true},
		{"not, excluded", `{"status":"5XX","not":{"status":"501"}}`, answered(501, ""), false},
		{"not list", `{"body":"not-list"}`, answered(200, `{}`), true},
		{"a list", `{"body":"not-list"}`, answered(200, " [1]\n"), false},
		{"an empty body is no list", `{"body":"not-list"}`, answered(200, ""), true},
		{"an empty body is not JSON", `{"body":"not-json"}`, answered(200, ""), true},
		{"a number is JSON", `{"body":"not-json"}`, answered(200, "1"), false},
		{"a body of which only a part was seen", `{"body":"not-json"}`, retry.Observation{Status: 200, Peek: []byte("<")}, false},
		{"a body that was not looked at", `{"body":"not-json"}`, retry.Observation{Status: 200}, false},
		{"a stream", `{"json":{"a":true}}`, retry.Observation{Status: 200, Stream: true}, false},
		{"two members", `{"json":{"a":true,"b":false}}`, answered(200, `{"a":true,"b":false}`), true},
		{"two members, one wrong", `{"json":{"a":true,"b":false}}`, answered(200, `{"a":true,"b":true}`), false},
		{"a path", `{"json":{"a.b":true}}`, answered(200, `{"a":{"b":true}}`), true},
		{"a path through a list", `{"json":{"a.b":true}}`, answered(200, `{"a":[{"b":true}]}`), false},
		{"an escaped name", `{"json":{"retryable":false}}`, answered(200, `{"retryabl\u0065":false}`), true},
		{"null", `{"json":{"a":false}}`, answered(200, `{"a":null,"b":false}`), false},
		{"zero", `{"json":{"a":false}}`, answered(200, `{"a":0,"b":false}`), false},
		{"a byte order mark", `{"json":{"a":false}}`, answered(200, "\ufeff"+`{"a":false}`), false},
		{"white space", `{"json":{"a":false}}`, answered(200, "\r\n\t {\"a\" :\n false }\n"), true},
		{"no header", `{"no_header":["Retry-After"]}`, answered(429, ""), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := retry.Parse([]byte(`{"name":"p","default":"return","backoff":{"initial":"1s"},"budget":{"attempts":3},"rules":[{"name":"row","when":` + c.when + `,"do":"retry"}]}`))
			require.NoError(t, err)
			require.Equal(t, c.want, p.Decide(retry.State{}, c.o).Rule == "row")
		})
	}
}

// world draws outcomes of attempts.
func world(r *rand.Rand) retry.Observation {
	statuses := []int{200, 200, 400, 401, 408, 429, 500, 501, 502, 503, 504}
	bodies := []string{"", "[]", `{"retryable":false}`, `{"retryable":true}`, `{"partial":true}`, "<html>"}
	waits := []string{"", "", "Retry-After: 0", "Retry-After: 7", "Retry-After: 290", "Retry-After: 99999999999", "Retry-After-Ms: 3"}
	o := retry.Observation{At: time.Unix(0, 0), Sent: r.IntN(2) == 0, Facts: map[string]bool{"key_worked": r.IntN(2) == 0}}
	if r.IntN(3) == 0 {
		all := retry.Kinds()
		o.Kind = all[r.IntN(len(all))]
		return o
	}
	o.Status, o.PeekEOF = statuses[r.IntN(len(statuses))], r.IntN(4) > 0
	o.Peek, o.Header = []byte(bodies[r.IntN(len(bodies))]), headers(waits[r.IntN(len(waits))])
	return o
}

// Whatever a server does: no sleep ends at or after the hard budget or the
// deadline, attempts never exceed their budget plus the free changes, resends
// theirs, and nothing that was declared final or is permanent is repeated.
func TestDecideProperties(t *testing.T) {
	for _, name := range retry.Presets() {
		t.Run(name, func(t *testing.T) {
			p := preset(t, name)
			free := 0
			for _, r := range p.Rules {
				if r.Do == retry.Mutate {
					free += r.Max
				}
			}
			for seed := range uint64(500) {
				r := rand.New(rand.NewPCG(seed, 1))
				stuck, always := r.IntN(4) == 0, world(r)
				s := retry.State{Fired: map[string]int{}, Patches: []string{"narrow", "drop-chat_template_kwargs"}}
				var deadline time.Duration
				if r.IntN(4) == 0 {
					deadline = time.Duration(r.Int64N(int64(20 * time.Minute)))
				}
				for s.Attempt = 1; ; s.Attempt++ {
					require.Less(t, s.Attempt, 4000, "seed %d does not end", seed)
					if !stuck { // else a server that answers in no time, always the same
						s.Elapsed += time.Duration(r.Int64N(int64(20 * time.Second)))
					}
					o := world(r)
					if stuck {
						o = always
					}
					if deadline > 0 {
						left := deadline - s.Elapsed
						s.TimeLeft = &left
					}
					d := p.Decide(s, o)
					require.Equal(t, d, p.Decide(s, o), "not pure")
					require.LessOrEqual(t, d.Wait.Min, d.Wait.Max)
					require.GreaterOrEqual(t, d.Wait.Min, time.Duration(0))
					if d.Action == retry.Return {
						require.Zero(t, d.Wait)
						break
					}
					require.False(t, d.Final)
					require.False(t, slices.Contains(retry.Kinds()[9:], o.Kind), o.Kind)
					end := s.Elapsed + d.Wait.Max
					if hard := p.Budget.HardElapsed; hard > 0 && d.Wait.Max > 0 {
						require.Less(t, end, hard)
					}
					if deadline > 0 {
						require.Less(t, end, deadline)
					}
					s.Elapsed = s.Elapsed + d.Wait.Pick(r.Float64())
					s.Fired[d.Rule]++
					if d.Free {
						s.Free++
					}
					if d.Billed {
						s.Resends++
					}
				}
				if most := p.Budget.Attempts; most > 0 {
					require.LessOrEqual(t, s.Attempt, most+free)
				}
				if most := p.Budget.Resends; most > 0 {
					require.LessOrEqual(t, s.Resends, most)
				}
			}
		})
	}
}
