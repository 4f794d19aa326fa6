package partition_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/testdata/largepdf"
)

// A PDF of 214 MB beside 100 small ones, 4 requests at a time of a second each: 25 seconds for
// the small ones alone. The large one has 10 chunks, but waits with one at a time, and so is behind all
// of them after its first. Whenever it comes, the small ones take at most a tenth longer, and no place is
// ever empty before the end.
func TestB3LargeAmongSmall(t *testing.T) {
	const size, small, width, chunks = 214_000_000, 100, 4, 10
	name := filepath.Join(t.TempDir(), "large.pdf")
	require.NoError(t, largepdf.ShortPages(60).WithUnneeded(size).Write(name))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	large := io.NewSectionReader(file, 0, info.Size()) // without times, which are from after the bubble's
	for _, before := range []int{0, 50, small} {       // small ones before it
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
				client := newClient(t, s, partition.WithMaxInFlight(width))
				start := time.Now()
				var smalls, all sync.WaitGroup
				sendLarge := func() {
					all.Go(func() {
						document := partition.FromReaderAt("large.pdf", large, large.Size())
						params := partition.Params{Split: partition.Split{Mode: partition.DiskCached}}
						if _, err := client.Partition(t.Context(), document, params); err != nil {
							t.Error(err)
						}
					})
				}
				for i := range small {
					if i == before {
						sendLarge()
					}
					smalls.Go(func() {
						if _, err := client.Partition(t.Context(), pdf(fmt.Sprintf("%d.pdf", i), 1), partition.Params{}); err != nil {
							t.Error(err)
						}
					})
				}
				if before == small {
					sendLarge()
				}
				smalls.Wait()
				const alone = small / width * time.Second
				require.LessOrEqual(t, time.Since(start), alone+alone/10)
				all.Wait()
				require.Equal(t, (small+chunks+width-1)/width*time.Second, time.Since(start).Round(time.Second))
				require.Len(t, s.Requests(), small+chunks)
			})
		})
	}
}
