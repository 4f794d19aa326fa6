package inflate

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func compressed(tb testing.TB, data []byte, level int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, level)
	require.NoError(tb, err)
	_, err = w.Write(data)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// library is what the standard library makes of a stream.
func library(data []byte, limit int) ([]byte, bool) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return out, err == nil && len(out) <= limit
}

// agree holds that Append does with a stream what the standard library does, whatever the room is
// and what stands there.
func agree(tb testing.TB, data []byte, limit int) {
	tb.Helper()
	before := bytes.Clone(data)
	want, ok := library(data, limit)
	for _, room := range []int{0, 6, 300, len(want), len(want) + 2*longestStep} {
		head := []byte("before")
		got, gotOK := Append(append(make([]byte, 0, room), head...), data, limit)
		require.Equal(tb, ok, gotOK)
		require.True(tb, bytes.HasPrefix(got, head))
		require.LessOrEqual(tb, len(got)-len(head), limit)
		if ok {
			require.True(tb, bytes.Equal(want, got[len(head):]))
		}
	}
	require.True(tb, bytes.Equal(before, data), "the input has changed")
}

func pageContent(lines int) []byte {
	random := rand.New(rand.NewChaCha8([32]byte{2}))
	var b bytes.Buffer
	for range lines {
		fmt.Fprintf(&b, "BT /F%d 9.9626 Tf %d.%d %d Td [(W)83(ord)-333(%x)]TJ ET\n", random.IntN(20), random.IntN(600), random.IntN(1000), random.IntN(800), random.Uint32())
	}
	return b.Bytes()
}

func samples(tb testing.TB) map[string][]byte {
	random := rand.New(rand.NewChaCha8([32]byte{}))
	noise := make([]byte, 50_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	skewed := make([]byte, 60_000) // codes of up to 15 bits
	for i := range skewed {
		skewed[i] = byte(min(random.ExpFloat64()*1.5, 255))
	}
	far := slices.Concat(noise[:40_000], noise[:32_768], noise[7_232:9_000]) // the window is 32,768 bytes
	all := map[string][]byte{}
	for name, data := range map[string][]byte{
		"nothing": nil, "one byte": {7}, "one byte often": bytes.Repeat([]byte{0}, 70_000), "two": []byte("abababab"),
		"three": bytes.Repeat([]byte("abc"), 100), "nine": bytes.Repeat([]byte("abcdefghi"), 1_000),
		"noise": noise, "skewed": skewed, "far": far, "page": pageContent(500),
	} {
		for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, zlib.DefaultCompression, zlib.BestCompression} {
			all[fmt.Sprintf("%s, level %d", name, level)] = compressed(tb, data, level)
		}
	}
	return all
}

// What is read is what the standard library reads, and so is what is refused: a stream cut off
// anywhere, with any bit turned, or one byte over the limit.
func TestAppendAsTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{1}))
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			whole, ok := library(data, 1<<20)
			require.True(t, ok)
			for _, limit := range []int{1 << 20, len(whole), max(len(whole)-1, 0), len(whole) / 2, 0} {
				agree(t, data, limit)
			}
			agree(t, append(bytes.Clone(data), "rest"...), 1<<20)
			for range 20 {
				agree(t, data[:random.IntN(len(data))], 1<<20)
				turned := bytes.Clone(data)
				turned[random.IntN(min(len(turned), 100))] ^= 1 << random.IntN(8)
				agree(t, turned, 1<<20)
			}
		})
	}
}

// stream has the given bits, each byte's lowest first, as a zlib stream with the checksum of text.
func stream(text string, bits string) []byte {
	out := []byte{0x78, 0x9c}
	n := 0
	for _, c := range bits {
		if c != '0' && c != '1' {
			continue
		}
		if n%8 == 0 {
			out = append(out, 0)
		}
		out[len(out)-1] |= byte(c-'0') << (n % 8)
		n++
	}
	return binary.BigEndian.AppendUint32(out, adler32.Checksum([]byte(text)))
}

