package split

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// madeFiles are sound documents of seven pages, one of every kind of file that there is. Page n
// says "Page n".
var madeFiles = []struct {
	name string
	file func(t testing.TB) []byte
}{
	{"table", func(testing.TB) []byte { return manual(7).bytes() }},
	{"object streams", packedFile},
	{"saved changes", changedFile},
	{"saved changes after object streams", changedPackedFile},
	{"hybrid", hybridFile},
	{"something before it", func(testing.TB) []byte {
		return append([]byte("\xef\xbb\xbfHTTP/1.1 200 OK\r\n\r\n"), manual(7).bytes()...)
	}},
	{"offsets that count what is before it", func(testing.TB) []byte {
		const before = "junk\n"
		data := manual(7).bytes()
		i := bytes.Index(data, []byte("xref\n"))
		lines := strings.Split(string(data[i:]), "\n")
		for n, line := range lines {
			var at, generation int
			if count, _ := fmt.Sscanf(line, "%d %d n", &at, &generation); count == 2 && len(line) == 19 {
				lines[n] = fmt.Sprintf("%010d %05d n ", at+len(before), generation)
			}
			if line == "startxref" {
				lines[n+1] = fmt.Sprint(i + len(before))
			}
		}
		return []byte(before + string(data[:i]) + strings.Join(lines, "\n"))
	}},
	{"carriage returns", func(testing.TB) []byte {
		f := manual(7)
		data := f.bytes()
		i := bytes.Index(data, []byte("xref\n0"))
		tail := strings.ReplaceAll(string(data[i:]), " \n", " \r")
		return append(data[:i:i], strings.ReplaceAll(tail, "\n", "\r")...)
	}},
	{"table that starts at one", func(testing.TB) []byte {
		return bytes.Replace(manual(7).bytes(), []byte("xref\n0 "), []byte("xref\n1 "), 1)
	}},
	{"lengths of their own", func(testing.TB) []byte {
		f := manual(7)
		for page := range 7 {
			text := fmt.Sprintf("BT /F1 12 Tf 20 100 Td (Page %d) Tj ET", page+1)
			length := f.add("%d", len(text))
			f.set(4+2*page, "<</Length %d 0 R>>\nstream\r\n%s\r\nendstream", length, text)
		}
		return f.bytes()
	}},
	{"encrypted with RC4, 40 bits", func(t testing.TB) []byte {
		return encrypted(t, model.NewRC4Configuration("", "owner", 40), manual(7).bytes())
	}},
	{"encrypted with RC4", func(t testing.TB) []byte {
		return encrypted(t, model.NewRC4Configuration("", "owner", 128), packedFile(t))
	}},
	{"encrypted with AES", func(t testing.TB) []byte {
		return encrypted(t, model.NewAESConfiguration("", "owner", 128), manual(7).bytes())
	}},
	{"encrypted with AES, 256 bits", func(t testing.TB) []byte {
		return encrypted(t, model.NewAESConfiguration("", "owner", 256), packedFile(t))
	}},
}

// packedFile has its objects in object streams, but for the page contents.
func packedFile(testing.TB) []byte {
	direct, packed := packedObjects(manual(7))
	return xrefStreamFile(direct, packed, "")
}

// packedObjects puts objects into object streams of four.
func packedObjects(f *pdfFile) (direct map[int]string, packed map[int][2]int) {
	direct, packed = map[int]string{}, map[int][2]int{}
	var numbers []int
	next := len(f.objects) + 1
	flush := func() {
		var index, texts strings.Builder
		for i, nr := range numbers {
			fmt.Fprintf(&index, "%d %d ", nr, texts.Len())
			texts.WriteString(f.objects[nr-1] + "\n")
			packed[nr] = [2]int{next, i}
		}
		text := index.String() + texts.String()
		direct[next] = fmt.Sprintf("<</Type/ObjStm/N %d/First %d/Length %d>>\nstream\n%s\nendstream", len(numbers), index.Len(), len(text), text)
		numbers = nil
		next++
	}
	for i, o := range f.objects {
		if strings.Contains(o, "stream\n") {
			direct[i+1] = o
			continue
		}
		if numbers = append(numbers, i+1); len(numbers) == 4 {
			flush()
		}
	}
	if len(numbers) > 0 {
		flush()
	}
	return direct, packed
}

// change is an object that is saved at the end of a file, with a table of its own.
func change(data []byte, nr int, object, trailer string) []byte {
	i := bytes.LastIndex(data, []byte("startxref\n"))
	var prev int
	_, _ = fmt.Sscan(string(data[i+len("startxref\n"):]), &prev)
	at := len(data)
	data = fmt.Appendf(bytes.Clone(data), "%d 0 obj\n%s\nendobj\n", nr, object)
	start := len(data)
	return fmt.Appendf(data, "xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size 100/Root 1 0 R/Prev %d%s>>\nstartxref\n%d\n%%%%EOF\n",
		nr, at, prev, trailer, start)
}

func pageContent(page int) string {
	text := fmt.Sprintf("BT /F1 12 Tf 20 100 Td (Page %d) Tj ET", page)
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text)
}

func changedFile(testing.TB) []byte {
	f := manual(7)
	f.set(6, "%s", pageContent(99))
	return change(change(f.bytes(), 6, pageContent(98), ""), 6, pageContent(2), "")
}

func changedPackedFile(testing.TB) []byte {
	f := manual(7)
	f.set(6, "%s", pageContent(99))
	direct, packed := packedObjects(f)
	return change(xrefStreamFile(direct, packed, ""), 6, pageContent(2), "")
}

// hybridFile has a table for old readers, in which the pages of the second half are free, and a
// stream for the others.
func hybridFile(testing.TB) []byte {
	f := manual(7)
	direct, packed := packedObjects(f)
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	offsets := map[int]int{}
	for _, nr := range sortedKeys(direct) {
		offsets[nr] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", nr, direct[nr])
	}
	for _, nr := range []int{1, 2, 3} {
		delete(packed, nr)
		offsets[nr] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", nr, f.objects[nr-1])
	}
	var index, rows bytes.Buffer
	for _, nr := range sortedKeys(packed) {
		fmt.Fprintf(&index, "%d 1 ", nr)
		rows.WriteByte(2)
		rows.Write(binary.BigEndian.AppendUint16(nil, uint16(packed[nr][0])))
		rows.WriteByte(byte(packed[nr][1]))
	}
	last := len(f.objects) + len(direct) + 1
	hidden := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/Size %d/W[1 2 1]/Index[%s]/Length %d>>\nstream\n%s\nendstream\nendobj\n",
		last, last+1, index.String(), rows.Len(), rows.String())
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", last)
	for nr := 1; nr < last; nr++ {
		if at, ok := offsets[nr]; ok {
			fmt.Fprintf(&b, "%010d 00000 n \n", at)
		} else {
			b.WriteString("0000000000 00000 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/XRefStm %d>>\nstartxref\n%d\n%%%%EOF\n", last+1, hidden, start)
	return b.Bytes()
}
