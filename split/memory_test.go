package split

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/testdata/largepdf"
)

// A largeFile is a document that is large in one way, and what a process may take to cut it up.
type largeFile struct {
	name     string
	document largepdf.Document
	bytes    int64         // of memory
	cpu      time.Duration // about ten times what it takes
}

// What a document takes depends on its objects and pages, and not on its bytes. The first bound of
// each is that of entry E10; what it takes is a third of it or less.
func TestE10Memory(t *testing.T) {
	requireMemory(t, []largeFile{
		{"scan of 102 MB", largepdf.Scan(1_000, 102_000), 40e6, 2 * time.Second},
		{"44,838 short pages", largepdf.ShortPages(44_838), 100e6, 10 * time.Second},
		{"100,000 objects without a table", largepdf.Objects(100_000).WithoutTable(), 64e6, 10 * time.Second},
	})
}

func requireMemory(t *testing.T, files []largeFile) {
	t.Helper()
	if raceDetector() || highWater(os.Getpid()) == 0 {
		t.Skip("the memory of a process cannot be told here")
	}
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "large.pdf")
			require.NoError(t, file.document.Write(name))
			c := helper(t, "bomb", name)
			require.Equal(t, "split", c.output)
			require.Less(t, c.peak, file.bytes)
			require.Less(t, c.cpu, file.cpu) // CPU time: others may be at work here
			t.Logf("%.0f MB of memory, %v of CPU", float64(c.peak)/1e6, c.cpu.Round(time.Millisecond))
		})
	}
}
