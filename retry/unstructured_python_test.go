package retry_test

import (
	"strings"
	"testing"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// sixAttempts is seed 1's schedule with the jitter at its middle: 20, 40 and 80 s with half a
// second each, then the cap of 90 s; the soft budget of 300 s is judged when the attempt at 322 s
// has failed.
var sixAttempts = []float64{0, 20.5, 61, 141.5, 231.5, 321.5}

func TestUnstructuredPython(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []reply
		times  []float64
		final  bool
		stop   string
	}{
		{"declared final", []reply{{status: 503, body: `{"detail":"OCR timed out","retryable":false}`}}, []float64{0}, true, "declared final"},
		{"declared retryable", []reply{{status: 503, body: `{"detail":"x","retryable":true}`}}, sixAttempts, false, "soft_elapsed"},
		{"no verdict", []reply{{status: 503, body: `{"detail": "Internal server error"}`}}, sixAttempts, false, "soft_elapsed"},
		{"500s", []reply{{status: 500, body: `{"detail": "Internal server error"}`}}, sixAttempts, false, "soft_elapsed"},
		{"string", []reply{{status: 503, body: `{"retryable":"false"}`}}, sixAttempts, false, "soft_elapsed"},
		{"another case", []reply{{status: 503, body: `{"Retryable":false}`}}, sixAttempts, false, "soft_elapsed"},
		{"list", []reply{{status: 503, body: `[{"retryable":false}]`}}, sixAttempts, false, "soft_elapsed"},
		{"not JSON", []reply{{status: 503, body: `<html>"retryable": false</html>`}}, sixAttempts, false, "soft_elapsed"},
		{"broken JSON", []reply{{status: 503, body: `{"retryable":false`}}, sixAttempts, false, "soft_elapsed"},
		{"empty", []reply{{status: 503}}, sixAttempts, false, "soft_elapsed"},
		{"nested 20,000 deep", []reply{{status: 503, body: `{"retryable":false,"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`}}, sixAttempts, false, "soft_elapsed"},
		{"nested 100,000 deep", []reply{{status: 503, body: strings.Repeat("[", 100_000)}}, sixAttempts, false, "soft_elapsed"},
		{"last duplicate final", []reply{{status: 503, body: `{"retryable":true,"retryable":false}`}}, []float64{0}, true, "declared final"},
		{"last duplicate not", []reply{{status: 503, body: `{"retryable":false,"retryable":true}`}}, sixAttempts, false, "soft_elapsed"},
		{"Retry-After is not honoured", []reply{{status: 503, header: "Retry-After: 1"}}, sixAttempts, false, "soft_elapsed"},
		{"true widens nothing", []reply{{status: 400, body: `{"retryable":true}`}}, []float64{0}, false, "default"},
		{"429 is not in the set", []reply{{status: 429}}, []float64{0}, false, "default"},
		{"final on the second", []reply{{status: 500}, {status: 503, body: `{"retryable":false}`}}, []float64{0, 20.5}, true, "declared final"},
		{"recovers", []reply{{status: 500}, {status: 502}, {status: 200, body: "[]"}}, []float64{0, 20.5, 61}, false, "success"},
		{"connection lost", []reply{{fault: "reset"}, {status: 200, body: "[]"}}, []float64{0, 20.5}, false, "success"},
		{"refused", []reply{{fault: "dial"}, {status: 200, body: "[]"}}, []float64{0, 20.5}, false, "success"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.script, func(t *testing.T, s *server) {
				o := s.do(t.Context(), s.client("unstructured-python", 0.5), post("document"))
				require.NoError(t, o.err)
				require.Equal(t, c.times, s.seconds())
				require.Equal(t, c.final, o.trace.Final)
				require.Equal(t, c.stop, o.trace.Stop)
				last := c.script[min(len(s.sent), len(c.script))-1]
				require.Equal(t, last.status, o.status)
				require.Equal(t, last.body, o.body)
				for _, r := range s.sent {
					if r.method != "" {
						require.Equal(t, "document", r.body)
					}
				}
			})
		})
	}
}

// The set of statuses may be exact or a range; the verdict counts only inside it.
func TestUnstructuredPythonCodes(t *testing.T) {
	for _, c := range []struct {
		codes  retry.Statuses
		status int
		times  []float64
	}{
		{retry.Statuses{"503"}, 503, sixAttempts},
		{retry.Statuses{"503"}, 500, []float64{0}},
		{retry.Statuses{"500-502", "504"}, 502, sixAttempts},
		{retry.Statuses{"500-502", "504"}, 503, []float64{0}},
		{retry.Statuses{"5XX", "429"}, 429, sixAttempts},
	} {
		bubble(t, []reply{{status: c.status}}, func(t *testing.T, s *server) {
			client := s.client("unstructured-python", 0.5)
			client.Policy.Rules[0].When.Status = c.codes
			client.Policy.Rules[1].When.Status = c.codes
			require.NoError(t, client.Policy.Validate())
			o := s.do(t.Context(), client, post("document"))
			require.NoError(t, o.err)
			require.Equal(t, c.times, s.seconds())
		})
	}
}
