package partition_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/retry"
)

// onDisk are the parameters of the command's default mode.
var onDisk = partition.Params{Split: partition.Split{Mode: partition.DiskCached}}

// listOf answers with one element whose text has so many bytes.
func listOf(size int) http.HandlerFunc {
	text := strings.Repeat("x", size)
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `[{"type":"NarrativeText","element_id":"1","text":"%s","metadata":{}}]`, text)
	}
}

// An endless server answers with elements, each few of them after a pause, and never ends; unless it
// is to end after so many bytes.
type endless struct {
	pause time.Duration
	ends  atomic.Int64 // 0: never
}

// RoundTrip takes the request and begins the answer.
func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	stopped := context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(context.Cause(r.Context())) })
	go func() {
		defer stopped()
		element := `{"type":"Title","element_id":"1","text":"x","metadata":{}}`
		_, err := io.WriteString(writer, "["+element)
		for n := int64(0); err == nil && (e.ends.Load() == 0 || n < e.ends.Load()); n += 20 << 10 {
			time.Sleep(e.pause)
			_, err = io.WriteString(writer, strings.Repeat(","+element, (20<<10)/len(element)))
		}
		_, _ = io.WriteString(writer, "]")
		_ = writer.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader, ContentLength: -1, Request: r}, nil
}

func (e *endless) client(t *testing.T, options ...partition.Option) *partition.Client {
	t.Helper()
	policy, _ := retry.Preset("unstructured")
	policy.Budget.Attempts, policy.Budget.MinRetries = 1, 0
	c, err := partition.New(append([]partition.Option{
		partition.WithAPIKey(""), partition.WithBaseURL("http://server.invalid"), partition.WithRetryPolicy(policy),
		partition.WithHTTPClient(&http.Client{Transport: e}),
	}, options...)...)
	require.NoError(t, err)
	return c
}

// Answers that never end take no more than the bound, each by itself and all together. What they had
// is free afterwards.
func TestE9EndlessAnswersEnd(t *testing.T) {
	for _, mode := range []partition.ChunkMode{partition.DiskCached, partition.Buffered} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &endless{}
				c := server.client(t, partition.WithAnswerSpace(2<<20, 2<<20))
				params := partition.Params{Split: partition.Split{Mode: mode}}
				_, err := c.Partition(t.Context(), text("alone"), params)
				require.ErrorContains(t, err, "the answer is longer than 1 MiB")
				require.Equal(t, partition.KindBadResponse, partition.KindOf(err))

				var all sync.WaitGroup
				failures := make([]error, 8)
				for i := range failures {
					all.Go(func() { _, failures[i] = c.Partition(t.Context(), text("together"), params) })
				}
				all.Wait()
				full := 0
				for _, err := range failures {
					if partition.KindOf(err) == partition.KindLocalIO {
						full++
						require.ErrorContains(t, err, "has 2 MiB in all already, the most that it may have")
						continue
					}
					require.ErrorContains(t, err, "the answer is longer than 1 MiB")
				}
				require.Positive(t, full)

				server.ends.Store(900 << 10)
				for range 3 {
					_, err = c.Partition(t.Context(), text("later"), params)
					require.NoError(t, err)
				}
			})
		})
	}
}

// An answer that never ends, and is too quick for the idle limit, ends by its size or by the time of
// an attempt.
func TestE9SlowEndlessAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &endless{pause: time.Second}
		start := time.Now()
		_, err := server.client(t, partition.WithAnswerSpace(2<<20, 2<<20)).Partition(t.Context(), text("x"), onDisk)
		require.ErrorContains(t, err, "the answer is longer than 1 MiB")
		require.InDelta(t, 52, time.Since(start).Seconds(), 2) // 20 KiB a second

		start = time.Now()
		hc := &http.Client{Transport: server, Timeout: 20 * time.Second}
		_, err = server.client(t, partition.WithHTTPClient(hc)).Partition(t.Context(), text("x"), onDisk)
		require.Error(t, err)
		require.Equal(t, 20*time.Second, time.Since(start))
		time.Sleep(server.pause) // until the server has noticed
	})
}

// While the answers that wait for the first one take half of the bound, no more chunks are begun; the
// document is whole all the same.
func TestE9ChunksWaitForRoom(t *testing.T) {
	const chunks, answerSize = 40, 100 << 10
	bubble(t, partitiontest.Options{Engine: listOf(answerSize)}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{
			Match: func(r partitiontest.Request) bool { return r.Pages.First == 1 }, Do: partitiontest.Delay(5 * time.Second),
		})
		c := newClient(t, s, partition.WithAnswerSpace(2<<20, 2<<20), partition.WithMaxInFlight(4))
		params := onDisk
		params.Split.Concurrency = 50
		stream := c.Stream(t.Context(), pdf("a.pdf", 2*chunks), params)
		go func() {
			time.Sleep(4 * time.Second)
			require.Less(t, len(s.Requests()), 1<<20/answerSize+8, "what half of the bound has room for, and what is in flight")
		}()
		n := 0
		for _, err := range stream.All() {
			require.NoError(t, err)
			n++
		}
		require.Equal(t, chunks, n)
	})
}

