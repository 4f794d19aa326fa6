package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
)

// A server that fails 20 documents in a row ends the run, whatever is still to come.
func TestHopeless(t *testing.T) {
	final := partitiontest.Reply(500, `{"detail":"no","retryable":false}`)
	for name, test := range map[string]struct {
		script []partitiontest.Fault
		ended  bool
		counts map[string]int
	}{
		"it has done nothing, and declares the failures final": {
			[]partitiontest.Fault{{Do: final}}, true, map[string]int{"failed": 20},
		},
		"the wrong URL": {
			[]partitiontest.Fault{{Do: partitiontest.Reply(404, `{"detail":"Not Found"}`)}}, true, map[string]int{"failed": 20},
		},
		"one of 20 is done": {
			[]partitiontest.Fault{{File: "020.txt"}, {Do: final}}, false, map[string]int{"done": 1, "failed": 99},
		},
		"bad documents": {
			[]partitiontest.Fault{{Do: partitiontest.Detail(422, "damaged")}}, false, map[string]int{"failed": 100},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(test.script...)
				got, ended := states(t, newClient(t, s), numbered(100), batch.Options{Concurrency: 1})
				counts := count(got)
				delete(counts, "not_done") // taken up when the run ended
				require.Equal(t, test.counts, counts)
				if !test.ended {
					require.NoError(t, ended)
					return
				}
				var hopeless *batch.HopelessError
				require.ErrorAs(t, ended, &hopeless)
				require.Equal(t, 20, hopeless.Documents)
				require.ErrorContains(t, ended, "the server failed 20 documents in a row: giving up; the last was 020.txt: POST ")
				require.Len(t, s.Requests(), 20)

				s.Script(test.script...)
				got, ended = states(t, newClient(t, s), numbered(100), batch.Options{Concurrency: 1, KeepGoing: true})
				require.NoError(t, ended)
				require.Equal(t, map[string]int{"failed": 100}, count(got))
			})
		})
	}
}

// Failures that speak of the server end a run also after a success; the time limit that the caller
// sets for a document says nothing.
func TestHopelessAfterASuccess(t *testing.T) {
	for name, test := range map[string]struct {
		limit  time.Duration
		failed int
	}{
		"the server takes too long": {0, 20},
		"the caller is impatient":   {time.Second, 39},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{File: "001.txt"}, partitiontest.Fault{Do: partitiontest.Delay(time.Hour)})
				preset, _ := retry.Preset("unstructured")
				policy := *preset
				policy.Budget.Attempts, policy.Budget.MinRetries, policy.Budget.ToHeaders = 1, 0, 5*time.Second
				client := newClient(t, s, partition.WithRetryPolicy(&policy))
				got, ended := states(t, client, numbered(40), batch.Options{Concurrency: 1, DocumentTimeout: test.limit})
				require.Equal(t, "001.txt done", got[0])
				require.Equal(t, test.failed, count(got)["failed"])
				if test.limit != 0 {
					require.NoError(t, ended)
					return
				}
				require.ErrorContains(t, ended, "the server failed 20 documents in a row: giving up; the last was 021.txt: ")
			})
		})
	}
}

func TestMaxFailures(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{File: "00[246].txt", Do: partitiontest.Detail(422, "no")})
		got, ended := states(t, newClient(t, s), numbered(100), batch.Options{Concurrency: 1, MaxFailures: 2})
		require.Equal(t, []string{"001.txt done", "002.txt failed", "003.txt done", "004.txt failed"}, got[:4])
		require.LessOrEqual(t, len(got), 5)
		var failures *batch.FailuresError
		require.ErrorAs(t, ended, &failures)
		require.EqualError(t, ended, "failure limit of 2 reached")
	})
}

