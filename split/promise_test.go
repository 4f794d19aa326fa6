package split

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// A watched reader counts what is read, and stops at one of the reads.
type watched struct {
	io.ReaderAt
	blocked, release chan struct{}

	mu     sync.Mutex
	reads  int
	stopAt int   // 0: never
	end    int64 // the furthest offset that was read
	closed bool
}

func watch(data []byte) *watched {
	return &watched{ReaderAt: bytes.NewReader(data), blocked: make(chan struct{}), release: make(chan struct{})}
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	w.mu.Lock()
	w.reads++
	w.end = max(w.end, off+int64(len(p)))
	stop := w.reads == w.stopAt
	w.mu.Unlock()
	if stop {
		close(w.blocked)
		<-w.release
	}
	return w.ReaderAt.ReadAt(p, off)
}

func (w *watched) Close() error {
	w.closed = true
	return nil
}

// stopAfter makes the n-th read from now the one that stops.
func (w *watched) stopAfter(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads, w.stopAt = 0, n
}

// tasks are what a document does with a context.
var tasks = map[string]func(ctx context.Context, d *Document) error{
	"Chunk": func(ctx context.Context, d *Document) error {
		_, err := d.Chunk(ctx, PageRange{1, d.Pages()})
		return err
	},
	"PageKinds": func(ctx context.Context, d *Document) error {
		_, err := d.PageKinds(ctx, PageRange{1, d.Pages()})
		return err
	},
}

// When the context ends, a task returns at once with its cause. The read that is under way is its
// last, and the document is as good as before.
func TestB5TasksReadNoMore(t *testing.T) {
	data := sharing(40).bytes()
	stopped := errors.New("stopped")
	for name, task := range tasks {
		for read := 1; read <= 6; read++ {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					file := watch(data)
					d, err := Open(t.Context(), file, int64(len(data)), Options{})
					require.NoError(t, err)
					ctx, cancel := context.WithCancelCause(t.Context())
					file.stopAfter(read)
					ended := make(chan error, 1)
					go func() { ended <- task(ctx, d) }()
					<-file.blocked
					cancel(stopped)
					require.ErrorIs(t, <-ended, stopped, "while the read is under way")
					close(file.release)
					synctest.Wait()
					require.Equal(t, read, file.reads)
					require.NoError(t, task(t.Context(), d))
				})
			})
		}
	}
}

// Beyond the size that it was given, Open reads nothing.
func TestOpenReadsTheFirstBytes(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		data := manual(30).bytes()
		if damaged {
			data = bytes.ReplaceAll(data, []byte("startxref"), []byte("startnone"))
		}
		file := watch(append(bytes.Clone(data), manual(3).bytes()...))
		d, err := Open(t.Context(), file, int64(len(data)), Options{})
		require.NoError(t, err)
		require.Equal(t, 30, d.Pages())
		c, err := d.Chunk(t.Context(), PageRange{1, 30})
		require.NoError(t, err)
		_, err = c.WriteTo(io.Discard)
		require.NoError(t, err)
		require.LessOrEqual(t, file.end, int64(len(data)))
	}
}

// lockedFiles are a document with a long stream, in clear and encrypted.
func lockedFiles(t *testing.T) map[string][]byte {
	f := manual(2)
	f.set(4, "<</Length 300000>>\nstream\n%s\nendstream", bytes.Repeat([]byte("0123456789"), 30_000))
	return map[string][]byte{
		"plain": f.bytes(),
		"RC4":   withTable(t, model.NewRC4Configuration("", "owner", 128), f),
		"AES":   withTable(t, model.NewAESConfiguration("", "owner", 256), f),
	}
}

// A chunk needs the reader, and neither its context nor the document. Any number of goroutines read
// it, each in its own way.
func TestChunkOutlivesItsDocument(t *testing.T) {
	for name, data := range lockedFiles(t) {
		t.Run(name, func(t *testing.T) {
			file := watch(data)
			open, cancelOpen := context.WithCancel(t.Context())
			d, err := Open(open, file, int64(len(data)), Options{})
			require.NoError(t, err)
			cancelOpen()
			cut, cancelCut := context.WithCancel(t.Context())
			c, err := d.Chunk(cut, PageRange{1, 2})
			require.NoError(t, err, "the context of Open is over")
			var before bytes.Buffer
			_, err = c.WriteTo(&before)
			require.NoError(t, err)
			require.Contains(t, before.String(), "0123456789012345")
			cancelCut()
			require.NoError(t, d.Close())
			require.False(t, file.closed, "the reader is the caller's")

			var readers sync.WaitGroup
			for i := range 8 {
				readers.Go(func() {
					var got bytes.Buffer
					var err error
					if i%2 == 0 {
						_, err = c.WriteTo(&got)
					} else {
						_, err = got.ReadFrom(iotest.HalfReader(io.NewSectionReader(c, 0, c.Size())))
					}
					if err != nil || !bytes.Equal(before.Bytes(), got.Bytes()) {
						t.Errorf("reader %d: other bytes, %v", i, err)
					}
				})
			}
			readers.Wait()
		})
	}
}

