package split

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// xrefStreamFile is a PDF with a cross-reference stream. The objects must include the catalog, as
// number 1.
func xrefStreamFile(direct map[int]string, packed map[int][2]int, extra string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	last := 0
	rows := map[int][]byte{}
	row := func(kind byte, where, index int) []byte {
		r := append([]byte{kind}, binary.BigEndian.AppendUint32(nil, uint32(where))...)
		return binary.BigEndian.AppendUint16(r, uint16(index))
	}
	for nr, o := range direct {
		last = max(last, nr)
		rows[nr] = row(1, b.Len(), 0)
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", nr, o)
	}
	for nr, p := range packed {
		last = max(last, nr)
		rows[nr] = row(2, p[0], p[1])
	}
	start, self := b.Len(), last+1
	rows[self] = row(1, start, 0)
	var table []byte
	for nr := range self + 1 {
		if r, ok := rows[nr]; ok {
			table = append(table, r...)
		} else {
			table = append(table, row(0, 0, 0)...)
		}
	}
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/Root 1 0 R/W[1 4 2]/Size %d/Length %d%s>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		self, self+1, len(table), extra, table, start)
	return b.Bytes()
}

// inflatingStream is an object stream with one object, number 30, and many blanks after it.
func inflatingStream(t *testing.T, blanks int) string {
	const index = "30 0 "
	data := deflated(t, index+"<</Type/Pages/Kids[]>>", ' ', blanks)
	return fmt.Sprintf("<</Type/ObjStm/N 1/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream",
		len(index), len(data), data)
}

// packedIn is an object stream with the object that text numbers and has.
func packedIn(t *testing.T, text string) string {
	data := deflated(t, text, 0, 0)
	return fmt.Sprintf("<</Type/ObjStm/N 1/First 5/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", len(data), data)
}

