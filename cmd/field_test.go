package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// runOn runs a command against a server, and returns its exit code and outputs.
func runOn(s *partitiontest.Server, args ...string) (code int, stdout, stderr string) {
	var out, said bytes.Buffer
	code = cmd.Main(append(args, "--no-cache"), []string{"UNSTRUCTURED_API_URL=" + s.URL}, strings.NewReader(""), &out, &said)
	return code, out.String(), said.String()
}

// Links that are not followed are one line with a count, however many there are.
func TestD8Links(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("text"), 0o600))
	for i := range 30 {
		if err := os.Symlink("/etc/hostname", filepath.Join(dir, fmt.Sprintf("out%d", i))); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	code, _, said := runOn(s, "partition", dir, "-o", out)
	require.Zero(t, code, said)
	require.Contains(t, said, "31 links skipped (30: a link out of the folder, 1: a link that leads nowhere); -v names each")
	require.NotContains(t, said, "skipped: ")
	_, _, said = runOn(s, "partition", dir, "-o", out, "-v")
	require.Equal(t, 31, strings.Count(said, "skipped: "))
}

// The exit code goes by the cause: an answer that broke off is like a connection that was closed.
// What no answer will change is not.
func TestD8ExitCodes(t *testing.T) {
	for name, test := range map[string]struct {
		do   partitiontest.Action
		args []string
		want int
	}{
		"broken off":    {partitiontest.Truncate(20), nil, 6},
		"cut JSON":      {partitiontest.InvalidJSON(), nil, 6},
		"closed":        {partitiontest.Disconnect(), nil, 6},
		"reset":         {partitiontest.ResetAfter(20), nil, 6},
		"no list":       {partitiontest.HTMLPage(200), nil, 1},
		"JSON as table": {partitiontest.Reply(200, `[{"type":"Title","text":"a"}]`), []string{"--param", "output_format=text/csv"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := partitiontest.NewServer(partitiontest.Options{})
			defer s.Close()
			s.Script(partitiontest.Fault{Do: test.do})
			path := filepath.Join(t.TempDir(), "a.txt")
			require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
			args := append([]string{"partition", path, "--retry-attempts", "2", "--retry-initial", "1ms", "--retry-max", "2ms"}, test.args...)
			code, out, said := runOn(s, args...)
			require.Equal(t, test.want, code, said)
			require.Empty(t, out)
		})
	}
}

// A document that has no pages to count is not said to have none.
func TestD8NoPages(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	path := filepath.Join(t.TempDir(), "a.docx")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	code, _, said := runOn(s, "partition", path, "-o", filepath.Join(t.TempDir(), "out"))
	require.Zero(t, code, said)
	require.Contains(t, said, "1 done, 0 failed, 0 skipped; 1 element")
	require.NotContains(t, said, "page")
}

// A document that is given alone is named after itself; of several, each keeps the path that it was
// given, as the help says. Names stay as they were, so that finished outputs are found.
func TestD8AbsolutePaths(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	require.NoError(t, os.WriteFile(a, []byte("text"), 0o600))
	require.NoError(t, os.WriteFile(b, []byte("more"), 0o600))
	out := filepath.Join(t.TempDir(), "out")
	code, _, said := runOn(s, "partition", a, "-o", out)
	require.Zero(t, code, said)
	require.FileExists(t, filepath.Join(out, "a.txt.json"))
	code, _, said = runOn(s, "partition", a, b, "-o", out)
	require.Zero(t, code, said)
	for _, path := range []string{a, b} {
		require.FileExists(t, filepath.Join(out, path[len(filepath.VolumeName(path)):]+".json"))
	}
	code, help, _ := runOn(s, "partition", "--help")
	require.Zero(t, code)
	require.Contains(t, strings.Join(strings.Fields(help), " "), "/abs/a.pdf gives <folder>/abs/a.pdf.json")
}
