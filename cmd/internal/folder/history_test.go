package folder

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
)

// settings are those of a run in which every output is JSON.
func settings(t *testing.T) Settings {
	return Settings{Key: "k", How: "h", Engine: "e", Extension: ".json", Stop: func(err error) { t.Errorf("the run was stopped: %v", err) }}
}

// runOnce does one document in a run of its own, and returns what became of it. fail is how sending
// it ends.
func runOnce(t *testing.T, dir, path string, s Settings, fail error) (w *outcome.Outcome, sent bool) {
	t.Helper()
	f, err := Open(dir, healthy(t))
	require.NoError(t, err)
	require.NoError(t, f.Remember(func(err error) { t.Errorf("warning: %v", err) }))
	outputs := f.Outputs(s)
	d, err := partition.Open(path)
	require.NoError(t, err)
	w = &outcome.Outcome{Number: 1, Path: path, Name: filepath.Base(path)}
	output := outputs.Begin(t.Context(), d, w)
	if w.State == "" {
		outputs.Do(t.Context(), d, output, func(out *bufio.Writer) error {
			sent = true
			if fail == nil {
				_, _ = out.WriteString("[]")
			}
			return fail
		})
		if w.State = outcome.Done; w.Err != nil {
			w.State = outcome.Failed
		}
	}
	outputs.Commit(output, func() {})
	outputs.Close()
	require.NoError(t, d.Close())
	require.NoError(t, f.Close())
	return w, sent
}

// An earlier run settles a document exactly as long as nothing changes that its output depends on.
func TestWhatIsDoneStaysDone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	expect := func(why string, s Settings, sent bool, state outcome.State) {
		t.Helper()
		w, again := runOnce(t, dir, path, s, nil)
		require.Equal(t, sent, again, why)
		require.Equal(t, state, w.State, why)
	}
	s := settings(t)
	expect("never done", s, true, outcome.Done)
	expect("nothing has changed", s, false, outcome.Unchanged)
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	expect("other content", s, true, outcome.Done)
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	expect("the same content, written again", s, false, outcome.Unchanged)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt.json"), []byte("[ ]"), 0o600))
	expect("another output", s, true, outcome.Done)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.txt.json")))
	expect("no output", s, true, outcome.Done)
	s.How = "h2"
	expect("other means that change no output", s, false, outcome.Unchanged)
	s.Key = "k2"
	expect("other parameters", s, true, outcome.Done)
	s.Again = true
	expect("everything again", s, true, outcome.Done)
}

// A failure that the server declared final is the last word on the same means, unless it is to be
// sent all the same.
func TestAFinalFailureIsTheLastWord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	final := &partition.APIError{Document: "a.txt", Kind: partition.KindServer, Status: 500, Final: true, Attempts: 1}
	transient := &partition.APIError{Document: "a.txt", Kind: partition.KindServer, Status: 503, Attempts: 4}
	for _, step := range []struct {
		why   string
		how   string
		force bool
		fail  error
		sent  bool
	}{
		{"never done", "h", false, transient, true},
		{"another time it may work", "h", false, final, true},
		{"declared final", "h", false, final, false},
		{"by other means", "narrow", false, final, true},
		{"declared final again", "narrow", false, final, false},
		{"by force", "narrow", true, final, true},
	} {
		s := settings(t)
		s.How, s.Force = step.how, step.force
		w, sent := runOnce(t, dir, path, s, step.fail)
		require.Equal(t, step.sent, sent, step.why)
		require.Equal(t, outcome.Failed, w.State, step.why)
		require.Equal(t, !step.sent, w.Earlier(), step.why)
		require.Equal(t, partition.KindServer, w.Kind(), step.why)
	}
	require.NoFileExists(t, filepath.Join(dir, "a.txt.json"))
}

// Of a document that was not done, what is known from before still holds.
func TestWhatIsNotDoneIsNotRecorded(t *testing.T) {
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	f, err := Open(dir, healthy(t))
	require.NoError(t, err)
	require.NoError(t, f.Remember(func(err error) { t.Errorf("warning: %v", err) }))
	outputs := f.Outputs(settings(t))
	d, err := partition.Open(path)
	require.NoError(t, err)
	defer d.Close()
	w := &outcome.Outcome{Path: path, Name: "a.txt"}
	output := outputs.Begin(t.Context(), d, w)
	outputs.Do(t.Context(), d, output, func(*bufio.Writer) error { return errors.New("interrupted") })
	w.State = outcome.NotDone
	concluded := false
	outputs.Commit(output, func() { concluded = true })
	outputs.Close()
	require.True(t, concluded)
	require.False(t, outputs.Knows("a.txt"))
	require.NoError(t, f.Close())
}

// A source that is no longer there is missed once, as long as its output is there and its folder is
// one of the run's.
func TestMissingSources(t *testing.T) {
	dir, in := t.TempDir(), t.TempDir()
	path := filepath.Join(in, "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	_, _ = runOnce(t, dir, path, settings(t), nil)
	missing := func(covered bool) (paths []string) {
		f, err := Open(dir, healthy(t))
		require.NoError(t, err)
		require.NoError(t, f.Remember(func(err error) { t.Errorf("warning: %v", err) }))
		outputs := f.Outputs(settings(t))
		n := outputs.MissingSources(func(string) bool { return covered }, func(number int, r journal.Record) {
			paths = append(paths, r.Path)
			require.Len(t, paths, number)
		})
		require.Len(t, paths, n)
		outputs.Close()
		require.NoError(t, f.Close())
		return paths
	}
	require.Empty(t, missing(true), "it is there")
	require.NoError(t, os.Remove(path))
	require.Empty(t, missing(false), "in a folder of another run")
	require.Equal(t, []string{path}, missing(true))
	require.NoError(t, os.Remove(filepath.Join(dir, "a.txt.json")))
	require.Empty(t, missing(true), "nothing is left of it")
}