// A refused key ends the run: with a Watch before another request goes out.
func TestRefusedKey(t *testing.T) {
	for name, watch := range map[string]*batch.Watch{"by the outcome": nil, "by the events": {}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Detail(401, "API key is invalid")})
				options := []partition.Option{partition.WithMaxInFlight(1)}
				if watch != nil {
					options = append(options, partition.WithObserver(watch.Observe))
				}
				got, ended := states(t, newClient(t, s, options...), numbered(100), batch.Options{Watch: watch})
				require.Equal(t, partition.KindAuth, partition.KindOf(ended))
				require.Equal(t, map[string]int{"not_done": len(got)}, count(got))
				if watch != nil {
					require.Len(t, s.Requests(), 1)
				}
			})
		})
	}
}

// A server that is not there is given up after 10 seconds, although the policy would try for longer;
// a Watch serves another run after that.
func TestUnreachable(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		var watch batch.Watch
		nobody := &http.Client{Transport: refusingTransport{}}
		for range 2 {
			client, err := partition.New(partition.WithBaseURL("http://nowhere.test"), partition.WithHTTPClient(nobody),
				partition.WithAPIKey(""), partition.WithObserver(watch.Observe))
			require.NoError(t, err)
			start := time.Now()
			got, ended := states(t, client, numbered(3), batch.Options{Watch: &watch})
			require.Equal(t, []string{"001.txt not_done", "002.txt not_done", "003.txt not_done"}, got)
			require.Equal(t, batch.UnreachableAfter, time.Since(start))
			var unreachable *batch.UnreachableError
			require.ErrorAs(t, ended, &unreachable)
			require.ErrorContains(t, ended, "server unreachable: http://nowhere.test/general/v0/general: ")
		}

		got, ended := states(t, newClient(t, s, partition.WithObserver(watch.Observe)), numbered(2), batch.Options{Watch: &watch})
		require.NoError(t, ended)
		require.Equal(t, []string{"001.txt done", "002.txt done"}, got)
	})
}

// A server that was reached once is waited for as long as the policy allows.
func TestReachedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Times: 1, Do: partitiontest.Chain(
			partitiontest.Header("Retry-After", "60"), partitiontest.Detail(503, "starting"),
		)})
		var watch batch.Watch
		start := time.Now()
		got, ended := states(t, newClient(t, s, partition.WithObserver(watch.Observe)), numbered(1), batch.Options{Watch: &watch})
		require.NoError(t, ended)
		require.Equal(t, []string{"001.txt done"}, got)
		require.GreaterOrEqual(t, time.Since(start), time.Minute)
	})
}

// refusingTransport fails as a host does that nobody answers at.
type refusingTransport struct{}

func (refusingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	_ = r.Body.Close()
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// A document whose pages do not fit is not begun; what is under way ends; no other is begun.
func TestMaxPages(t *testing.T) {
	for limit, test := range map[int]struct {
		want     []string
		requests int
	}{
		3:  {[]string{"a.pdf not_done"}, 0},
		4:  {[]string{"a.pdf done", "b.pdf not_done"}, 2},
		7:  {[]string{"a.pdf done", "b.pdf not_done"}, 2},
		8:  {[]string{"a.pdf done", "b.pdf done", "c.txt not_done"}, 4},
		9:  {[]string{"a.pdf done", "b.pdf done", "c.txt done", "d.pdf not_done"}, 5},
		11: {[]string{"a.pdf done", "b.pdf done", "c.txt done", "d.pdf done"}, 6},
		0:  {[]string{"a.pdf done", "b.pdf done", "c.txt done", "d.pdf done"}, 6},
	} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
				documents := slices.Values([]batch.Item{pdf("a.pdf", 4), pdf("b.pdf", 4), text("c.txt"), pdf("d.pdf", 2)})
				got, ended := states(t, newClient(t, s), documents, batch.Options{Concurrency: 1, MaxPages: limit})
				got = slices.DeleteFunc(got, func(line string) bool { // taken up when the limit was reached
					return line != test.want[len(test.want)-1] && slices.Contains([]string{"b.pdf not_done", "c.txt not_done", "d.pdf not_done"}, line)
				})
				require.Equal(t, test.want, got)
				require.Len(t, s.Requests(), test.requests)
				if limit == 0 || limit == 11 {
					require.NoError(t, ended)
					return
				}
				require.Equal(t, partition.KindBudget, partition.KindOf(ended))
				var reached *batch.PageLimitError
				require.ErrorAs(t, ended, &reached)
				require.ErrorContains(t, ended, fmt.Sprintf(": page limit of %d reached", limit))
			})
		})
	}
}

