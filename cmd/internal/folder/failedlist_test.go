package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
)

func failed(number int, path string, err error) *outcome.Outcome {
	return &outcome.Outcome{Number: number, Path: path, Name: filepath.Base(path), State: outcome.Failed, Err: err}
}

// Without an output folder, what a run of a failed list does not come to stays on the list.
func TestFailedList(t *testing.T) {
	list := filepath.Join(t.TempDir(), "failed.jsonl")
	final := &partition.APIError{Document: "/b", Kind: partition.KindServer, Status: 500, Final: true, Attempts: 2}
	again := []journal.Failure{{Path: "/z", Kind: "server", Message: "z"}, {Path: "/c", Kind: "server", Message: "c"}, {Path: "/d", Kind: "server"}}
	l, err := NewFailedList(list, nil, healthy(t), ".json", again)
	require.NoError(t, err)
	require.NoError(t, l.Add(failed(2, "/b", final)))
	require.NoError(t, l.Add(failed(1, "/a", errors.New("torn"))))
	require.NoError(t, l.Add(&outcome.Outcome{Number: 3, Path: "/d", State: outcome.Done}))
	require.NoError(t, l.Add(&outcome.Outcome{Number: 4, Path: "/c", State: outcome.NotDone}))
	require.Nil(t, l.Hint("quire"), "it is not written yet")
	require.NoError(t, l.Close())
	data, err := os.ReadFile(list)
	require.NoError(t, err)
	require.Equal(t, `{"path":"/a","name":"a","kind":"local_io","final":false,"attempts":0,"message":"torn"}
{"path":"/b","name":"b","kind":"server","status":500,"final":true,"attempts":0,"message":"`+final.Error()+`"}
{"path":"/c","name":"","kind":"server","final":false,"attempts":0,"message":"c"}
{"path":"/z","name":"","kind":"server","final":false,"attempts":0,"message":"z"}
`, string(data))
	require.Equal(t, []string{
		"failed documents are listed in " + list + "; to retry them (add --force for 1 of 4 that the server declared final):", "  quire",
	}, l.Hint("quire"))

	failures, err := ReadFailedList(list)
	require.NoError(t, err)
	require.Len(t, failures, 4)
	require.Len(t, NewFinalFailures(failures), 1)
	require.Contains(t, NewFinalFailures(failures), "/b")
}

// An empty list is written all the same, and nil takes nothing.
func TestEmptyFailedList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failed.jsonl")
	l, err := NewFailedList(path, nil, healthy(t), ".json", nil)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	failures, err := ReadFailedList(path)
	require.NoError(t, err)
	require.Empty(t, failures)
	require.Nil(t, l.Hint("quire"))

	l, err = NewFailedList("", nil, healthy(t), ".json", nil)
	require.NoError(t, err)
	require.Nil(t, l)
	require.NoError(t, l.Add(failed(1, "/a", errors.New("torn"))))
	require.NoError(t, l.Close())
	require.Empty(t, l.Path())
	l.Discard()
}

// A document on standard input cannot be run again: a list of it alone is no use, and is refused.
func TestFailedListOfStandardInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failed.jsonl")
	l, err := NewFailedList(path, nil, healthy(t), ".json", nil)
	require.NoError(t, err)
	require.NoError(t, l.Add(failed(1, "-", errors.New("torn"))))
	require.NoError(t, l.Close())
	require.Nil(t, l.Hint("quire"))
	_, err = ReadFailedList(path)
	require.EqualError(t, err, path+" lists a document from standard input, which cannot be read again")
}

// A document that was declared final is settled as long as it is the same.
func TestFinalFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("abc"), 0o600))
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of abc, as FIPS 180-2 has it
	for name, test := range map[string]struct {
		failure journal.Failure
		want    bool
	}{
		"the same":           {journal.Failure{Path: path, SHA256: sum, Final: true, Kind: "server", Message: "no"}, true},
		"another content":    {journal.Failure{Path: path, SHA256: sum[1:] + "0", Final: true}, false},
		"not final":          {journal.Failure{Path: path, SHA256: sum}, false},
		"of unknown content": {journal.Failure{Path: path, Final: true}, false},
		"another document":   {journal.Failure{Path: path + "x", SHA256: sum, Final: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := partition.Open(path)
			require.NoError(t, err)
			defer d.Close()
			w := &outcome.Outcome{Path: path}
			require.Equal(t, test.want, NewFinalFailures([]journal.Failure{test.failure}).Settle(t.Context(), d, w))
			if test.want {
				require.Equal(t, outcome.Failed, w.State)
				require.Equal(t, "no (declared final in an earlier run; --force resends it)", w.Message())
			}
		})
	}
}