// Each is refused, or split, in less than 5 seconds and 256 MiB.
func TestBombs(t *testing.T) {
	if raceDetector() {
		t.Skip("the race detector takes many times the time and memory")
	}
	tests := []struct {
		name string
		file func(t *testing.T) []byte
		want error
	}{
		{"object streams of two gigabytes", func(t *testing.T) []byte {
			direct := map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids["}
			packed := map[int][2]int{}
			bomb := inflatingStream(t, 64<<20)
			for i := range 32 {
				direct[100+i] = bomb
				packed[30+i] = [2]int{100 + i, 0}
				direct[2] += fmt.Sprintf("%d 0 R ", 30+i)
			}
			direct[2] += "]>>"
			return xrefStreamFile(direct, packed, "")
		}, ErrTooLarge},
		{"many entries for one stream", func(t *testing.T) []byte {
			f := manual(1)
			big := f.stream("", bytes.Repeat([]byte("x"), 500<<10))
			data := f.bytes()
			at := bytes.Index(data, fmt.Appendf(nil, "%d 0 obj", big))
			table := fmt.Sprintf("xref\n0 50001\n0000000000 65535 f \n%s",
				strings.Repeat(fmt.Sprintf("%010d 00000 n \n", at), 50_000))
			i := bytes.Index(data, []byte("xref\n"))
			return fmt.Appendf(data[:i:i], "%strailer\n<</Size 50001/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, i)
		}, nil},
		{"streams in streams", func(t *testing.T) []byte {
			// Each stream goes on to the end of all. The page has all of them for its content.
			const streams = 20_000
			f := manual(1)
			first := len(f.objects) + 1
			var contents, nested strings.Builder
			for i := range streams {
				fmt.Fprintf(&contents, "%d 0 R ", first+i)
			}
			f.set(5, "<</Type/Page/Parent 2 0 R/Contents[%s]>>", contents.String())
			data := f.bytes()
			table := bytes.Index(data, []byte("xref\n"))
			var entries strings.Builder
			const length = 60
			for i := range streams {
				fmt.Fprintf(&entries, "%010d 00000 n \n", table+nested.Len())
				fmt.Fprintf(&nested, "%*s", length, fmt.Sprintf("%d 0 obj\n<</Length %d>>\nstream\n", first+i, (streams-i-1)*length))
			}
			b := append(data[:table:table], nested.String()...)
			b = append(b, "\nendstream\nendobj\n"...)
			start := len(b)
			old := bytes.SplitN(data[table:], []byte("trailer"), 2)[0][len("xref\n0 6\n"):]
			return fmt.Appendf(b, "xref\n0 %d\n%s%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
				first+streams, old, entries.String(), first+streams, start)
		}, ErrTooLarge},
		{"cross-reference stream with two billion entries", func(t *testing.T) []byte {
			return xrefStreamFile(map[int]string{
				1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[]>>",
			}, nil, "/Index[0 2000000000]")
		}, ErrDamaged},
		{"two billion entries without a byte", func(t *testing.T) []byte {
			data := xrefStreamFile(map[int]string{
				1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[]>>",
			}, nil, "/Index[0 2000000000]")
			return bytes.Replace(data, []byte("/W[1 4 2]"), []byte("/W[0 0 0]"), 1)
		}, ErrDamaged},
		{"cross-reference stream that inflates", func(t *testing.T) []byte {
			const entries = 100 << 20
			table := deflated(t, "", 0, entries)
			return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj\n<</Type/XRef/Root 2 0 R/W[1 0 0]/Size %d/Filter/FlateDecode/Length %d>>\n"+
				"stream\n%s\nendstream\nendobj\nstartxref\n9\n%%%%EOF\n", entries, len(table), table)
		}, ErrTooLarge},
		{"page of blanks", func(t *testing.T) []byte {
			f := manual(2)
			bomb := deflated(t, "", ' ', 256<<20)
			f.set(6, "<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", len(bomb), bomb)
			return f.bytes()
		}, ErrTooLarge},
		{"page that is compressed twice", func(t *testing.T) []byte {
			f := manual(2)
			bomb := deflated(t, string(deflated(t, "", ' ', 256<<20)), 0, 0)
			f.set(6, "<</Length %d/Filter[/FlateDecode/FlateDecode]>>\nstream\n%s\nendstream", len(bomb), bomb)
			return f.bytes()
		}, ErrTooLarge},
		{"dictionary in dictionary", func(t *testing.T) []byte {
			f := manual(1)
			f.add("%s", strings.Repeat("<</A", 200_000)+strings.Repeat(">>", 200_000))
			f.set(5, "<</Type/Page/Parent 2 0 R/Odd 6 0 R>>")
			return f.bytes()
		}, ErrDamaged},
		{"content of itself", func(t *testing.T) []byte {
			f := sharing(10)
			self := len(f.objects) + 1
			f.add("[%s]", strings.Repeat(fmt.Sprintf("%d 0 R ", self), 10))
			f.set(5, "<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", self)
			return f.bytes()
		}, ErrDamaged},
		{"forms in forms", func(t *testing.T) []byte {
			f := sharing(10)
			next := len(f.objects) + 1
			for i := range 5_000 {
				f.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</A %d 0 R/B %d 0 R>>>>", next+i+1, next+i+1), []byte("/A Do /B Do"))
			}
			f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</Im1 %d 0 R>>>>>>", next)
			return f.bytes()
		}, nil},
		{"array of millions in an object stream", func(t *testing.T) []byte {
			direct := map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids["}
			packed := map[int][2]int{}
			bomb := packedIn(t, "30 0 <</Type/Page/Odd["+strings.Repeat("0 ", 6<<20)+"]>>")
			direct[100], packed[30] = bomb, [2]int{100, 0}
			direct[2] += "30 0 R]>>"
			return xrefStreamFile(direct, packed, "")
		}, ErrTooLarge},
		{"arrays of a million in object streams", func(t *testing.T) []byte {
			direct := map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids["}
			packed := map[int][2]int{}
			for i := range 2 {
				direct[100+i] = packedIn(t, fmt.Sprintf("%d 0 <</Type/Page/Odd[%s]>>", 30+i, strings.Repeat("0 ", 1_000_000)))
				packed[30+i] = [2]int{100 + i, 0}
				direct[2] += fmt.Sprintf("%d 0 R ", 30+i)
			}
			direct[2] += "]>>"
			return xrefStreamFile(direct, packed, "")
		}, nil},
		{"hundred thousand objects", func(t *testing.T) []byte {
			f := manual(1)
			for range 100_000 {
				f.add("<<>>")
			}
			return f.bytes()
		}, nil},
		{"giant object number", func(t *testing.T) []byte {
			data := manual(1).bytes()
			return bytes.Replace(data, []byte("xref\n0 6"), []byte("xref\n9999999999 6"), 1)
		}, ErrDamaged},
		{"array in array in array", func(t *testing.T) []byte {
			f := manual(0)
			f.add("<</Type/Page/Parent 2 0 R/MediaBox %s%s>>", strings.Repeat("[", 500_000), strings.Repeat("]", 500_000))
			f.set(2, "<</Type/Pages/Count 1/Kids[4 0 R]>>")
			return f.bytes()
		}, ErrDamaged},
		{"page tree that loops", func(t *testing.T) []byte {
			f := manual(0)
			f.set(2, "<</Type/Pages/Count 1/Kids[3 0 R]>>")
			f.set(3, "<</Type/Pages/Count 1/Kids[2 0 R]>>")
			return f.bytes()
		}, ErrDamaged},
		{"page tree that doubles at each level", func(t *testing.T) []byte {
			f := &pdfFile{}
			f.add("<</Type/Catalog/Pages 2 0 R>>")
			for i := range 60 {
				f.add("<</Type/Pages/Kids[%d 0 R %d 0 R]>>", i+3, i+3)
			}
			f.add("<</Type/Page>>")
			return f.bytes()
		}, ErrTooLarge},
		{"page tree that is a chain", func(t *testing.T) []byte {
			f := &pdfFile{}
			f.add("<</Type/Catalog/Pages 2 0 R>>")
			for i := range 50_000 {
				f.add("<</Type/Pages/Kids[%d 0 R]>>", i+3)
			}
			f.add("<</Type/Page>>")
			return f.bytes()
		}, ErrTooLarge},
		{"no pages, a count of a billion", func(t *testing.T) []byte {
			f := manual(0)
			f.set(2, "<</Type/Pages/Count 1000000000/Kids[]>>")
			return f.bytes()
		}, ErrNoPages},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := tt.file(t)
			require.Less(t, len(data), 12<<20)
			name := filepath.Join(t.TempDir(), "bomb.pdf")
			require.NoError(t, os.WriteFile(name, data, 0o600))
			c := helper(t, "bomb", name)
			if tt.want == nil {
				require.Equal(t, "split", c.output)
			} else {
				require.Contains(t, c.output, tt.want.Error())
			}
			require.Less(t, c.cpu, 5*time.Second) // CPU time: others may be at work here
			require.Less(t, c.peak, int64(192<<20))
			t.Logf("%d bytes, %v, %d MiB: %s", len(data), c.wall.Round(time.Millisecond), c.peak>>20, c.output)
		})
	}
}
