package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func benchDir(b *testing.B) *Dir {
	d, err := Open(filepath.Join(b.TempDir(), "cache"), Options{Warn: func(err error) { b.Error(err) }})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, d.Close()) })
	return d
}

func numbered(n uint64) [32]byte { return sha256.Sum256(binary.BigEndian.AppendUint64(nil, n)) }

var benchSizes = []int{10_000, 100_000, 2_000_000}

// BenchmarkGet reads an entry that the system has in memory, as it is after Put.
func BenchmarkGet(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%d kB", size/1000), func(b *testing.B) {
			d := benchDir(b)
			require.NoError(b, put(d, numbered(0), bytes.Repeat([]byte{'x'}, size)))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				r, err := d.Get(b.Context(), numbered(0))
				require.NoError(b, err)
				n, err := io.Copy(io.Discard, r)
				r.Close()
				require.NoError(b, err)
				require.EqualValues(b, size, n)
			}
		})
	}
}

func BenchmarkMiss(b *testing.B) {
	d := benchDir(b)
	for b.Loop() {
		if _, err := d.Get(b.Context(), numbered(0)); err == nil {
			b.Fatal("a hit")
		}
	}
}

// BenchmarkClaim takes claims that nobody else asks for.
func BenchmarkClaim(b *testing.B) {
	d := benchDir(b)
	for n := uint64(0); b.Loop(); n++ {
		release, ok := d.Claim(b.Context(), numbered(n))
		require.True(b, ok)
		release()
	}
}

// BenchmarkPut is mostly the disk's time to sync; ten at once share it.
func BenchmarkPut(b *testing.B) {
	for _, size := range benchSizes {
		content := bytes.Repeat([]byte{'x'}, size)
		b.Run(fmt.Sprintf("%d kB", size/1000), func(b *testing.B) {
			d := benchDir(b)
			b.SetBytes(int64(size))
			for n := uint64(0); b.Loop(); n++ {
				require.NoError(b, put(d, numbered(n%1000), content))
			}
		})
		b.Run(fmt.Sprintf("%d kB, ten at once", size/1000), func(b *testing.B) {
			d := benchDir(b)
			b.SetBytes(int64(size))
			b.SetParallelism(5)
			var n atomic.Uint64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					require.NoError(b, put(d, numbered(n.Add(1)%1000), content))
				}
			})
		})
	}
}

// BenchmarkTrim goes through 10,000 entries with nothing to remove.
func BenchmarkTrim(b *testing.B) {
	d := benchDir(b)
	on := d.disk
	d.disk = quick{on}
	for n := range uint64(10_000) {
		require.NoError(b, put(d, numbered(n), nil))
	}
	for b.Loop() {
		got, err := d.Trim(b.Context())
		require.NoError(b, err)
		require.Equal(b, 10_000, got.Left.Entries)
	}
}

// quick does not sync.
type quick struct{ disk }

func (q quick) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := q.disk.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return quickFile{f}, nil
}

type quickFile struct{ file }

func (quickFile) Sync() error { return nil }