// Where temporary files cannot be written memory takes an answer, up to its own bound; beyond it the
// error says why there is no file.
func TestE9MemoryInPlaceOfTheDiskIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	for size, fits := range map[int]bool{100 << 10: true, 1 << 20: false} {
		bubble(t, partitiontest.Options{Engine: listOf(size)}, func(t *testing.T, s *partitiontest.Server) {
			result, err := newClient(t, s, partition.WithAnswerSpace(1<<30, 512<<10)).Partition(t.Context(), text("x"), onDisk)
			if fits {
				require.NoError(t, err)
				require.Len(t, result.Elements, 1)
				return
			}
			require.Equal(t, partition.KindLocalIO, partition.KindOf(err))
			require.ErrorContains(t, err, "no such file or directory, and what waits in memory has 512 KiB in all already")
			require.Equal(t, 1, result.Report.Requests(), "asking again would end alike")
		})
	}
}

// Two loops of one goroutine, one inside the other, never wait for each other.
func TestE9LoopsInLoops(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: listOf(24 << 20)}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s)
		for outer, err := range c.Stream(t.Context(), text("outer"), onDisk).All() {
			require.NoError(t, err)
			for inner, err := range c.Stream(t.Context(), text("inner"), onDisk).All() {
				require.NoError(t, err)
				require.Equal(t, outer, inner)
			}
		}
	})
}

// A program that holds elements has no two large ones at once, but several of a middling size.
func TestE9LargeElementsTakeTurns(t *testing.T) {
	for size, most := range map[int]int{24 << 20: 1, 6 << 20: 3} {
		bubble(t, partitiontest.Options{Engine: listOf(size)}, func(t *testing.T, s *partitiontest.Server) {
			c := newClient(t, s, wire.WithHeldElements())
			var loops sync.WaitGroup
			held := make(chan struct{}, 4)
			highest := 0
			for range 4 {
				loops.Go(func() {
					for e, err := range c.Stream(t.Context(), text("x"), onDisk).All() {
						require.NoError(t, err)
						require.Len(t, e.Text, size)
						held <- struct{}{}
						time.Sleep(time.Minute)
						<-held
					}
				})
			}
			for range 5 {
				time.Sleep(30 * time.Second)
				highest = max(highest, len(held))
			}
			loops.Wait()
			require.Equal(t, most, highest)
		})
	}
}

// A document that ends while it waits for its turn ends at once; a loop that panics gives its turn
// back.
func TestE9TurnsAreGivenBack(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: listOf(24 << 20)}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s, wire.WithHeldElements())
		go func() {
			defer func() { _ = recover() }()
			for range c.Stream(t.Context(), text("x"), onDisk).All() {
				time.Sleep(time.Hour)
				panic("on purpose")
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := c.Partition(ctx, text("x"), onDisk)
		require.Equal(t, partition.KindTimeout, partition.KindOf(err))
		require.Equal(t, time.Minute, time.Since(start))
		result, err := c.Partition(t.Context(), text("x"), onDisk)
		require.NoError(t, err)
		require.Len(t, result.Elements, 1)
		require.Equal(t, time.Hour, time.Since(start))
	})
}

// A table is written as it comes, and only once.
func TestE9TablesAreWritten(t *testing.T) {
	table := "type,text\n" + strings.Repeat("Title,x\n", 100_000)
	engine := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, table) })
	bubble(t, partitiontest.Options{Engine: engine}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s)
		params := onDisk
		params.OutputFormat = partition.OutputCSV
		stream := c.Stream(t.Context(), text("x"), params)
		var out strings.Builder
		require.NoError(t, stream.WriteCSV(&out))
		require.Equal(t, table, out.String())
		require.Equal(t, 1, stream.Report().Requests())
		require.ErrorContains(t, stream.WriteCSV(&out), "read already")
		require.ErrorContains(t, c.Stream(t.Context(), text("x"), onDisk).WriteCSV(&out), "do not ask for output_format text/csv")
		reader, writer := io.Pipe()
		require.NoError(t, reader.Close())
		err := c.Stream(t.Context(), text("x"), params).WriteCSV(writer)
		require.ErrorIs(t, err, io.ErrClosedPipe)
		require.Equal(t, partition.KindLocalIO, partition.KindOf(err))
	})
}

func TestAnswerSpaceIsChecked(t *testing.T) {
	for _, space := range [][2]int64{{0, 1}, {1, 0}, {-1, 1}} {
		_, err := partition.New(partition.WithAPIKey("k"), partition.WithAnswerSpace(space[0], space[1]))
		require.ErrorContains(t, err, "less than 1")
	}
}

// A large element is found in its place, after blanks and others too.
func TestE9LargeElementAfterBlanks(t *testing.T) {
	large := strings.Repeat("表", 40<<10)
	answer := " \n\t[{\"type\":\"Title\",\"element_id\":\"1\",\"text\":\"a\"} ,\n {\"type\":\"Title\",\"element_id\":\"2\",\"text\":\"" + large + "\"}]"
	engine := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	bubble(t, partitiontest.Options{Engine: engine}, func(t *testing.T, s *partitiontest.Server) {
		result, err := newClient(t, s).Partition(t.Context(), text("x"), onDisk)
		require.NoError(t, err)
		require.Len(t, result.Elements, 2)
		require.Equal(t, large, result.Elements[1].Text)
	})
}
