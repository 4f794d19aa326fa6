//go:build unix

package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The folder of compiled code is trusted as a cache is: by its owner and mode, and those of every
// folder above it and of everything in it. Otherwise nothing of it is run, and nothing is put there.
func TestE5CompiledCodeOfOthers(t *testing.T) {
	const stranger = 12345
	for name, test := range map[string]struct {
		change func(t *testing.T, base string)
		want   string
	}{
		"all ours":      {func(*testing.T, string) {}, ""},
		"above":         {func(t *testing.T, base string) { own(t, filepath.Join(base, "above"), stranger) }, "above: it belongs to another user"},
		"itself":        {func(t *testing.T, base string) { own(t, filepath.Join(base, "above", "code"), stranger) }, "code: it belongs to another user"},
		"a file in it":  {func(t *testing.T, base string) { own(t, filepath.Join(base, "above", "code", "v1", "x"), stranger) }, "x: it belongs to another user"},
		"a link to it":  {func(t *testing.T, base string) { own(t, filepath.Join(base, "link"), stranger) }, "link: it belongs to another user"},
		"anybody above": {func(t *testing.T, base string) { require.NoError(t, os.Chmod(filepath.Join(base, "above"), 0o777)) }, "other users may write to it"},
		"not there yet": {func(t *testing.T, base string) {
			require.NoError(t, os.RemoveAll(filepath.Join(base, "above", "code")))
			require.NoError(t, os.Chmod(filepath.Join(base, "above"), 0o777))
		}, "other users may write to it"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(base, "above", "code", "v1"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(base, "above", "code", "v1", "x"), nil, 0o600))
			require.NoError(t, os.Symlink(filepath.Join("above", "code"), filepath.Join(base, "link")))
			test.change(t, base)
			before, _ := os.ReadDir(filepath.Join(base, "above"))
			var log strings.Builder
			code := openCache(filepath.Join(base, "link"), slog.New(slog.NewTextHandler(&log, nil)))
			if test.want == "" {
				require.NotNil(t, code, log.String())
				require.NoError(t, code.Close(t.Context()))
				return
			}
			require.Nil(t, code)
			require.Contains(t, log.String(), test.want)
			after, _ := os.ReadDir(filepath.Join(base, "above"))
			require.Equal(t, before, after)
		})
	}
}

func own(t *testing.T, path string, user int) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	require.NoError(t, os.Lchown(path, user, 0))
}
