//go:build conformance

package split

import (
	"testing"
	"time"

	"github.com/quire-dev/quire/testdata/largepdf"
)

// The same of files that take longer.
func TestE10MemoryOfLargerFiles(t *testing.T) {
	requireMemory(t, []largeFile{
		{"scan of 3 GB", largepdf.Scan(1_500, 2_000_000), 64e6, 20 * time.Second},
		{"a million objects", largepdf.Objects(1_000_000), 200e6, 10 * time.Second},
		{"1,500,000 objects without a table", largepdf.Objects(1_500_000).WithoutTable(), 300e6, 2 * time.Minute},
	})
}
