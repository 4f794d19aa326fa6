package split

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func zlibbed(tb testing.TB, data []byte, level int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, level)
	require.NoError(tb, err)
	_, err = w.Write(data)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// libraryUnzlib is what the standard library makes of a stream.
func libraryUnzlib(data []byte, limit int) ([]byte, bool) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return out, err == nil && len(out) <= limit
}

func zlibSamples(tb testing.TB) map[string][]byte {
	random := rand.New(rand.NewChaCha8([32]byte{}))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	skewed := make([]byte, 200_000) // codes of up to 15 bits
	for i := range skewed {
		skewed[i] = byte(min(random.ExpFloat64()*1.5, 255))
	}
	samples := map[string][]byte{}
	for name, data := range map[string][]byte{
		"nothing": nil, "one byte": {7}, "one byte often": bytes.Repeat([]byte{0}, 300_000), "noise": noise, "skewed": skewed,
		"text": []byte(strings.Repeat("BT /F1 10 Tf 50 800 Td (Page 1) Tj ET\n", 500)), "two": []byte("abababab"),
	} {
		for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression} {
			samples[name+" "+string(rune('c'+level))] = zlibbed(tb, data, level)
		}
	}
	return samples
}

// What is read is what the standard library reads, and so is what is refused: a stream cut off
// anywhere, with any bit turned, or one byte over the limit.
func TestUnzlibAsTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{1}))
	agree := func(t *testing.T, data []byte, limit int) {
		t.Helper()
		want, ok := libraryUnzlib(data, limit)
		got, gotOK := unzlib(nil, data, limit)
		require.Equal(t, ok, gotOK)
		if ok {
			require.True(t, bytes.Equal(want, got))
		}
	}
	for name, data := range zlibSamples(t) {
		t.Run(name, func(t *testing.T) {
			whole, ok := libraryUnzlib(data, 1<<20)
			require.True(t, ok)
			for _, limit := range []int{1 << 20, len(whole), max(len(whole)-1, 0), 0} {
				agree(t, data, limit)
			}
			agree(t, append(bytes.Clone(data), "rest"...), 1<<20)
			for range 40 {
				agree(t, data[:random.IntN(len(data))], 1<<20)
				turned := bytes.Clone(data)
				turned[random.IntN(min(len(turned), 100))] ^= 1 << random.IntN(8)
				agree(t, turned, 1<<20)
			}
			out, ok := unzlib([]byte("before"), data, 1<<20)
			require.True(t, ok)
			require.True(t, bytes.Equal(append([]byte("before"), whole...), out))
		})
	}
}

func FuzzUnzlib(f *testing.F) {
	for _, data := range zlibSamples(f) {
		if len(data) <= 1<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 64 << 10
		want, ok := libraryUnzlib(data, limit)
		got, gotOK := unzlib(nil, data, limit)
		require.Equal(t, ok, gotOK)
		if ok {
			require.True(t, bytes.Equal(want, got))
		}
	})
}
