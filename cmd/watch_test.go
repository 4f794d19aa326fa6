package cmd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// outcomeOf is a document that was sent and came to this.
func outcomeOf(s outcome.State, err error) *outcome.Outcome {
	sent := partition.ChunkReport{Sent: true, Trace: retry.Trace{Attempts: make([]retry.Attempt, 1)}}
	return &outcome.Outcome{State: s, Err: err, Report: partition.Report{Chunks: []partition.ChunkReport{sent}}}
}

func TestAHopelessRun(t *testing.T) {
	failure := func(kind partition.Kind, final bool) *outcome.Outcome {
		return outcomeOf(outcome.Failed, &partition.APIError{Document: "a.pdf", Kind: kind, Status: 500, Final: final, Attempts: 1, Method: "POST", URL: "http://x/y"})
	}
	done := outcomeOf(outcome.Done, nil)
	times := func(n int, w *outcome.Outcome) []*outcome.Outcome {
		var repeated []*outcome.Outcome
		for range n {
			repeated = append(repeated, w)
		}
		return repeated
	}
	for name, test := range map[string]struct {
		works []*outcome.Outcome
		want  bool
	}{
		"a server that fails everything":        {times(20, failure(partition.KindServer, false)), true},
		"not so many":                           {times(19, failure(partition.KindServer, false)), false},
		"with a success between":                {append(append(times(19, failure(partition.KindServer, false)), done), times(19, failure(partition.KindServer, false))...), false},
		"after a success":                       {append([]*outcome.Outcome{done}, times(20, failure(partition.KindTransport, false))...), true},
		"declared final, and nothing ever done": {times(20, failure(partition.KindServer, true)), true},
		"declared final, but others are done":   {append([]*outcome.Outcome{done}, times(20, failure(partition.KindServer, true))...), false},
		"the wrong URL":                         {times(20, failure(partition.KindBadRequest, false)), true},
		"bad documents":                         {times(100, failure(partition.KindBadDocument, false)), false},
		"of a type that it does not know":       {times(100, failure(partition.KindUnsupportedType, false)), false},
		"files that cannot be read":             {times(100, &outcome.Outcome{State: outcome.Failed, Err: errors.New("x")}), false},
	} {
		t.Run(name, func(t *testing.T) {
			var cause error
			u := newWatch(func(err error) { cause = err }, false)
			for _, w := range test.works {
				u.concluded(w)
			}
			if !test.want {
				require.NoError(t, cause)
				return
			}
			require.ErrorContains(t, cause, "the server failed 20 documents in a row: giving up; the last was a.pdf: POST /y: 500 ")
			var exit *exitError
			require.ErrorAs(t, stoppedError(cause, &screen.Summary{Written: 1}), &exit)
			require.Equal(t, exitUnavailable, exit.code)
		})
	}
}
