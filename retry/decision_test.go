package retry

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func answered(status int, body string) observation {
	return observed(Outcome{Status: status, Body: []byte(body)}, time.Time{})
}

func failed(kind Kind) observation { return observed(Outcome{Kind: kind}, time.Time{}) }

// first is the state of a call after its first attempt.
func first() state {
	s := newState(&Call{})
	s.attempt = 1
	return s
}

func decide(p *Policy, o observation) decision {
	s := first()
	return p.decide(&s, &o)
}

func mustPreset(t testing.TB, name string) *Policy {
	p, ok := Preset(name)
	require.True(t, ok)
	return p
}

func TestDecide(t *testing.T) {
	final := answered(503, `{"detail":"x","retryable":false}`)
	at := func(change func(*state)) state {
		s := first()
		change(&s)
		return s
	}
	for _, c := range []struct {
		name   string
		policy string
		s      state
		o      observation
		want   decision
	}{
		{"the verdict", "unstructured", first(), final, decision{
			action: Return, rule: "declared final", final: true, why: "the server says that a retry fails in the same way",
		}},
		{"the sixth attempt", "unstructured-python", at(func(s *state) { s.attempt, s.elapsed = 6, 321*time.Second }), answered(503, ""), decision{
			action: Return, rule: "server error", stop: "soft_elapsed", why: "no verdict, true, or one that cannot be read",
		}},
		{"a success", "agent", first(), answered(204, ""), decision{action: Return, rule: "success"}},
		{"a redirect", "agent", first(), answered(304, ""), decision{action: Return, rule: "default"}},
		{"a patch not offered", "openai-compatible", first(), answered(400, ""), decision{
			action: Return, rule: "client error", why: "400, 401, 403, 404, 422 and the rest: the request is wrong",
		}},
		{"a patch offered", "openai-compatible", at(func(s *state) {
			s.attempt, s.offers = 3, func(patch string) bool { return patch == "drop_chat_template_kwargs" }
		}), answered(400, ""), decision{
			action: Mutate, rule: "unknown field", patch: "drop_chat_template_kwargs", free: true,
			why: "a strict server may reject what only vLLM knows; a second 400 is returned",
		}},
		{"not replayable", "agent", at(func(s *state) { s.unreplayable = true }), answered(503, ""), decision{
			action: Return, rule: "transient", stop: "body_not_replayable", why: "a fresh attempt draws from a new distribution",
		}},
		{"canceled", "unstructured", first(), failed(KindCanceled), decision{action: Return, rule: "permanent_error", stop: "canceled"}},
		{"a wrong length", "unstructured", first(), failed(KindLength), decision{action: Return, rule: "permanent_error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, mustPreset(t, c.policy).decide(&c.s, &c.o))
		})
	}
}

// x-should-retry, the header that some servers send, needs no code.
// A request that was sent whole may be billed, also if its caller did not wait for the answer.
func TestE12CutRequestsMayBeBilled(t *testing.T) {
	p := mustPreset(t, "unstructured")
	cut := failed(KindCanceled)
	require.False(t, decide(p, cut).billed, "it was not sent")
	cut.Sent = true
	require.True(t, decide(p, cut).billed)
	unsendable := failed(KindInvalid)
	unsendable.Sent = true
	require.False(t, decide(p, unsendable).billed)
}

func TestShouldRetryHeader(t *testing.T) {
	p, err := Parse([]byte(`{"name":"h","default":"return","backoff":{"initial":"1s"},"budget":{"attempts":3},"rules":[
		{"name":"told not to","when":{"header":["x-should-retry: false"]},"do":"return"},
		{"name":"told to","when":{"header":["X-Should-Retry: true"]},"do":"retry"},
		{"name":"busy","when":{"status":"5XX"},"do":"retry"}]}`))
	require.NoError(t, err)
	for header, want := range map[string]string{"": "busy", "x-should-retry: False ": "told not to", "x-should-retry: true": "told to", "x-should-retry: 1": "busy"} {
		require.Equal(t, want, decide(p, observed(Outcome{Status: 500, Header: headerLines(header)}, time.Time{})).rule)
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		name string
		when string
		o    observation
		want bool
	}{
		{"any, first", `{"any":[{"status":"500"},{"kind":["dial"]}]}`, answered(500, ""), true},
		{"any, second", `{"any":[{"status":"500"},{"kind":["dial"]}]}`, failed(KindDial), true},
		{"any, none", `{"any":[{"status":"500"},{"kind":["dial"]}]}`, answered(503, ""), false},
		{"not", `{"status":"5XX","not":{"status":"501"}}`, answered(503, ""), true},
		{"not, excluded", `{"status":"5XX","not":{"status":"501"}}`, answered(501, ""), false},
		{"not list", `{"body":"not_list"}`, answered(200, `{}`), true},
		{"a list", `{"body":"not_list"}`, answered(200, " [1]\n"), false},
		{"an empty body is no list", `{"body":"not_list"}`, answered(200, ""), true},
		{"an empty body is not JSON", `{"body":"not_json"}`, answered(200, ""), true},
		{"a number is JSON", `{"body":"not_json"}`, answered(200, "1"), false},
		{"a body of which only a part was seen", `{"body":"not_json"}`, observation{Outcome: Outcome{Status: 200, Body: []byte("<")}, seen: true}, false},
		{"a body that was not looked at", `{"body":"not_json"}`, observation{Outcome: Outcome{Status: 200}}, false},
		{"a stream", `{"json":{"a":true}}`, observation{Outcome: Outcome{Status: 200}, stream: true}, false},
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
			p, err := Parse([]byte(`{"name":"p","default":"return","backoff":{"initial":"1s"},"budget":{"attempts":3},"rules":[{"name":"row","when":` + c.when + `,"do":"retry"}]}`))
			require.NoError(t, err)
			require.Equal(t, c.want, decide(p, c.o).rule == "row")
		})
	}
}

