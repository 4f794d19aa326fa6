//go:build conformance

package cmd_test

import (
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestKilledAtAnyMoment kills a real process a hundred times in the middle of documents, restarts
// it at another width each time, and looks at what is there in the end: the outputs of an
// undisturbed run, byte for byte, and no chunk answered twice but those that were under way at a
// kill.
func TestKilledAtAnyMoment(t *testing.T) {
	const kills, pages = 100, 40
	binary := filepath.Join(t.TempDir(), "quire")
	build := exec.Command("go", "build", "-o", binary, "./quire")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	random := rand.New(rand.NewPCG(1, 2))
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	server.Script(partitiontest.Fault{Do: partitiontest.Action{Name: "slow", Wrap: func(real http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(30 * time.Millisecond)
			real.ServeHTTP(w, r)
		})
	}}})
	start := func(dir, document string, width int) *exec.Cmd {
		c := exec.Command(binary, "partition", document, "-o", filepath.Join(dir, "out"), "--cache-dir", filepath.Join(dir, "cache"),
			"-j", strconv.Itoa(width), "-q")
		c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		return c
	}
	killed, documents, twice := 0, 0, 0
	for killed < kills {
		dir := t.TempDir()
		document := filepath.Join(dir, "report.pdf")
		require.NoError(t, os.WriteFile(document, partitiontest.NewPDF(pages, partitiontest.WithText(func(page int) string {
			return "document " + strconv.Itoa(documents) + " page " + strconv.Itoa(page)
		})), 0o600))
		documents++
		before, underWay := len(server.Requests()), 0
		for range 6 {
			width := 1 + random.IntN(12)
			c := start(dir, document, width)
			time.Sleep(time.Duration(5+random.IntN(120)) * time.Millisecond)
			underWay += width // at most: answered, but not stored yet
			if c.Process.Kill() != nil {
				break // done already
			}
			killed++
			_ = c.Wait()
		}
		require.NoError(t, start(dir, document, 3).Wait())
		answered := map[string]int{}
		total := 0
		for _, r := range server.Requests()[before:] {
			if r.Status == http.StatusOK {
				answered[r.Pages.String()]++
				total++
			}
		}
		require.Len(t, answered, 10)
		twice += total - 10
		require.LessOrEqual(t, total, 10+underWay, "every chunk is answered once, but for those under way at a kill")
		got, err := os.ReadFile(filepath.Join(dir, "out", "report.pdf.json"))
		require.NoError(t, err)
		calm := t.TempDir()
		require.NoError(t, start(calm, document, 10).Wait())
		want, err := os.ReadFile(filepath.Join(calm, "out", "report.pdf.json"))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	t.Logf("%d kills of %d documents, %d chunks answered twice", killed, documents, twice)
}