// What a writer has no reason to write.
func TestAppendOddStreams(t *testing.T) {
	sound := compressed(t, []byte("text"), zlib.BestSpeed)
	header := func(first, second byte) []byte {
		return append([]byte{first, second}, sound[2:]...)
	}
	literalA, end := "10010001", "0000000"                 // of the fixed code
	copy3, offset1, offset4 := "0000001", "00000", "00011" // without more bits
	tests := []struct {
		name string
		data []byte
		want string
		ok   bool
	}{
		{"nothing", nil, "", false},
		{"one byte", []byte{0x78}, "", false},
		{"a header alone", []byte{0x78, 0x9c}, "", false},
		{"another method", header(0x77, 0x85), "", false},
		{"a window too large", header(0x88, 0x1c), "", false},
		{"a wrong check of the header", header(0x78, 0x9d), "", false},
		{"a dictionary", append([]byte{0x78, 0xbb, 0, 0, 0, 2}, sound[2:]...), "", false},
		{"a dictionary of no byte", append([]byte{0x78, 0xbb, 0, 0, 0, 1}, sound[2:]...), "text", true},
		{"a dictionary cut off", []byte{0x78, 0xbb, 0, 0, 0}, "", false},
		{"fixed codes", stream("aaaa", "1 10"+literalA+copy3+offset1+end), "aaaa", true},
		{"an empty block before", stream("a", "0 10"+end+"1 10"+literalA+end), "a", true},
		{"a copy from before the start", stream("aore", "1 10"+literalA+copy3+offset4+end), "", false}, // of what agree has there
		{"and more after it", stream("aore"+strings.Repeat("a", 40), "1 10"+literalA+copy3+offset4+strings.Repeat(literalA, 40)+end), "", false},
		{"the length 286 of the fixed code", stream("", "1 10 11000110"+offset1+end), "", false},
		{"the offset 30 of the fixed code", stream("", "1 10"+literalA+copy3+"11110"+end), "", false},
		{"a block of kind 3", stream("", "1 11"), "", false},
		{"more than 286 literals", stream("", "1 01 11111 00000 0000"), "", false},
		{"a wrong checksum", stream("b", "1 10"+literalA+end), "", false},
		{"no last block", stream("a", "0 10"+literalA+end), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			agree(t, tt.data, 1<<10)
			got, ok := Append(nil, tt.data, 1<<10)
			require.Equal(t, tt.ok, ok)
			if tt.ok {
				require.Equal(t, tt.want, string(got))
			}
		})
	}
}

func TestAppendAnyLimit(t *testing.T) {
	data := compressed(t, []byte("text"), zlib.BestSpeed)
	for limit, want := range map[int]bool{math.MinInt: false, -1: false, 3: false, 4: true, math.MaxInt: true} {
		_, ok := Append([]byte("before"), data, limit)
		require.Equal(t, want, ok, limit)
	}
}

// A small stream that grows a thousandfold takes no more memory than the limit lets it have.
func TestAppendIsBounded(t *testing.T) {
	bomb := compressed(t, make([]byte, 64<<20), zlib.BestCompression)
	const limit = 1 << 20
	out, ok := Append(nil, bomb, limit)
	require.False(t, ok)
	require.LessOrEqual(t, len(out), limit)
	require.LessOrEqual(t, cap(out), 2*limit)
}

func TestChecksum(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{3}))
	data := bytes.Repeat([]byte{0xff}, 3<<20) // the largest sums
	for range 100 {
		part := data[:random.IntN(100)]
		for i := range part {
			part[i] = byte(random.Uint32())
		}
		require.Equal(t, adler32.Checksum(part), checksum(part))
	}
	for _, n := range []int{0, 1, 7, 8, 1<<20 - 1, 1 << 20, 1<<20 + 1, len(data)} {
		require.Equal(t, adler32.Checksum(data[len(data)-n:]), checksum(data[len(data)-n:]), n)
	}
}

func FuzzAppend(f *testing.F) {
	for _, data := range samples(f) {
		if len(data) <= 1<<10 {
			f.Add(data)
		}
	}
	f.Add(compressed(f, pageContent(10), zlib.BestCompression))
	f.Fuzz(func(t *testing.T, data []byte) {
		agree(t, data, 64<<10)
		if len(data) < 2 {
			return
		}
		// Most of what is made up is not sound at its head, or at its end.
		framed := stream("", "")[:2]
		framed = append(framed, data...)
		out, _ := library(framed, 64<<10)
		agree(t, binary.BigEndian.AppendUint32(framed, adler32.Checksum(out)), 64<<10)
	})
}

func BenchmarkAppend(b *testing.B) {
	page := pageContent(200)
	data := compressed(b, page, zlib.BestCompression)
	b.Run("this", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		var out []byte
		for b.Loop() {
			out, _ = Append(out[:0], data, len(page))
		}
	})
	b.Run("compress-zlib", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		out := make([]byte, len(page))
		r, err := zlib.NewReader(bytes.NewReader(data))
		require.NoError(b, err)
		for b.Loop() {
			require.NoError(b, r.(zlib.Resetter).Reset(bytes.NewReader(data), nil))
			_, err := io.ReadFull(r, out)
			require.NoError(b, err)
		}
	})
}
