package partition_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// stormDocuments is how many documents the storm takes; $QUIRE_SOAK asks for more.
func stormDocuments(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("QUIRE_SOAK")); err == nil {
		return n
	}
	if testing.Short() {
		return 30
	}
	return 300
}

// A storm fails requests at random, the same way for the same file, pages and attempt.
type storm struct{ seed uint64 }

func (s storm) draw(r partitiontest.Request) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, r.File, r.Pages, r.Attempt)
	return rand.New(rand.NewPCG(s.seed, h.Sum64())).Float64()
}

// script is the storm's faults, each with its share of the requests.
func (s storm) script() []partitiontest.Fault {
	var faults []partitiontest.Fault
	from := 0.0
	for _, f := range []struct {
		share float64
		do    partitiontest.Action
	}{
		{0.03, partitiontest.Detail(500, "something")},
		{0.02, partitiontest.HTMLPage(502)},
		{0.03, partitiontest.Detail(503, "heavy load")},
		{0.02, partitiontest.Chain(partitiontest.Header("Retry-After", "2"), partitiontest.Detail(429, "slow down"))},
		{0.03, partitiontest.Reset()},
		{0.01, partitiontest.Truncate(30)},
		{0.05, partitiontest.Delay(30 * time.Second)},
		{0.002, partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)},
	} {
		low, high := from, from+f.share
		from = high
		faults = append(faults, partitiontest.Fault{Do: f.do, Match: func(r partitiontest.Request) bool {
			d := s.draw(r)
			return low <= d && d < high
		}})
	}
	return append(faults, partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
}

// TestFaultStorm sends many documents through a server that fails in every way. Each ends done or
// named as failed; nothing is lost or doubled; what is done equals the run without faults; the
// server's record equals the union of the traces; and hardly a page is paid for twice.
func TestFaultStorm(t *testing.T) {
	documents := stormDocuments(t)
	run := func(t *testing.T, script []partitiontest.Fault) (map[string]string, map[string]error, *partitiontest.Server, int) {
		texts, failures := map[string]string{}, map[string]error{}
		var server *partitiontest.Server
		attempts := 0
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			server = s
			s.Script(script...)
			c := newClient(t, s, partition.WithMaxInFlight(16))
			var mu sync.Mutex
			var group errgroup.Group
			group.SetLimit(40)
			for i := range documents {
				group.Go(func() error {
					name := fmt.Sprintf("%d.pdf", i)
					result, err := c.Partition(t.Context(), pdf(name, 1+i%37), partition.Params{Split: partition.Split{
						AllowFailed: i%2 == 0, Mode: []partition.ChunkMode{partition.Buffered, partition.DiskCached}[i%3%2],
					}})
					encoded, _ := json.Marshal(result.Elements)
					mu.Lock()
					defer mu.Unlock()
					attempts += result.Report.Requests()
					if err != nil {
						failures[name] = err
						return nil
					}
					texts[name] = string(encoded)
					if got := numbers(result.Elements); !slices.Equal(got, upTo(1, 1+i%37)) {
						return fmt.Errorf("%s: pages %v", name, got)
					}
					return nil
				})
			}
			require.NoError(t, group.Wait())
		})
		return texts, failures, server, attempts
	}
	calm, none, _, _ := run(t, nil)
	require.Empty(t, none)
	texts, failures, server, attempts := run(t, storm{seed: 7}.script())
	require.Len(t, texts, documents-len(failures))
	for name, got := range texts {
		require.Equal(t, calm[name], got)
	}
	for name, err := range failures {
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "bad page")
	}
	requests := server.Requests()
	require.Equal(t, len(requests), attempts)
	require.LessOrEqual(t, server.PeakInFlight(), 16)
	asked, billed := map[string]int{}, 0
	for _, r := range requests {
		asked[r.File+r.Pages.String()] = r.Pages.Len()
		if r.Status == http.StatusOK {
			billed += r.Pages.Len()
		}
	}
	pages := 0
	for _, n := range asked {
		pages += n
	}
	require.LessOrEqual(t, float64(billed)/float64(pages), 1.02)
	t.Logf("%d documents, %d requests, %d failed, billed %.4f of the pages", documents, attempts, len(failures), float64(billed)/float64(pages))
}

// TestMakespan compares the time a document takes, with chunk times spread widely and one chunk
// thirty times as slow, with a bound that no schedule of the same chunks can beat.
func TestMakespan(t *testing.T) {
	const width, chunks = 10, 50
	var ratios []float64
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		times := make([]time.Duration, chunks)
		total, longest := time.Duration(0), time.Duration(0)
		slow := random.IntN(chunks)
		for i := range times {
			times[i] = time.Duration(float64(10*time.Second) * math.Exp(0.7*random.NormFloat64())) // lognormal
			if i == slow {
				times[i] = 300 * time.Second
			}
			total += times[i]
			longest = max(longest, times[i])
		}
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Do: partitiontest.Action{Name: "work", Wrap: func(real http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					request, _ := partitiontest.FromContext(r.Context())
					time.Sleep(times[(request.Pages.First-1)/2])
					real.ServeHTTP(w, r)
				})
			}}})
			start := time.Now()
			_, err := newClient(t, s, partition.WithMaxInFlight(width)).Partition(t.Context(), pdf("a.pdf", 2*chunks), partition.Params{Split: partition.Split{Concurrency: chunks}})
			require.NoError(t, err)
			require.Len(t, s.Requests(), chunks)
			for _, r := range s.Requests() { // a straggler never keeps a slot from another chunk
				require.LessOrEqual(t, r.Time.Sub(start), (total-300*time.Second)/(width-1)+longestBut(times, slow))
			}
			ratios = append(ratios, float64(time.Since(start))/float64(max(longest, total/width)))
		})
	}
	slices.Sort(ratios)
	t.Logf("makespan over the lower bound: median %.3f, worst %.3f", ratios[len(ratios)/2], ratios[len(ratios)-1])
	require.LessOrEqual(t, ratios[len(ratios)/2], 1.15)
}

func longestBut(times []time.Duration, slow int) time.Duration {
	longest := time.Duration(0)
	for i, d := range times {
		if i != slow {
			longest = max(longest, d)
		}
	}
	return longest
}
