package retry_test

import (
	"net/http"
	"testing"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// search is seed 4's request; it can be narrowed.
func search(facts map[string]bool) retry.Call {
	return retry.Call{
		Request: newRequest("GET", "http://pipe/search?q=term&limit=100", nil), Facts: facts,
		Patches: map[string]func(*http.Request) error{
			"narrow": func(r *http.Request) error {
				q := r.URL.Query()
				q.Set("limit", "10")
				r.URL.RawQuery = q.Encode()
				return nil
			},
		},
	}
}

// The waits are at the middle of the full jitter: 0.5, 1 and 2 s.
func TestSearchAPI(t *testing.T) {
	ok := reply{status: 200, body: `{"results":[]}`}
	exhausted := []float64{0, 0.5, 1.5, 3.5}
	newKey, oldKey := map[string]bool{"key_worked": false}, map[string]bool{"key_worked": true}
	for _, c := range []struct {
		name    string
		script  []reply
		facts   map[string]bool
		times   []float64
		stop    string
		partial bool
	}{
		{"429 with retry-after", []reply{{status: 429, header: "Retry-After: 37"}, ok}, nil, []float64{0, 37}, "success", false},
		{"429 with retry-after, to the end", []reply{{status: 429, header: "Retry-After: 5"}}, nil, []float64{0, 5, 10, 15}, "attempts", false},
		{"429 with retry-after above the ceiling", []reply{{status: 429, header: "Retry-After: 61"}}, nil, []float64{0}, "retry_after_ceiling", false},
		{"429 without", []reply{{status: 429, body: "out of credits"}}, nil, []float64{0}, "out of credits", false},
		{"402", []reply{{status: 402}}, nil, []float64{0}, "suspended", false},
		{"401, first ever use", []reply{{status: 401}, ok}, newKey, []float64{0, 60}, "success", false},
		{"401, first ever use, twice", []reply{{status: 401}}, newKey, []float64{0, 60}, "revoked key", false},
		{"401, worked before", []reply{{status: 401}}, oldKey, []float64{0}, "revoked key", false},
		{"401, nothing known", []reply{{status: 401}}, nil, []float64{0}, "revoked key", false},
		{"400", []reply{{status: 400}}, nil, []float64{0}, "wrong request", false},
		{"404", []reply{{status: 404}}, nil, []float64{0}, "wrong request", false},
		{"408 narrows", []reply{{status: 408}, ok}, nil, []float64{0, 0.5}, "success", false},
		{"408 twice", []reply{{status: 408}}, nil, []float64{0, 0.5}, "still too expensive", false},
		{"503 with retry-after", []reply{{status: 503, header: "Retry-After: 10"}, ok}, nil, []float64{0, 10}, "success", false},
		{"503 with retry-after, then back off", []reply{{status: 503, header: "Retry-After: 5"}, {status: 503, header: "Retry-After: 5"}, ok}, nil, []float64{0, 5, 10.5}, "success", false},
		{"500", []reply{{status: 500}}, nil, exhausted, "attempts", false},
		{"503 without", []reply{{status: 503}}, nil, exhausted, "attempts", false},
		{"502", []reply{{status: 502}, ok}, nil, []float64{0, 0.5}, "success", false},
		{"504", []reply{{status: 504}, ok}, nil, []float64{0, 0.5}, "success", false},
		{"connection reset", []reply{{fault: "reset"}, ok}, nil, []float64{0, 0.5}, "success", false},
		{"network error", []reply{{fault: "dial"}, {fault: "dial"}, ok}, nil, []float64{0, 0.5, 1.5}, "success", false},
		{"truncated", []reply{{status: 200, body: `{"re`, fault: "truncate"}, ok}, nil, []float64{0, 0.5}, "success", false},
		{"partial", []reply{{status: 200, body: `{"partial": true}`}, ok}, nil, []float64{0, 0.5}, "success", false},
		{"partial to the end", []reply{{status: 200, body: `{"results":[1],"partial": true}`}}, nil, exhausted, "attempts", true},
		{"not partial", []reply{{status: 200, body: `{"partial": false}`}}, nil, []float64{0}, "success", false},
		{"tool error", []reply{{status: 200, body: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`}}, nil, []float64{0}, "tool error", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.script, func(t *testing.T, s *server) {
				o := s.do(t.Context(), s.client("search-api", 0.5), search(c.facts))
				require.NoError(t, o.err)
				require.Equal(t, c.times, s.seconds())
				require.Equal(t, c.stop, o.trace.Stop)
				require.Equal(t, c.partial, o.trace.Partial)
				last := c.script[min(len(s.sent), len(c.script))-1]
				require.Equal(t, last.status, o.status)
				require.Equal(t, last.body, o.body)
				for i, r := range s.sent {
					want := "/search?q=term&limit=100"
					if i > 0 && c.script[0].status == 408 {
						want = "/search?limit=10&q=term"
					}
					if r.url != "" {
						require.Equal(t, want, r.url)
					}
				}
			})
		})
	}
}

// A mistake of the server that costs a credit is repeated at most three times more, however many
// attempts the caller allows.
func TestSearchAPICapsBilledRetries(t *testing.T) {
	bubble(t, []reply{{status: 500}}, func(t *testing.T, s *server) {
		c := s.client("search-api", 0.5)
		c.Policy.Budget.Attempts = 10
		o := s.do(t.Context(), c, search(nil))
		require.Equal(t, []float64{0, 0.5, 1.5, 3.5}, s.seconds())
		require.Equal(t, "resends", o.trace.Stop)
	})
}
