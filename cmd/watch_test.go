package cmd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// concludedWith is a document that was sent and came to this.
func concludedWith(s state, err error) *work {
	sent := partition.ChunkReport{Trace: retry.Trace{Attempts: make([]retry.Attempt, 1)}}
	return &work{state: s, err: err, report: partition.Report{Chunks: []partition.ChunkReport{sent}}}
}

func TestAHopelessRun(t *testing.T) {
	failure := func(kind partition.Kind, final bool) *work {
		return concludedWith(stateFailed, &partition.APIError{Document: "a.pdf", Kind: kind, Status: 500, Final: final, Attempts: 1})
	}
	done := concludedWith(stateDone, nil)
	times := func(n int, w *work) []*work {
		var all []*work
		for range n {
			all = append(all, w)
		}
		return all
	}
	for name, test := range map[string]struct {
		works []*work
		want  bool
	}{
		"a server that fails everything":        {times(20, failure(partition.KindServer, false)), true},
		"not so many":                           {times(19, failure(partition.KindServer, false)), false},
		"with a success between":                {append(append(times(19, failure(partition.KindServer, false)), done), times(19, failure(partition.KindServer, false))...), false},
		"after a success":                       {append([]*work{done}, times(20, failure(partition.KindTransport, false))...), true},
		"declared final, and nothing ever done": {times(20, failure(partition.KindServer, true)), true},
		"declared final, but others are done":   {append([]*work{done}, times(20, failure(partition.KindServer, true))...), false},
		"the wrong URL":                         {times(20, failure(partition.KindBadRequest, false)), true},
		"bad documents":                         {times(100, failure(partition.KindBadDocument, false)), false},
		"of a type that it does not know":       {times(100, failure(partition.KindUnsupportedType, false)), false},
		"files that cannot be read":             {times(100, &work{state: stateFailed, err: errors.New("x")}), false},
	} {
		t.Run(name, func(t *testing.T) {
			var cause error
			u := &watch{stop: func(err error) { cause = err }}
			for _, w := range test.works {
				u.concluded(w)
			}
			if !test.want {
				require.NoError(t, cause)
				return
			}
			require.ErrorContains(t, cause, "the server failed 20 documents in a row: giving up; the last was a.pdf: POST /y: 500 ")
			var exit *exitError
			require.ErrorAs(t, stoppedError(cause, &summary{written: 1}), &exit)
			require.Equal(t, exitUnavailable, exit.code)
		})
	}
}