// world draws outcomes of attempts.
func world(r *rand.Rand) observation {
	statuses := []int{200, 200, 400, 401, 408, 429, 500, 501, 502, 503, 504}
	bodies := []string{"", "[]", `{"retryable":false}`, `{"retryable":true}`, `{"partial":true}`, "<html>"}
	waits := []string{"", "", "Retry-After: 0", "Retry-After: 7", "Retry-After: 290", "Retry-After: 99999999999", "Retry-After-Ms: 3"}
	o := Outcome{Sent: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		all := Kinds()
		o.Kind = all[r.IntN(len(all))]
		return observed(o, time.Unix(0, 0))
	}
	o.Status = statuses[r.IntN(len(statuses))]
	o.Body, o.Header = []byte(bodies[r.IntN(len(bodies))]), headerLines(waits[r.IntN(len(waits))])
	seen := observed(o, time.Unix(0, 0))
	seen.whole = r.IntN(4) > 0
	return seen
}

// Whatever a server does: no sleep ends at or after the hard budget or the deadline, attempts never
// exceed their budget plus the free changes, resends theirs, and nothing that was declared final or
// is permanent is repeated.
func TestDecideProperties(t *testing.T) {
	for _, name := range Presets() {
		t.Run(name, func(t *testing.T) {
			p := mustPreset(t, name)
			free := 0
			for _, r := range p.Rules {
				if r.Do == Mutate {
					free += r.Max
				}
			}
			for seed := range uint64(500) {
				r := rand.New(rand.NewPCG(seed, 1))
				stuck, always := r.IntN(4) == 0, world(r)
				s := newState(&Call{})
				s.offers = func(string) bool { return true }
				var deadline time.Duration
				if r.IntN(4) == 0 {
					deadline = time.Duration(r.Int64N(int64(20 * time.Minute)))
				}
				for s.attempt = 1; ; s.attempt++ {
					s.facts = map[string]bool{"key_worked": r.IntN(2) == 0}
					require.Less(t, s.attempt, 4000, "seed %d does not end", seed)
					if !stuck { // else a server that answers in no time, always the same
						s.elapsed += time.Duration(r.Int64N(int64(20 * time.Second)))
					}
					o := world(r)
					if stuck {
						o = always
					}
					if deadline > 0 {
						left := deadline - s.elapsed
						s.timeLeft = &left
					}
					d := p.decide(&s, &o)
					require.Equal(t, d, p.decide(&s, &o), "not pure")
					require.LessOrEqual(t, d.wait.min, d.wait.max)
					require.GreaterOrEqual(t, d.wait.min, time.Duration(0))
					if d.action == Return {
						require.Zero(t, d.wait)
						break
					}
					require.False(t, d.final)
					require.False(t, slices.Contains(Kinds()[9:], o.Kind), o.Kind)
					end := s.elapsed + d.wait.max
					if hard := p.Budget.HardElapsed; hard > 0 && d.wait.max > 0 {
						require.Less(t, end, hard)
					}
					if deadline > 0 {
						require.Less(t, end, deadline)
					}
					s.elapsed = s.elapsed + d.wait.pick(r.Float64())
					s.repeated(&d)
				}
				if most := p.Budget.Attempts; most > 0 {
					require.LessOrEqual(t, s.attempt, most+free)
				}
				if most := p.Budget.Resends; most > 0 {
					require.LessOrEqual(t, s.resends, most)
				}
			}
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	p := mustPreset(b, "unstructured")
	for _, c := range []struct {
		name string
		o    observation
	}{
		{"success", answered(200, "")},
		{"verdict", answered(503, `{"detail":"OCR timed out","retryable":false}`)},
		{"no verdict", answered(503, `{"detail":"Internal server error"}`)},
		{"dial", failed(KindDial)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			s := first()
			for b.Loop() {
				p.decide(&s, &c.o)
			}
		})
	}
}
