package partition_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// openFiles is how many descriptors the process has.
func openFiles(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("descriptors are counted in /proc")
	}
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	files := 0
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err == nil && !strings.HasPrefix(target, "socket:") { // those of other tests close when they like
			files++
		}
	}
	return files
}

type closing struct {
	io.ReaderAt
	closed int
}

func (c *closing) Close() error {
	c.closed++
	return nil
}

// Close frees a document, also one that was never used, or cannot be.
func TestB5CloseFreesTheDocument(t *testing.T) {
	before := openFiles(t)
	spooled, err := partition.FromReader(t.Context(), "long.txt", strings.NewReader(strings.Repeat("long ", 2<<20)))
	require.NoError(t, err)
	require.Equal(t, before+1, openFiles(t))
	require.NoError(t, spooled.Close())
	require.Equal(t, before, openFiles(t))

	for _, size := range []int64{1, 0, -1} {
		r := &closing{ReaderAt: strings.NewReader("x")}
		document := partition.FromReaderAt("a.txt", r, size)
		require.NoError(t, document.Close())
		require.NoError(t, document.Close())
		require.Equal(t, 1, r.closed)
	}

	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	file, err := partition.Open(path)
	require.NoError(t, err)
	require.Equal(t, before, openFiles(t), "Open only looks")
	_, err = file.SHA256(t.Context())
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, before, openFiles(t))
}

// FromReader leaves nothing behind where the reader fails or the context ends.
func TestB5FromReaderFreesWhatItHasRead(t *testing.T) {
	before := openFiles(t)
	ctx, cancel := context.WithCancel(t.Context())
	long := strings.NewReader(strings.Repeat("long ", 2<<20))
	_, err := partition.FromReader(ctx, "a", io.MultiReader(long, readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, nil
	})))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, before, openFiles(t))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Any goroutine may look at the report while the loop goes on; -race says whether it may.
func TestB5ReportDuringTheLoop(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	document := pdf("a.pdf", 60)
	defer document.Close()
	for name, params := range map[string]partition.Params{
		"elements": {}, "two requests": {ChunkingStrategy: "basic", Split: partition.Split{Scope: partition.ChunkingAfter}},
	} {
		t.Run(name, func(t *testing.T) {
			stream := newClient(t, s).Stream(t.Context(), document, params)
			done := make(chan struct{})
			var watcher sync.WaitGroup
			watcher.Go(func() {
				for last := 0; ; {
					report := stream.Report()
					for _, c := range report.Chunks {
						last += c.Elements
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
			n := 0
			for _, err := range stream.All() {
				require.NoError(t, err)
				n++
				require.Equal(t, n, stream.Report().Elements)
			}
			close(done)
			watcher.Wait()
			require.Equal(t, n, stream.Report().Elements)
			require.NotEmpty(t, stream.Report().Chunks)
		})
	}
}

// A call that is cancelled returns at once, or, with a cache, once the requests under way are
// answered or the grace period is over. The documentation of each call says so.
func TestB5CancelledCallsReturnInTime(t *testing.T) {
	for name, c := range map[string]struct {
		options func(t *testing.T) []partition.Option
		want    time.Duration
	}{
		"no cache": {func(*testing.T) []partition.Option { return nil }, 0},
		"cache": {func(t *testing.T) []partition.Option {
			return []partition.Option{withDir(t), partition.WithGrace(7 * time.Second)}
		}, 7 * time.Second},
		"no grace": {func(t *testing.T) []partition.Option {
			return []partition.Option{withDir(t), partition.WithGrace(0)}
		}, 0},
	} {
		for call, do := range map[string]func(context.Context, context.CancelFunc, *partition.Client, *partition.Document){
			"Partition": func(ctx context.Context, _ context.CancelFunc, client *partition.Client, d *partition.Document) {
				_, _ = client.Partition(ctx, d, partition.Params{})
			},
			"All": func(ctx context.Context, _ context.CancelFunc, client *partition.Client, d *partition.Document) {
				for range client.Stream(ctx, d, partition.Params{}).All() {
				}
			},
			"batch.Each": func(ctx context.Context, _ context.CancelFunc, client *partition.Client, d *partition.Document) {
				_, _ = batch.Each(ctx, client, d, partition.Params{}, func(element.Element) error { return nil })
			},
			"batch.Run": func(ctx context.Context, _ context.CancelFunc, client *partition.Client, d *partition.Document) {
				items := func(yield func(batch.Item) bool) { yield(batch.Document(d, partition.Params{})) }
				for range batch.Run(ctx, client, items, batch.Options{}) {
				}
			},
		} {
			t.Run(name+"/"+call, func(t *testing.T) {
				bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
					s.Script(partitiontest.Fault{Do: partitiontest.Hang()})
					client := newClient(t, s, c.options(t)...)
					ctx, cancel := context.WithCancel(t.Context())
					document := pdf("a.pdf", 3)
					defer document.Close()
					var canceled time.Time
					go func() {
						time.Sleep(time.Second)
						canceled = time.Now()
						cancel()
					}()
					do(ctx, cancel, client, document)
					require.Equal(t, c.want, time.Since(canceled))
					synctest.Wait()
				})
			})
		}
	}
}

func withDir(t *testing.T) partition.Option {
	t.Helper()
	dir, err := cache.Open(filepath.Join(t.TempDir(), "cache"), cache.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dir.Close()) })
	return partition.WithCache(dir)
}

// stuck is a file whose reads block from the given one on.
type stuck struct {
	io.ReaderAt
	from    int
	mu      sync.Mutex
	reads   int
	blocked chan struct{}
	release chan struct{}
}

func (s *stuck) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	s.reads++
	n := s.reads
	s.mu.Unlock()
	if n == s.from {
		close(s.blocked)
	}
	if n >= s.from {
		<-s.release
	}
	return s.ReaderAt.ReadAt(p, off)
}

// When the context ends, split.Open returns at once, and its one read under way is its last.
func TestB5OpenReadsNoMore(t *testing.T) {
	data := partitiontest.NewPDF(50)
	damaged := bytes.ReplaceAll(data, []byte("startxref"), []byte("startnone"))
	for name, content := range map[string][]byte{"sound": data, "damaged": damaged} {
		for from := 1; from <= 12; from++ {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					file := &stuck{ReaderAt: bytes.NewReader(content), from: from, blocked: make(chan struct{}), release: make(chan struct{})}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					returned := make(chan error)
					go func() {
						_, err := split.Open(ctx, file, int64(len(content)), split.Options{})
						returned <- err
					}()
					select {
					case <-file.blocked:
					case err := <-returned: // it needs fewer reads
						require.NoError(t, err)
						return
					}
					cancel()
					require.ErrorIs(t, <-returned, context.Canceled)
					close(file.release)
					synctest.Wait()
					require.Equal(t, from, file.reads)
				})
			})
		}
	}
}
