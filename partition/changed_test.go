package partition_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// hashes answers with the hash of the file that arrived.
func hashes() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		fmt.Fprintf(w, `[{"type":"NarrativeText","element_id":"1","text":"%s","metadata":{}}]`, request.SHA256)
	})
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// before does something as a request comes in, before it is answered.
func before(do func(), then partitiontest.Action) partitiontest.Action {
	return partitiontest.Chain(partitiontest.Action{Name: "before", Wrap: func(real http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			do()
			real.ServeHTTP(w, r)
		})
	}}, then)
}

func file(t *testing.T, name string, content []byte, age time.Duration) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, content)
	then := time.Now().Add(-age)
	require.NoError(t, os.Chtimes(path, then, then))
	return path
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

func open(t *testing.T, path string) *partition.Document {
	t.Helper()
	d, err := partition.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// TestA5ARewriteBetweenAttempts: version A is answered with 503, version B is what is there then.
func TestA5ARewriteBetweenAttempts(t *testing.T) {
	a, b := []byte("version A of the text"), []byte("version B of the text")
	changes := map[string]func(t *testing.T, path string){
		"rewritten":          func(t *testing.T, path string) { write(t, path, b) },
		"grown":              func(t *testing.T, path string) { write(t, path, append(a[:len(a):len(a)], " and more"...)) },
		"cut short":          func(t *testing.T, path string) { write(t, path, a[:5]) },
		"within a tick":      func(t *testing.T, path string) { rewriteUnseen(t, path, b) },
		"replaced, and gone": func(t *testing.T, path string) { replace(t, path, b) },
	}
	for name, change := range changes {
		for _, caches := range []bool{true, false} {
			t.Run(fmt.Sprint(name, caches), func(t *testing.T) {
				bubble(t, partitiontest.Options{Engine: hashes()}, func(t *testing.T, s *partitiontest.Server) {
					path := file(t, "a.txt", a, 0)
					s.Script(partitiontest.Fault{Times: 1, Do: before(func() { change(t, path) }, partitiontest.Reply(503, `{"detail":"x"}`))})
					var options []partition.Option
					if caches {
						options = append(options, partition.WithCache(&memoryCache{}))
					}
					c := newClient(t, s, options...)
					d := open(t, path)
					result, err := c.Partition(t.Context(), d, partition.Params{})
					require.NoError(t, err)
					sum, err := d.SHA256(t.Context())
					require.NoError(t, err)
					require.Equal(t, sum, result.Elements[0].Text)

					now, err := os.ReadFile(path)
					require.NoError(t, err)
					if name != "replaced, and gone" { // the file that was opened is still there
						require.Equal(t, sumOf(now), sum)
						require.Contains(t, result.Report.Warnings, "changed while it was sent, and begun again")
					}
					write(t, path, a)
					again, err := c.Partition(t.Context(), open(t, path), partition.Params{})
					require.NoError(t, err)
					require.Equal(t, sumOf(a), again.Elements[0].Text, "the cache has no other answer for A")
				})
			})
		}
	}
}

// rewriteUnseen writes content of the same size and puts the file's modification time back.
func rewriteUnseen(t *testing.T, path string, content []byte) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(content)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

func replace(t *testing.T, path string, content []byte) {
	t.Helper()
	write(t, path+".new", content)
	require.NoError(t, os.Rename(path+".new", path))
}

// TestE1HashedLongBeforeItIsSent: four documents wait for one slot, and all are rewritten while the
// first is under way.
func TestE1HashedLongBeforeItIsSent(t *testing.T) {
	var paths []string
	var once sync.Once
	s := partitiontest.NewServer(partitiontest.Options{Engine: hashes()})
	defer s.Close()
	for i := range 4 {
		paths = append(paths, file(t, fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "document %d version A", i), time.Hour))
	}
	var hashed sync.WaitGroup
	hashed.Add(4)
	s.Script(partitiontest.Fault{Do: before(func() {
		once.Do(func() {
			hashed.Wait()
			for i, path := range paths {
				write(t, path, fmt.Appendf(nil, "document %d version B", i))
			}
		})
	}, partitiontest.Action{})})
	c := newClient(t, s, partition.WithMaxInFlight(1), partition.WithCache(&memoryCache{}), partition.WithObserver(
		func(_ context.Context, e partition.Event) {
			if e.Kind == partition.DocumentPlanned && e.Plan != nil {
				defer func() { _ = recover() }() // a document that is begun again is planned again
				hashed.Done()
			}
		}))
	var group sync.WaitGroup
	for _, path := range paths {
		group.Go(func() {
			d := open(t, path)
			result, err := c.Partition(t.Context(), d, partition.Params{})
			if err != nil {
				t.Error(err)
				return
			}
			sum, err := d.SHA256(t.Context())
			if err != nil || sum != result.Elements[0].Text {
				t.Errorf("%s: recorded %s, sent %s: %v", path, sum, result.Elements[0].Text, err)
			}
		})
	}
	group.Wait()
}

