//go:build conformance && linux

package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestFullDisk runs a folder onto a disk that is full after 4 KiB, after 8 KiB, and so on, for the
// outputs, the cache and the temporary files in turn: an output is there whole or not at all, and
// each document that has none has a line.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	input := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(input, 0o700))
	for i := range 6 {
		require.NoError(t, os.WriteFile(filepath.Join(input, fmt.Sprintf("%d.pdf", i)), partitiontest.NewPDF(40), 0o600))
	}
	run := func(out, cache, temporary string) (int, string) {
		t.Setenv("TMPDIR", temporary)
		t.Setenv("XDG_CACHE_HOME", cache) // asked for by name, a full one would end the run
		var stdout, stderr bytes.Buffer
		code := cmd.Main([]string{"partition", input, "-o", out, "-j", "3"},
			[]string{"UNSTRUCTURED_API_URL=" + server.URL}, strings.NewReader(""), &stdout, &stderr)
		return code, stderr.String()
	}
	free := t.TempDir()
	code, said := run(filepath.Join(free, "out"), filepath.Join(free, "cache"), free)
	require.Zero(t, code, said)
	want := map[string]string{}
	for i := range 6 {
		name := fmt.Sprintf("%d.pdf.json", i)
		data, err := os.ReadFile(filepath.Join(free, "out", name))
		require.NoError(t, err)
		want[name] = string(data)
	}
	disk := filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	for kib := 4; kib <= 120; kib += 4 {
		for _, full := range []string{"out", "cache", "tmp"} {
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
				t.Skipf("cannot mount a small disk: %v", err)
			}
			dirs := map[string]string{"out": t.TempDir(), "cache": t.TempDir(), "tmp": t.TempDir()}
			dirs[full] = disk
			code, said := run(filepath.Join(dirs["out"], "out"), filepath.Join(dirs["cache"], "cache"), dirs["tmp"])
			outputs := 0
			for name, complete := range want {
				data, err := os.ReadFile(filepath.Join(dirs["out"], "out", name))
				if err == nil {
					outputs++
					require.Equal(t, complete, string(data), "%d KiB for %s: %s", kib, full, name)
				}
			}
			for _, unfinished := range []string{".quire-*", ".quire/tmp/*"} {
				left, err := filepath.Glob(filepath.Join(dirs["out"], "out", unfinished))
				require.NoError(t, err)
				require.Empty(t, left)
			}
			if full != "out" {
				require.Zero(t, code, said) // without a cache, and with memory for temporary files, nothing is lost
			}
			if outputs < len(want) {
				require.NotZero(t, code)
				require.Contains(t, said, "no space left on device")
			}
			require.NoError(t, syscall.Unmount(disk, 0))
		}
	}
}
