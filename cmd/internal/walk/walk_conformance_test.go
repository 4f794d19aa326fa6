//go:build conformance

package walk

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWalkMemory goes through a folder of 100,000 files: what is kept is below 200 bytes a file,
// with the claims of a survey and the paths of a list too.
func TestWalkMemory(t *testing.T) {
	const files, limit = 100_000, 200
	plant(t, "in/")
	for i := range files {
		require.NoError(t, os.WriteFile(fmt.Sprintf("in/document-%010d.txt", i), []byte("x"), 0o600))
	}
	for name, o := range map[string]Options{
		"a tree": {Roots: []string{"in"}},
		"a list": {List: []Listed{{Path: "in"}}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Output, o.Extension = "out", ".json"
			w, err := New(o)
			require.NoError(t, err)
			c := &claims{foldCase: true, everything: o.List != nil}
			before, n, most := liveBytes(), 0, uint64(0)
			for e := range w.Entries(t.Context()) {
				require.NoError(t, c.add(e.Name+w.Extension))
				if n++; n == 1 || n%(files/4) == 0 {
					most = max(most, liveBytes()-before)
				}
			}
			require.Equal(t, files, n)
			t.Logf("%d bytes a file", most/files)
			require.Less(t, most/files, uint64(limit))
			runtime.KeepAlive(c)
		})
	}
}

// BenchmarkWalk goes through a folder of 10,000 files.
func BenchmarkWalk(b *testing.B) {
	b.Chdir(b.TempDir())
	for i := range 10_000 {
		require.NoError(b, os.WriteFile(fmt.Sprintf("document-%010d.txt", i), []byte("x"), 0o600))
	}
	w, err := New(Options{Roots: []string{"."}, Output: "out", Extension: ".json"})
	require.NoError(b, err)
	for b.Loop() {
		found, err := w.Survey(b.Context(), false)
		require.NoError(b, err)
		require.Equal(b, 10_000, found.Documents)
	}
}

func liveBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
