package split

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallLimits keep a fuzzing step short.
var smallLimits = Limits{Objects: 10_000, DecodedBytes: 4 * mebi, Pages: 2_000}

func seed(f *testing.F) {
	linked := manual(3)
	linked.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[<</Subtype/Link/Dest[7 0 R/Fit]>>]/Resources 3 0 R>>")
	circular, locked := manual(2), manual(2)
	circle(circular)
	locked.trailer = "/ID[(a)(b)]/Encrypt<</Filter/Standard/V 4/R 4/P -4/O(" + strings.Repeat("o", 32) + ")/U(" + strings.Repeat("u", 32) +
		")/CF<</StdCF<</CFM/AESV2/Length 16>>>>/StmF/StdCF/StrF/StdCF>>"
	for _, file := range []*pdfFile{manual(1), manual(5), sharing(6), linked, circular, locked} {
		f.Add(file.bytes())
	}
	f.Add(xrefStreamFile(map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R>>",
		10: "<</Type/ObjStm/N 2/First 9/Length 55>>\nstream\n2 0 3 25 <</Type/Pages/Kids[3 0 R]>> <</Type/Page>>        \nendstream",
	}, map[int][2]int{2: {10, 0}, 3: {10, 1}}, ""))
	for _, kind := range madeFiles {
		data := kind.file(f)
		f.Add(data)
		if kind.name == "object streams" || kind.name == "encrypted with AES" {
			for _, name := range sortedKeys(mutilations) {
				f.Add(mutilations[name](data))
			}
		}
	}
	for _, dir := range []string{"../../shared/pdfs", "../../shared/samples/pdf"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // the real ones are an extra
		}
		for _, e := range entries {
			data, err := os.ReadFile(dir + "/" + e.Name())
			if err == nil && len(data) <= 16<<10 {
				f.Add(data)
			}
		}
	}
}

// Whatever the bytes: a document with pages, or one of the sentinels.
func FuzzOpen(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := openBytes(data, Options{Limits: smallLimits})
		if err != nil {
			require.NotEmpty(t, refusal(err), "%v", err)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.Positive(t, d.Pages())
	})
}

// A chunk is a PDF with the pages asked for, and cutting the whole document out of a chunk gives
// the same pages again.
func FuzzChunk(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := openBytes(data, Options{Limits: smallLimits})
		if err != nil {
			return
		}
		r := PageRange{1 + d.Pages()/3, d.Pages()}
		c, err := d.Chunk(context.Background(), r)
		if err != nil {
			require.NotEmpty(t, refusal(err), "%v", err)
			return
		}
		again, err := Open(context.Background(), c, c.Size(), Options{})
		require.NoError(t, err)
		require.Equal(t, r.Len(), again.Pages())
		require.Empty(t, again.Warnings())

		second, err := d.Chunk(context.Background(), r)
		require.NoError(t, err)
		var a, b bytes.Buffer
		_, err = c.WriteTo(&a)
		require.NoError(t, err)
		_, err = second.WriteTo(&b)
		require.NoError(t, err)
		require.True(t, bytes.Equal(a.Bytes(), b.Bytes()), "other bytes the second time")
	})
}