// The client's request limit ends a run as its page limit does; with KeepGoing every document fails
// by itself.
func TestRequestLimit(t *testing.T) {
	for name, test := range map[string]struct {
		keepGoing bool
		want      map[string]int
	}{
		"ends the run": {false, map[string]int{"done": 2}},
		"keep going":   {true, map[string]int{"done": 2, "failed": 8}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				client := newClient(t, s, partition.WithMaxRequests(2))
				got, ended := states(t, client, numbered(10), batch.Options{Concurrency: 1, KeepGoing: test.keepGoing})
				require.Len(t, s.Requests(), 2)
				counts := count(got)
				if !test.keepGoing {
					require.ErrorContains(t, ended, "request limit of 2 reached")
					require.Equal(t, partition.KindBudget, partition.KindOf(ended))
					require.NotZero(t, counts["not_done"])
					delete(counts, "not_done")
				} else {
					require.NoError(t, ended)
				}
				require.Equal(t, test.want, counts)
			})
		})
	}
}

// With KeepGoing each document is weighed by itself.
func TestMaxPagesKeepGoing(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		documents := slices.Values([]batch.Item{pdf("a.pdf", 4), pdf("b.pdf", 4), pdf("c.pdf", 1)})
		got, ended := states(t, newClient(t, s), documents, batch.Options{Concurrency: 1, MaxPages: 5, KeepGoing: true})
		require.NoError(t, ended)
		require.Equal(t, []string{"a.pdf done", "b.pdf failed", "c.pdf done"}, got)
	})
}

// What is under way when the limit is reached comes to its end.
func TestMaxPagesLetsOthersEnd(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		sleeping := pdf("b.pdf", 4)
		documents := func(yield func(batch.Item) bool) {
			if yield(pdf("a.pdf", 4)) {
				time.Sleep(time.Second) // a.pdf is under way by then
				yield(sleeping)
			}
		}
		got, ended := states(t, newClient(t, s), documents, batch.Options{MaxPages: 5})
		require.Equal(t, []string{"a.pdf done", "b.pdf not_done"}, got)
		require.EqualError(t, ended, "b.pdf: page limit of 5 reached")
	})
}

// Pages that the cache answers cost nothing.
func TestMaxPagesCached(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		client := newClient(t, s, partition.WithCache(&memoryCache{entries: map[partition.Key][]byte{}}))
		twice := func() iter.Seq[batch.Item] {
			return slices.Values([]batch.Item{pdf("a.pdf", 4), text("b.txt")})
		}
		got, ended := states(t, client, twice(), batch.Options{MaxPages: 5})
		require.NoError(t, ended)
		require.Equal(t, []string{"a.pdf done", "b.txt done"}, got)
		got, ended = states(t, client, twice(), batch.Options{MaxPages: 1})
		require.NoError(t, ended)
		require.Equal(t, []string{"a.pdf done", "b.txt done"}, got)
		require.Len(t, s.Requests(), 3)
	})
}

// A memoryCache is a cache that lives as long as its test.
type memoryCache struct {
	mu      sync.Mutex
	entries map[partition.Key][]byte
}

func (m *memoryCache) Get(_ context.Context, k partition.Key) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.entries[k]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (m *memoryCache) Put(_ context.Context, k partition.Key, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[k] = b.Bytes()
	return nil
}
