package screen

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// outcomes has a document of every state.
func outcomes() []*outcome.Outcome {
	return []*outcome.Outcome{
		{Path: "a.pdf", State: outcome.Done, Report: partition.Report{Elements: 2, Warnings: []string{"odd"}}},
		{Path: "b.pdf", State: outcome.Failed, Err: errors.New("b.pdf: torn")},
		{Path: "c\n.pdf", State: outcome.Skipped, Skip: "empty file"},
		{Path: ".d", State: outcome.Skipped, Skip: "hidden", Quiet: true},
		{Path: "e.pdf", State: outcome.Unchanged},
		{Path: "f.pdf", State: outcome.NotDone, Err: errors.New("interrupted")},
	}
}

func TestWhatPeopleAreTold(t *testing.T) {
	for name, test := range map[string]struct {
		o    Options
		want string
	}{
		"quiet": {Options{Quiet: true}, "failed: b.pdf: torn\n"},
		"as a rule": {Options{}, `warning: a.pdf: odd
failed: b.pdf: torn
skipped: c\n.pdf: empty file
`},
		"verbose": {Options{Verbose: true}, `warning: a.pdf: odd
done: a.pdf: 2 elements
failed: b.pdf: torn
skipped: c\n.pdf: empty file
skipped: .d: hidden
unchanged: e.pdf
not done: f.pdf
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.o.W, test.o.Progress = &out, ProgressNone
			c := New(test.o)
			for _, o := range outcomes() {
				c.Concluded(o)
				c.Tell(o)
			}
			require.False(t, c.Error(errors.New("the end")), "people are told by who called")
			c.Close()
			c.Close()
			require.Equal(t, test.want, out.String())
		})
	}
}

func TestWhatProgramsAreTold(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{W: &out, Progress: ProgressJSON})
		c.Expect(2, 100)
		c.Observe(partition.Event{Kind: partition.AttemptEvent, Document: "a.pdf", Attempt: retry.Event{Kind: retry.EventSilence, Wait: time.Minute}})
		for _, o := range outcomes()[:2] {
			c.Concluded(o)
		}
		time.Sleep(time.Second) // until progress is shown
		synctest.Wait()
		require.True(t, c.Error(errors.New("the end")))
		c.Close()
	})
	require.Equal(t, `{"event":"message","text":"waiting: a.pdf: no answer for 1m0s"}
{"event":"document","path":"a.pdf","state":"done","elements":2,"pages":0,"requests":0}
{"event":"document","path":"b.pdf","state":"failed","elements":0,"pages":0,"requests":0,"error_kind":"local_io","error":"b.pdf: torn"}
{"event":"progress","documents":2,"total":2,"unchanged":0,"partial":0,"failed":1,"empty":0,"pages":0,"pages_per_second":0,"in_flight":0,"retries":0,"gate_closed_ms":0,"eta_ms":0}
{"event":"error","text":"the end"}
`, out.String())
}

// The live line is drawn again when it changes, and gives way to messages and to standard output.
func TestTheLiveLineGivesWay(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{W: &out, Progress: ProgressBar})
		time.Sleep(600 * time.Millisecond) // three times nothing new
		c.Say("x")
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		c.Clear()
		_, _ = c.Write([]byte("log\n"))
		c.Close()
	})
	const line = "\r0 documents, 0 in flight\x1b[K"
	require.Equal(t, line+"\r\x1b[Kx\n"+line+"\r\x1b[Klog\n", out.String())
}

// TestA7EmptyDocumentsAreCounted has one that is done, and one that counts as failed.
func TestA7EmptyDocumentsAreCounted(t *testing.T) {
	report := partition.Report{Empty: true}
	fails := &partition.DocumentError{Document: "b.pdf", Kind: partition.KindEmpty, Err: errors.New("empty: no elements")}
	documents := []*outcome.Outcome{
		{Number: 1, Path: "a.pdf", State: outcome.Done, Report: report, Written: true},
		{Number: 2, Path: "b.pdf", State: outcome.Failed, Report: report, Err: fails},
		{Number: 3, Path: "c.pdf", State: outcome.Done, Report: partition.Report{Elements: 3}, Written: true},
	}
	s := &Summary{Engine: "http://x"}
	s.Add(documents[0])
	require.Equal(t, "1 done, 0 failed, 0 skipped; 0 elements, 1 empty document", s.Lines()[0])
	s.Add(documents[1])
	s.Add(documents[2])
	require.Equal(t, "2 done, 1 failed, 0 skipped; 3 elements, 2 empty documents", s.Lines()[0])
	var out bytes.Buffer
	require.NoError(t, s.Write(&out))
	require.Contains(t, out.String(), `"empty": 2,`)
	require.Contains(t, out.String(), `"failed_by_kind": {
    "empty": 1
  }`)

	out.Reset()
	c := New(Options{W: &out, Progress: ProgressNone})
	defer c.Close()
	for _, o := range documents {
		c.Concluded(o)
	}
	require.Equal(t, "3 documents, 1 failed, 2 empty, 0 in flight", c.progress.line(time.Now(), 0))
	require.Equal(t, 2, c.progress.event(time.Now()).Empty)
	for i, empty := range []bool{true, true, false} {
		require.Equal(t, empty, newDocumentEvent(documents[i]).Empty)
	}
}

func TestSummary(t *testing.T) {
	s := &Summary{Engine: "http://x"}
	for i, o := range outcomes() {
		o.Number, o.Written = i+1, o.State == outcome.Done
		s.Add(o)
	}
	server := &partition.APIError{Document: "g.pdf", Kind: partition.KindServer, Status: 503, Attempts: 1}
	s.Add(&outcome.Outcome{Number: 7, Path: "g.pdf", State: outcome.Failed, Err: server})
	s.ElapsedMS, s.NotDone = 1234, 1
	require.Equal(t, []string{
		"1 done, 2 failed, 1 unchanged, 2 skipped, 1 not done; 2 elements",
		"0 requests; 1.2s, by http://x",
		"failed (local_io): 1, the first: b.pdf: torn",
		"failed (server): 1, the first: g.pdf: 503 Service Unavailable (1 attempt)",
	}, s.Lines())
	require.Equal(t, 1, s.Unavailable)
	require.Equal(t, 1, s.Written)
	var out bytes.Buffer
	require.NoError(t, s.Write(&out))
	require.JSONEq(t, `{"engine":"http://x","documents":4,"partial":0,"failed":2,"unchanged":1,"empty":0,"skipped":2,"not_done":1,"gone":0,"pages":0,"missing_pages":0,
		"elements":2,"chunks":0,"requests":0,"retries":0,"maybe_billed":0,"maybe_billed_twice":0,"cache_hits":0,"bytes_sent":0,"elapsed_ms":1234,
		"failed_by_kind":{"local_io":1,"server":1},"skipped_by":{"empty file":1,"hidden":1}}`, out.String())
}
