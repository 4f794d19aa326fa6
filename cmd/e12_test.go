//go:build linux

package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestE12 runs a folder onto a disk that is full in the middle: what could not be written has
// failed, and the advice is what helps. A cache on such a disk is said once, with all that follows
// from it.
func TestE12(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	input := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(input, 0o700))
	for i := range 30 {
		require.NoError(t, os.WriteFile(filepath.Join(input, fmt.Sprintf("%d.pdf", i)), partitiontest.NewPDF(40), 0o600))
	}
	run := func(t *testing.T, full string) (code int, said string) {
		disk := filepath.Join(t.TempDir(), "disk")
		require.NoError(t, os.Mkdir(disk, 0o700))
		if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=60k,mode=700"); err != nil {
			t.Skipf("cannot mount a small disk: %v", err)
		}
		t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, 0)) })
		dirs := map[string]string{"out": t.TempDir(), "cache": t.TempDir(), "tmp": t.TempDir()}
		dirs[full] = disk
		t.Setenv("XDG_CACHE_HOME", dirs["cache"])
		t.Setenv("TMPDIR", dirs["tmp"])
		args := []string{"partition", input, "-o", filepath.Join(dirs["out"], "out"), "-j", "3"}
		if full == "tmp" {
			args = append(args, "--no-cache")
		}
		var stdout, stderr bytes.Buffer
		code = cmd.Main(args, []string{"UNSTRUCTURED_API_URL=" + server.URL}, strings.NewReader(""), &stdout, &stderr)
		return code, stderr.String()
	}
	t.Run("out", func(t *testing.T) {
		code, said := run(t, "out")
		require.Equal(t, 3, code, said)
		require.Regexp(t, regexp.MustCompile(`(?m)^[1-9]\d* done, [1-9]\d* failed, 0 skipped`), said)
		require.Regexp(t, regexp.MustCompile(`(?m)^failed: .*\.pdf: output: no space left on device$`), said)
		require.Contains(t, said, "\nonce outputs can be written, run the same command again to do the rest\n")
		require.NotContains(t, said, "--retry-failed")
		require.NotContains(t, said, "failed (canceled)")
	})
	for _, full := range []string{"cache", "tmp"} {
		t.Run(full, func(t *testing.T) {
			code, said := run(t, full)
			require.Zero(t, code, said)
			require.Contains(t, said, "30 done, 0 failed")
			require.LessOrEqual(t, strings.Count(said, "warning: cache unavailable"), 1, said)
			require.LessOrEqual(t, strings.Count(said, "temporary files cannot be written"), 1, said)
			require.Contains(t, said, "no space left on device")
		})
	}
}
