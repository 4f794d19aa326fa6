//go:build conformance

package split

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Chunks cut from many goroutines at once are those cut one after the other, over real files. The
// Makefile runs it with the race detector.
func TestChunksAtOnce(t *testing.T) {
	cut := func(d *Document, r PageRange) (sum [sha256.Size]byte, err error) {
		c, err := d.Chunk(context.Background(), r)
		if err != nil {
			return sum, err
		}
		h := sha256.New()
		_, err = c.WriteTo(h)
		return [sha256.Size]byte(h.Sum(nil)), err
	}
	for _, name := range smallCorpus(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			d, err := openFile(t, name, Options{})
			if err != nil {
				t.Skip(err)
			}
			plan := Plan(d.Pages(), 10)
			sums := make([][sha256.Size]byte, 4*len(plan))
			errs := make([]error, len(sums))
			var wg sync.WaitGroup
			for i := range sums {
				wg.Go(func() { sums[i], errs[i] = cut(d, plan[i%len(plan)]) })
			}
			wg.Wait()
			again, err := openFile(t, name, Options{})
			require.NoError(t, err)
			for i := range sums {
				want, err := cut(again, plan[i%len(plan)])
				require.Equal(t, err == nil, errs[i] == nil, "%v, %v", err, errs[i])
				require.Equal(t, want, sums[i], "pages %s", plan[i%len(plan)])
			}
		})
	}
}
