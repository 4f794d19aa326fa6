package retry_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAgent(t *testing.T) {
	ok := reply{status: 200, body: "buy"}
	all := []float64{0, 1, 3, 7}
	for _, c := range []struct {
		name, policy string
		script       []reply
		times        []float64
		stop         string
	}{
		{"transient 500 then success", "agent", []reply{{status: 500}, ok}, []float64{0, 1}, "success"},
		{"persistent 500", "agent", []reply{{status: 500}}, all, "attempts"},
		{"429", "agent", []reply{{status: 429}}, all, "attempts"},
		{"502", "agent", []reply{{status: 502}}, all, "attempts"},
		{"503", "agent", []reply{{status: 503}}, all, "attempts"},
		{"504", "agent", []reply{{status: 504}}, all, "attempts"},
		{"501 is not in the set", "agent", []reply{{status: 501}}, []float64{0}, "default"},
		{"400", "agent", []reply{{status: 400}}, []float64{0}, "wrong request"},
		{"422", "agent", []reply{{status: 422}}, []float64{0}, "wrong request"},
		{"before the fix: 500", "agent-without-500", []reply{{status: 500}, ok}, []float64{0}, "default"},
		{"before the fix: 503", "agent-without-500", []reply{{status: 503}, ok}, []float64{0, 1}, "success"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.script, func(t *testing.T, s *server) {
				o := s.do(t.Context(), s.client(c.policy, 0.5), post("prompt"))
				require.NoError(t, o.err)
				require.Equal(t, c.times, s.seconds())
				require.Equal(t, c.stop, o.trace.Stop)
			})
		})
	}
}