// TestA5APDFIsRewrittenBetweenChunks: no document has pages of two versions.
func TestA5APDFIsRewrittenBetweenChunks(t *testing.T) {
	versions := map[string][]byte{
		"longer":  versionOf("B", 31),
		"shorter": versionOf("B", 9),
		"alike":   versionOf("B", 20),
	}
	for name, b := range versions {
		for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
			for _, age := range []time.Duration{0, time.Hour} {
				for how, change := range map[string]func(*testing.T, string, []byte){"written": write, "unseen": rewriteUnseen, "replaced": replace} {
					if how == "unseen" && name != "alike" {
						continue
					}
					t.Run(fmt.Sprint(name, mode, age, how), func(t *testing.T) {
						s := partitiontest.NewServer(partitiontest.Options{})
						defer s.Close()
						path := file(t, "a.pdf", versionOf("A", 20), age)
						var requests atomic.Int32
						s.Script(partitiontest.Fault{
							Match: func(partitiontest.Request) bool { return requests.Add(1) == 3 },
							Do:    before(func() { change(t, path, b) }, partitiontest.Action{}),
						})
						cache := &memoryCache{}
						c := newClient(t, s, partition.WithMaxInFlight(1), partition.WithCache(cache))
						params := partition.Params{Split: partition.Split{Mode: mode}}
						d := open(t, path)
						result, err := c.Partition(t.Context(), d, params)
						require.NoError(t, err)
						sum, err := d.SHA256(t.Context())
						require.NoError(t, err)
						want := b
						if sum != sumOf(b) {
							require.Equal(t, "replaced", how, "the file that was opened is still there, whole")
							want = versionOf("A", 20)
							require.Equal(t, sumOf(want), sum)
						}
						n, sent := chunkHashes(t, want)
						require.Len(t, result.Elements, n)
						for _, r := range s.Requests() {
							delete(sent, r.SHA256)
						}
						require.Empty(t, sent, "every chunk of the version on record went out")
						before := len(s.Requests())
						write(t, path, versionOf("A", 20))
						d = open(t, path)
						_, err = c.Partition(t.Context(), d, params)
						require.NoError(t, err)
						_, known := chunkHashes(t, versionOf("A", 20))
						for _, r := range s.Requests()[:before] {
							delete(known, r.SHA256)
						}
						require.GreaterOrEqual(t, len(s.Requests())-before, len(known), "what was not sent of A has no answer")
					})
				}
			}
		}
	}
}

func versionOf(version string, n int) []byte {
	return partitiontest.NewPDF(n, partitiontest.WithText(func(page int) string { return fmt.Sprint("version ", version, " page ", page) }))
}

// chunkHashes cuts a PDF as a client does.
func chunkHashes(t *testing.T, content []byte) (n int, sums map[string]bool) {
	t.Helper()
	d, err := split.Open(t.Context(), strings.NewReader(string(content)), int64(len(content)), split.Options{})
	require.NoError(t, err)
	sums = map[string]bool{}
	for _, r := range (split.PageRange{First: 1, Last: d.Pages()}).Plan(10) {
		chunk, err := d.Chunk(t.Context(), r)
		require.NoError(t, err)
		var b strings.Builder
		_, err = chunk.WriteTo(&b)
		require.NoError(t, err)
		sums[sumOf([]byte(b.String()))] = true
	}
	return d.Pages(), sums
}

