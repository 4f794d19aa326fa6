package partition_test

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// slow takes a minute for every read.
type slow struct{ io.ReaderAt }

func (s slow) ReadAt(p []byte, off int64) (int, error) {
	time.Sleep(time.Minute)
	return s.ReaderAt.ReadAt(p, off)
}

// The plan is that of the document, however long reading it takes.
func TestA11PlanOfASlowReader(t *testing.T) {
	data := partitiontest.NewPDF(60)
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		client := newClient(t, s)
		fast, err := client.Plan(t.Context(), partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data))), partition.Params{})
		require.NoError(t, err)
		require.Len(t, fast.Chunks, 10)
		start := time.Now()
		plan, err := client.Plan(t.Context(), partition.FromReaderAt("a.pdf", slow{bytes.NewReader(data)}, int64(len(data))), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, fast, plan)
		require.Greater(t, time.Since(start), 5*time.Minute)
	})
}

// failing is a file on a disk that fails once, at one of the reads.
type failing struct {
	io.ReaderAt
	from, reads atomic.Int32
}

var errDisk = errors.New("input/output error")

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if n := f.reads.Add(1); f.from.Load() > 0 && n == f.from.Load() {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

// A disk that fails changes no plan: the document fails, and is not sent whole in place of its
// chunks.
func TestA11FailingDisk(t *testing.T) {
	data := partitiontest.NewPDF(60)
	for from := int32(1); from < 400; from += 3 {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			file := &failing{ReaderAt: bytes.NewReader(data)}
			file.from.Store(from)
			_, err := newClient(t, s).Partition(t.Context(), partition.FromReaderAt("a.pdf", file, int64(len(data))), partition.Params{})
			if err != nil {
				require.ErrorIs(t, err, errDisk)
				require.Equal(t, partition.KindLocalIO, partition.KindOf(err))
			}
			for _, r := range s.Requests() {
				require.NotEqual(t, 60, r.Pages.Len(), "sent whole, as read %d fails", from)
			}
		})
	}
}
