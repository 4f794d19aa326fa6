package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestDocumentsTakeTurns runs a document of 10 chunks among 200 small ones, 4 requests at a time of
// a second each, and looks at the order in which they arrive. 4+32 documents are under way at once
// and wait in one queue, the large one with a chunk at a time. So between two of its chunks come 31
// to 35 small ones: those that are under way, without up to 4 that have just begun. Arrivals of the
// same second come in any order, which moves each of the two chunks by up to 3 places.
func TestDocumentsTakeTurns(t *testing.T) {
	const small, chunks, width, moved = 200, 10, 4, 2 * 3
	for large, before := range map[string]int{"000.pdf": 0, "100.pdf": 100, "999.pdf": small} { // small ones before it in the walk
		t.Run(large, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, large), partitiontest.NewPDF(200), 0o600))
			for i := range small {
				require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", i)), []byte("Small.\n"), 0o600))
			}
			synctest.Test(t, func(t *testing.T) {
				server := partitiontest.NewServer(partitiontest.Options{Listener: partitiontest.NewPipeListener("")})
				defer server.Close()
				server.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
				start := time.Now()
				sum := runFolder(t, dir, server, width)
				require.Equal(t, 1+small, sum.Documents)
				require.Zero(t, sum.Failed)
				require.Equal(t, 53*time.Second, time.Since(start), "210 requests, 4 a second: no place is ever empty before the end")

				gaps, sent := []int{0}, 0 // small ones before each chunk, and after the last
				for _, r := range server.Requests() {
					if r.File == large {
						gaps = append(gaps, 0)
					} else {
						gaps[len(gaps)-1]++
					}
				}
				require.Len(t, gaps, chunks+1)
				for k, gap := range gaps[:chunks] {
					left := small - sent
					sent += gap
					if k == 0 {
						require.LessOrEqual(t, gap, before+width+documentsAhead-1, "the large one waits for its turn: %v", gaps)
						continue
					}
					require.LessOrEqual(t, gap, width+documentsAhead-1+moved, "the large one waits, before chunk %d: %v", k+1, gaps)
					if before := sent - gap + k - 1; before < width {
						continue // it queued in the first second too, when not every small one had
					}
					require.GreaterOrEqual(t, gap, min(documentsAhead-1-moved, left-width-moved), "small ones wait, before chunk %d: %v", k+1, gaps)
				}
			})
		})
	}
}

// runFolder runs what is in a folder through the server, as quire partition DIR -f jsonl -j WIDTH
// does.
func runFolder(t *testing.T, dir string, server *partitiontest.Server, width int) *screen.Summary {
	t.Helper()
	client, err := partition.New(
		partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithHTTPClient(server.Client()), partition.WithMaxInFlight(width),
	)
	require.NoError(t, err)
	documents, err := walk.New(walk.Options{Roots: []string{dir}, Extension: ".jsonl"})
	require.NoError(t, err)
	form, known := format.Lookup("jsonl")
	require.True(t, known)
	stop := func(err error) { t.Errorf("the run was stopped: %v", err) }
	j := &job{
		flags: &partitionFlags{client: clientFlags{inFlight: width}}, shell: &shell{stdout: io.Discard, stderr: io.Discard}, form: form, walk: documents,
		console: screen.New(screen.Options{W: io.Discard, Quiet: true, Progress: screen.ProgressNone}),
	}
	r := &run{sender: &sender{client: client, format: form}, console: j.console, limits: j.limits(nil), stop: stop}
	r.documents, r.sink = j.ends(&outputs{})
	sum := &screen.Summary{}
	ended, lost := r.do(t.Context(), sum)
	require.NoError(t, ended)
	require.NoError(t, lost)
	return sum
}
