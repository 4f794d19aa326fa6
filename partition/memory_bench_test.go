package partition_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// BenchmarkMemory takes a document of 1,000 chunks whose answers have 2 MB each, the first one
// last, and reports the peak of the live heap, server and client together.
func BenchmarkMemory(b *testing.B) {
	const chunks, answer = 1000, 2 << 20
	filler := make([]byte, 1000)
	for i := range filler {
		filler[i] = 'x'
	}
	engine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		out := bufio.NewWriter(w)
		separator := "["
		for n := range answer / len(filler) {
			fmt.Fprintf(out, `%s{"type":"NarrativeText","element_id":"%d-%d","text":"%s","metadata":{}}`, separator, request.Pages.First, n, filler)
			separator = ","
		}
		fmt.Fprint(out, "]")
		_ = out.Flush()
	})
	document := partitiontest.NewPDF(20 * chunks)
	for _, mode := range []partition.ChunkMode{partition.DiskCached, partition.Buffered} {
		b.Run(string(mode), func(b *testing.B) {
			for range b.N {
				s := partitiontest.NewServer(partitiontest.Options{Engine: engine})
				s.Script(partitiontest.Fault{Match: func(r partitiontest.Request) bool { return r.Pages.First == 1 }, Do: partitiontest.Delay(5 * time.Second)})
				c, err := partition.New(partition.WithBaseURL(s.URL), partition.WithAPIKey(""), partition.WithHTTPClient(s.Client()))
				if err != nil {
					b.Fatal(err)
				}
				peak, stop := watchHeap()
				d := partition.FromReaderAt("a.pdf", readerAt(document), int64(len(document)))
				elements := 0
				out := bufio.NewWriter(io.Discard)
				for e, err := range c.Stream(b.Context(), d, partition.Params{Split: partition.Split{Mode: mode, Concurrency: 50}}).All() {
					if err != nil {
						b.Fatal(err)
					}
					line, _ := e.MarshalJSON()
					_, _ = out.Write(line)
					elements++
				}
				stop()
				s.Close()
				b.ReportMetric(float64(peak.Load())/(1<<20), "peak-MB")
				b.ReportMetric(float64(elements), "elements")
			}
		})
	}
}

type readerAt []byte

func (r readerAt) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(r)) {
		return 0, io.EOF
	}
	n := copy(p, r[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// watchHeap samples the bytes of heap objects until stop is called.
func watchHeap() (peak *atomic.Uint64, stop func()) {
	peak = &atomic.Uint64{}
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			peak.Store(max(peak.Load(), sample[0].Value.Uint64()))
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return peak, func() { close(done); <-finished }
}
