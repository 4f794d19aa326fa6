//go:build conformance

package split

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fuzzing makes new inputs, and does not spend its time on the seeds or on one of them.
func TestB10FuzzingFuzzes(t *testing.T) {
	for _, target := range []string{"FuzzOpen", "FuzzChunk"} {
		t.Run(target, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-fuzz=^"+target+"$", "-fuzztime=30s", "-fuzzminimizetime=10x", ".").CombinedOutput()
			require.NoError(t, err, string(out))
			seeds := regexp.MustCompile(`baseline coverage: \d+/(\d+) completed`).FindSubmatch(out)
			runs := regexp.MustCompile(`execs: (\d+)`).FindAllSubmatch(out, -1)
			require.NotNil(t, seeds, string(out))
			require.NotEmpty(t, runs, string(out))
			seeded, err := strconv.Atoi(string(seeds[1]))
			require.NoError(t, err)
			ran, err := strconv.Atoi(string(runs[len(runs)-1][1]))
			require.NoError(t, err)
			t.Logf("%d runs, %d seeds", ran, seeded)
			require.Greater(t, ran-seeded, 300)
		})
	}
}