// TestA5AFileThatNeverRests is begun again twice, and then fails once, in a line.
func TestA5AFileThatNeverRests(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: hashes()}, func(t *testing.T, s *partitiontest.Server) {
		path := file(t, "log.txt", []byte("one line\n"), 0)
		s.Script(partitiontest.Fault{Do: before(func() {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			write(t, path, append(content, "one more\n"...))
		}, partitiontest.Reply(503, `{"detail":"x"}`))})
		cache := &memoryCache{}
		result, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), open(t, path), partition.Params{})
		require.EqualError(t, err, path+": changed while it was sent")
		require.Equal(t, partition.KindChanged, partition.KindOf(err))
		require.Zero(t, cache.puts)
		require.Empty(t, result.Elements)
		require.GreaterOrEqual(t, result.Report.Requests(), 3)
	})
}

// TestA5AStreamDoesNotBeginAgain once its caller has elements of another version.
func TestA5AStreamDoesNotBeginAgain(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	path := file(t, "a.pdf", versionOf("A", 20), time.Hour)
	first := make(chan struct{})
	s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 4}, Do: before(func() { <-first }, partitiontest.Action{})})
	c := newClient(t, s, partition.WithMaxInFlight(1))
	n := 0
	var failure error
	d := open(t, path)
	for _, err := range c.Stream(t.Context(), d, partition.Params{}).All() {
		if failure = err; err != nil {
			break
		}
		if n++; n == 1 {
			write(t, path, versionOf("B", 20))
			close(first)
		}
	}
	require.Equal(t, partition.KindChanged, partition.KindOf(failure))
	require.Positive(t, n)
	sum, err := d.SHA256(t.Context())
	require.NoError(t, err)
	require.Equal(t, sumOf(versionOf("A", 20)), sum, "which the elements are of")
}

// TestA5ATouchedFileIsNotSentAgain: another mode or name is no other content.
func TestA5ATouchedFileIsNotSentAgain(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	path := file(t, "a.pdf", versionOf("A", 20), time.Hour)
	var requests atomic.Int32
	s.Script(partitiontest.Fault{
		Match: func(partitiontest.Request) bool { return requests.Add(1) == 3 },
		Do: before(func() {
			require.NoError(t, os.Chmod(path, 0o640))
			require.NoError(t, os.Rename(path, path+".moved"))
		}, partitiontest.Action{}),
	})
	c := newClient(t, s, partition.WithMaxInFlight(1), partition.WithCache(&memoryCache{}))
	result, err := c.Partition(t.Context(), open(t, path), partition.Params{})
	require.NoError(t, err)
	require.Len(t, result.Elements, 20)
	require.Len(t, s.Requests(), 10)
}

// A tickFile is a file that is rewritten without its times showing it.
type tickFile struct {
	mu      sync.Mutex
	content []byte
	info    os.FileInfo
}

func (f *tickFile) Stat() (os.FileInfo, error) { return f.info, nil }

func (f *tickFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.NewReader(string(f.content)).ReadAt(p, off)
}

// TestA5ARewriteWithinATick: times that are not older than the look at them tell nothing.
func TestA5ARewriteWithinATick(t *testing.T) {
	a, b := versionOf("A", 20), versionOf("B", 20)
	require.Len(t, b, len(a))
	info, err := os.Stat(file(t, "a.pdf", a, 0))
	require.NoError(t, err)
	f := &tickFile{content: a, info: info}
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	var requests atomic.Int32
	s.Script(partitiontest.Fault{
		Match: func(partitiontest.Request) bool { return requests.Add(1) == 3 },
		Do: before(func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.content = b
		}, partitiontest.Action{}),
	})
	d := partition.FromReaderAt("a.pdf", f, int64(len(a)))
	_, err = newClient(t, s, partition.WithMaxInFlight(1)).Partition(t.Context(), d, partition.Params{})
	require.NoError(t, err)
	sum, err := d.SHA256(t.Context())
	require.NoError(t, err)
	require.Equal(t, sumOf(b), sum)
	_, sent := chunkHashes(t, b)
	for _, r := range s.Requests() {
		delete(sent, r.SHA256)
	}
	require.Empty(t, sent)
}
