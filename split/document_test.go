package split

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

func openBytes(data []byte, o Options) (*Document, error) {
	return Open(context.Background(), bytes.NewReader(data), int64(len(data)), o)
}

func TestOpenRefuses(t *testing.T) {
	noPages := manual(0)
	noTree := &pdfFile{}
	noTree.add("<</Type/Catalog>>")
	bomb := manual(2)
	grows := deflated(t, "", ' ', 200<<20)
	bomb.set(6, "<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", len(grows), grows)
	lost := manual(2)
	lost.set(5, "null")

	tests := []struct {
		name string
		data []byte
		opts Options
		kind error
		text string
	}{
		{"empty", nil, Options{}, ErrNotPDF, "not a PDF: the file is empty"},
		{"text", []byte("hello"), Options{}, ErrNotPDF, "not a PDF: no %PDF- mark in its first 1,024 bytes"},
		{"mark too late", append(bytes.Repeat([]byte(" "), 1020), "%PDF-1.7"...), Options{}, ErrNotPDF, "not a PDF: no %PDF- mark in its first 1,024 bytes"},
		{"no pages", noPages.bytes(), Options{}, ErrNoPages, "damaged PDF: no pages: its page tree is empty"},
		{"no pages is damage", noPages.bytes(), Options{}, ErrDamaged, "damaged PDF: no pages: its page tree is empty"},
		{"no page tree", noTree.bytes(), Options{}, ErrDamaged, "damaged PDF: it has no page tree"},
		{"a page is missing", lost.bytes(), Options{}, ErrDamaged, "damaged PDF: page 1 cannot be read"},
		{"a page of spaces", bomb.bytes(), Options{Limits: Limits{DecodedBytes: 1e6}}, ErrTooLarge, "PDF too large: the content of page 2 grows beyond 1000000 bytes when it is decompressed"},
		{"more pages than allowed", manual(5).bytes(), Options{Limits: Limits{Pages: 3}}, ErrTooLarge, "PDF too large: it has more than 3 pages"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := openBytes(tt.data, tt.opts)
			require.ErrorIs(t, err, tt.kind)
			require.EqualError(t, err, tt.text)
			require.Nil(t, d)
		})
	}
}

func TestOpenIsCancelled(t *testing.T) {
	stopped := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stopped)
	data := manual(1).bytes()
	_, err := Open(ctx, bytes.NewReader(data), int64(len(data)), Options{})
	require.ErrorIs(t, err, stopped)
}

// stuck never answers beyond the head of the file.
type stuck struct {
	*bytes.Reader
	release chan struct{}
}

func (s stuck) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		<-s.release
		return 0, io.ErrUnexpectedEOF
	}
	return s.Reader.ReadAt(p, off)
}

func TestOpenComesBackFromAStuckReader(t *testing.T) {
	data := manual(200).bytes()
	s := stuck{bytes.NewReader(data), make(chan struct{})}
	defer close(s.release)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := Open(ctx, s, int64(len(data)), Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// broken fails to read, as a disk does.
type broken struct{ *bytes.Reader }

var errDisk = errors.New("input/output error")

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p, off)
}

func TestOpenReportsReadErrors(t *testing.T) {
	data := manual(200).bytes()
	_, err := Open(context.Background(), broken{bytes.NewReader(data)}, int64(len(data)), Options{})
	require.ErrorIs(t, err, errDisk)
	require.NotErrorIs(t, err, ErrDamaged)
}

func TestOpenLeavesNoFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	_, err := openBytes(manual(1).bytes(), Options{})
	require.NoError(t, err)
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestClose(t *testing.T) {
	d, err := openBytes(manual(2).bytes(), Options{})
	require.NoError(t, err)
	c, err := d.Chunk(context.Background(), PageRange{1, 1})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	_, err = d.Chunk(context.Background(), PageRange{1, 1})
	require.ErrorIs(t, err, os.ErrClosed)
	n, err := c.WriteTo(io.Discard)
	require.NoError(t, err)
	require.Equal(t, c.Size(), n)
}

// requirePage cuts a page out, and finds the text in the chunk's content.
func requirePage(t *testing.T, d *Document, page int, text string) {
	t.Helper()
	v, p := reopen(t, d, PageRange{page, page})
	contents := p[0].dict(v)["Contents"]
	parts := v.array(contents)
	if parts == nil {
		parts = types.Array{contents}
	}
	var all []byte
	for _, part := range parts {
		s, ok := v.follow(part).(*stream)
		require.True(t, ok)
		require.NoError(t, v.inflate(s, mostContent, func(data []byte) { all = append(all, data...) }))
	}
	require.Contains(t, string(all), text)
}

// viewOf reads the objects of a document.
func viewOf(d *Document) *view {
	t := d.table.Load()
	return newView(t, newSource(context.Background(), t.file, t.size))
}

// reopen cuts a chunk and reads it again.
func reopen(t *testing.T, d *Document, r PageRange) (*view, []page) {
	t.Helper()
	c, err := d.Chunk(context.Background(), r)
	require.NoError(t, err)
	again, err := Open(context.Background(), c, c.Size(), Options{})
	require.NoError(t, err)
	require.Equal(t, r.Len(), again.Pages())
	require.False(t, again.Encrypted())
	return viewOf(again), again.tree.pages
}

func TestIsPDF(t *testing.T) {
	require.True(t, IsPDF([]byte("%PDF-1.4")))
	require.True(t, IsPDF([]byte("\xef\xbb\xbf\n%PDF-2.0 rest")))
	require.False(t, IsPDF(nil))
	require.False(t, IsPDF([]byte("%PD")))
	require.False(t, IsPDF(append(make([]byte, 1020), "%PDF-"...)))
}

// An object that cannot be read matters where the pages lead to it.
func TestOpenLostObject(t *testing.T) {
	f := manual(2)
	lost := f.add("<</Broken (no end >>")
	d, err := openBytes(f.bytes(), Options{})
	require.NoError(t, err, "nothing leads to it")
	require.Equal(t, 2, d.Pages())

	f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Odd %d 0 R>>", lost)
	d, err = openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	_, err = d.Chunk(context.Background(), PageRange{1, 1})
	require.EqualError(t, err, fmt.Sprintf("damaged PDF: object %d cannot be read", lost))
	_, err = d.Chunk(context.Background(), PageRange{2, 2})
	require.NoError(t, err, "page 2 does not lead to it")

	f.set(lost, "null")
	d, err = openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	_, err = d.Chunk(context.Background(), PageRange{1, 1})
	require.NoError(t, err)
}

func TestWarnings(t *testing.T) {
	f := manual(2)
	f.set(4, "<</Length 3>>\nstream\nBT ET\nendstream")
	d, err := openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"streams with a wrong length, repaired: 1"}, d.Warnings())

	f = sharing(6)
	f.set(6, "<</Length 4/Filter/FlateDecode>>\nstream\nnone\nendstream")
	d, err = openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	c, err := d.Chunk(context.Background(), PageRange{1, 3})
	require.NoError(t, err)
	require.Equal(t, []string{"the content of its page 2 cannot be read, all its resources are kept"}, c.Warnings())
}
