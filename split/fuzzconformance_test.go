//go:build conformance

package split

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fuzzing makes new inputs, and does not spend its time on the seeds or on one of them. What it finds is found by
// chance, so that it is no part of the daily checks.
func TestB10FuzzingFuzzes(t *testing.T) {
	if os.Getenv("QUIRE_SOAK") == "" {
		t.Skip("fuzzing is for make soak")
	}
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
