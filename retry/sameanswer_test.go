package retry_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// The third time that a 500 says the same ends a call on a server that works, 5 to 6 s after the
// first: its repeats are at 0.5 to 1 s and at the end of the spread.
func TestD1TheThirdSameAnswerEndsACall(t *testing.T) {
	for name, r := range map[string]float64{"shortest waits": 0, "longest waits": 1} {
		t.Run(name, func(t *testing.T) {
			bubble(t, []reply{{status: 500, body: "codec can't decode"}}, func(t *testing.T, s *server) {
				call := post("document")
				var asked int
				call.Alive = func(context.Context) bool { asked++; return true }
				o := s.do(t.Context(), s.client("unstructured", r), call)
				require.NoError(t, o.err)
				require.Equal(t, 500, o.status)
				require.Equal(t, "codec can't decode", o.body)
				require.Equal(t, string(retry.StopSameAnswer), o.trace.Stop)
				require.False(t, o.trace.Final)
				require.Equal(t, 1, asked)
				require.Equal(t, map[float64][]float64{0: {0, 0.5, 5}, 1: {0, 1, 6}}[r], s.seconds())
				require.Equal(t, []int{1, 2, 3}, []int{o.trace.Attempts[0].Same, o.trace.Attempts[1].Same, o.trace.Attempts[2].Same})
			})
		})
	}
}

// What is no such answer is repeated until it succeeds, here the sixth time.
func TestD1OtherFailuresAreNewDraws(t *testing.T) {
	same := func(r reply) []reply { return []reply{r, r, r, r, r, {status: 200, body: "[]"}} }
	for name, script := range map[string][]reply{
		"408": same(reply{status: 408}), "429": same(reply{status: 429}), "501": same(reply{status: 501}),
		"502": same(reply{status: 502}), "503": same(reply{status: 503}), "504": same(reply{status: 504}),
		"Retry-After":       same(reply{status: 500, header: "Retry-After: 2"}),
		"retry-after-ms":    same(reply{status: 500, header: "Retry-After-Ms: 2000"}),
		"a verdict":         same(reply{status: 500, body: `{"detail":"x","retryable":true}`}),
		"a body too long":   same(reply{status: 500, body: string(make([]byte, 70_000))}),
		"another each time": {{status: 500, body: "page 1"}, {status: 500, body: "page 2"}, {status: 500, body: "page 1"}, {status: 500, body: "page 2"}, {status: 500, body: "page 1"}, {status: 200, body: "[]"}},
		"503 in between":    {{status: 500}, {status: 500}, {status: 503}, {status: 500}, {status: 500}, {status: 200, body: "[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, script, func(t *testing.T, s *server) {
				call := post("document")
				call.Alive = func(context.Context) bool { return true }
				o := s.do(t.Context(), s.client("unstructured", 1), call)
				require.Equal(t, 200, o.status)
				require.Len(t, o.trace.Attempts, 6)
			})
		})
	}
}

// Ids, times and numbers of attempts make no other answer; all else does.
func TestD1WhatIsTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"empty":            {"", "", true},
		"request id":       {`{"detail":"no","request_id":"a1b2"}`, `{"detail":"no","request_id":"ffee"}`, true},
		"requestId":        {`{"detail":"no","requestId": 17}`, `{"detail":"no","requestId": 18}`, true},
		"UUID":             {"failed: 123e4567-e89b-12d3-a456-426614174000", "failed: 00000000-e89b-12d3-a456-426614174999", true},
		"address":          {"<PIL.Image at 0x7f12ab>", "<PIL.Image at 0x7f99cd>", true},
		"temporary file":   {"no such file: /tmp/tmpab3d_x9z.pdf", "no such file: /tmp/tmpqq8s0k2p.pdf", true},
		"time":             {"2026-11-30T21:00:01.5Z failed", "2026-11-30T21:00:07Z failed", true},
		"HTTP date":        {"Mon, 30 Nov 2026 21:00:01 GMT", "Tue, 01 Dec 2026 00:00:07 GMT", true},
		"epoch":            {`{"ts":1796072401.25}`, `{"ts":1796072409.5}`, true},
		"span":             {"gave up after 3.2 seconds", "gave up after 3.4 seconds", true},
		"attempt":          {"attempt 1 of 3 failed", "attempt 2 of 3 failed", true},
		"attempts, number": {`{"detail":"no","attempts":1}`, `{"detail":"no","attempts":2}`, true},
		"ordinal":          {"failed at the 1st try", "failed at the 2nd try", true},
		"words":            {"out of memory", "codec can't decode", false},
		"page":             {"page 5 is damaged", "page 7 is damaged", false},
		"position":         {"byte 0xff in position 0", "byte 0xff in position 12", false},
		"format":           {`{"format":"pdf"}`, `{"format":"html"}`, false},
		"free memory":      {"12 MB free", "13 MB free", false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, []reply{{status: 500, body: c.a}, {status: 500, body: c.b}, {status: 200}}, func(t *testing.T, s *server) {
				o := s.do(t.Context(), s.client("unstructured", 1), post("document"))
				require.Equal(t, map[bool]int{true: 2, false: 1}[c.same], o.trace.Attempts[1].Same)
			})
		})
	}
}

// Without a sign that the server works the call goes on; it ends with the first one.
func TestD1Evidence(t *testing.T) {
	type evidence struct {
		alive   bool
		success time.Duration // of another call; 0 is none
	}
	for name, c := range map[string]struct {
		evidence
		attempts int
	}{
		"none":                 {evidence{}, 21},
		"the health check":     {evidence{alive: true}, 3},
		"another call":         {evidence{success: 3 * time.Second}, 3},
		"another call, later":  {evidence{success: 20 * time.Second}, 6},
		"before the first 500": {evidence{success: time.Millisecond}, 21},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, s *server) {
				var others atomic.Int64
				s.handler = func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/other" {
						others.Add(1)
						return
					}
					time.Sleep(2 * time.Millisecond)
					w.WriteHeader(500)
				}
				client := s.client("unstructured", 1)
				if c.success > 0 {
					time.AfterFunc(c.success, func() {
						resp, _, err := client.Do(t.Context(), retry.Call{Request: newRequest("GET", "http://pipe/other", nil)})
						if err == nil {
							resp.Body.Close()
						}
					})
				}
				call := post("document")
				call.Alive = func(context.Context) bool { return c.alive }
				o := s.do(t.Context(), client, call)
				require.Len(t, o.trace.Attempts, c.attempts)
				require.Equal(t, min(int64(c.success), 1), others.Load())
			})
		})
	}
}

// No other built-in policy has the rule.
func TestD1OffInOtherPresets(t *testing.T) {
	for _, name := range retry.Presets() {
		require.Equal(t, map[bool]int{true: 3}[name == "unstructured"], preset(t, name).Budget.SameAnswer, name)
	}
}