// Close does not stop what is under way. What it leaves is what needs no file.
func TestCloseDuringATask(t *testing.T) {
	data := sharing(40).bytes()
	for name, task := range tasks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := watch(data)
				d, err := Open(t.Context(), file, int64(len(data)), Options{})
				require.NoError(t, err)
				warnings := d.Warnings()
				file.stopAfter(3)
				ended := make(chan error, 1)
				go func() { ended <- task(t.Context(), d) }()
				<-file.blocked
				require.NoError(t, d.Close())
				require.ErrorIs(t, task(t.Context(), d), os.ErrClosed)
				close(file.release)
				require.NoError(t, <-ended)
				_, err = d.Heights()
				require.ErrorIs(t, err, os.ErrClosed)
				require.Equal(t, 40, d.Pages())
				require.Equal(t, ReaderTable, d.Reader())
				require.False(t, d.Encrypted())
				require.Equal(t, warnings, d.Warnings())
			})
		})
	}
}

// No task works without a context, and none panics.
func TestB6TasksWithoutContext(t *testing.T) {
	d, err := openBytes(manual(2).bytes(), Options{})
	require.NoError(t, err)
	var none context.Context
	for name, task := range tasks {
		require.EqualError(t, task(none, d), "split: the context is nil", name)
	}
}

// A full disk and a broken one are told as they are.
func TestChunkPassesErrorsOn(t *testing.T) {
	full := errors.New("no space left")
	for name, data := range lockedFiles(t) {
		t.Run(name, func(t *testing.T) {
			file := &failing{ReaderAt: bytes.NewReader(data)}
			d, err := Open(t.Context(), file, int64(len(data)), Options{})
			require.NoError(t, err)
			c, err := d.Chunk(t.Context(), PageRange{1, 2})
			require.NoError(t, err)
			n, err := c.WriteTo(&limited{left: 100_000, err: full})
			require.ErrorIs(t, err, full)
			require.Equal(t, int64(100_000), n)
			file.from = 1
			_, err = c.WriteTo(io.Discard)
			require.ErrorIs(t, err, errDisk)
			_, err = io.ReadAll(io.NewSectionReader(c, 0, c.Size()))
			require.ErrorIs(t, err, errDisk)
		})
	}
}

// Wherever the disk fails, that is what is said, and not that the document is damaged.
func TestTasksPassErrorsOn(t *testing.T) {
	damaged := bytes.ReplaceAll(sharing(40).bytes(), []byte("startxref"), []byte("startnone"))
	files := map[string][]byte{"sharing": sharing(40).bytes(), "packed": packedFile(t), "searched": damaged}
	maps.Copy(files, lockedFiles(t))
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			for from := 1; ; from++ {
				_, err := Open(t.Context(), &failing{bytes.NewReader(data), from}, int64(len(data)), Options{})
				if err == nil {
					require.Greater(t, from, 1)
					break
				}
				require.ErrorIs(t, err, errDisk, "Open, read %d", from)
			}
			for task, do := range tasks {
				for from := 1; ; from++ {
					file := &failing{ReaderAt: bytes.NewReader(data)}
					d, err := Open(t.Context(), file, int64(len(data)), Options{})
					require.NoError(t, err)
					file.from = from
					if err = do(t.Context(), d); err == nil {
						require.Greater(t, from, 1)
						break
					}
					require.ErrorIs(t, err, errDisk, "%s, read %d", task, from)
				}
			}
		})
	}
}

// failing is a file on a disk that breaks down with the n-th read from now; 0 is never.
type failing struct {
	io.ReaderAt
	from int
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	switch f.from {
	case 0:
		return f.ReaderAt.ReadAt(p, off)
	case 1:
		return 0, errDisk
	}
	f.from--
	return f.ReaderAt.ReadAt(p, off)
}

// limited takes so many bytes.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	if l.left -= n; n < len(p) {
		return n, l.err
	}
	return n, nil
}

// slow takes a minute for every read.
type slow struct{ io.ReaderAt }

func (s slow) ReadAt(p []byte, off int64) (int, error) {
	time.Sleep(time.Minute)
	return s.ReaderAt.ReadAt(p, off)
}

// However long reading takes, a document is what it is: nothing but the context is about time.
func TestA11SlowReader(t *testing.T) {
	for name, data := range map[string][]byte{
		"sound": sharing(40).bytes(), "damaged": bytes.ReplaceAll(sharing(40).bytes(), []byte("startxref"), []byte("startnone")),
		"encrypted": lockedFiles(t)["AES"],
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fast, err := openBytes(data, Options{})
				require.NoError(t, err)
				start := time.Now()
				d, err := Open(t.Context(), slow{bytes.NewReader(data)}, int64(len(data)), Options{})
				require.NoError(t, err)
				require.Equal(t, fast.Pages(), d.Pages())
				for _, r := range Plan(d.Pages(), 10) {
					want, err := fast.Chunk(t.Context(), r)
					require.NoError(t, err)
					got, err := d.Chunk(t.Context(), r)
					require.NoError(t, err)
					require.Equal(t, want.Size(), got.Size())
				}
				require.Greater(t, time.Since(start), 5*time.Minute)
			})
		})
	}
}
