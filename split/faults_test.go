package split

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// A kid of the page tree that is no page would be missing from the pages that need it.
func TestA2KidThatIsNoPage(t *testing.T) {
	f := manual(4)
	resources := f.add("<</Font<</F1 3 0 R>>>>")
	field := f.add("<</FT/Tx/T(field)/Kids[]>>")
	annot := f.add("<</Subtype/Link/Rect[0 0 1 1]/Parent 2 0 R>>")
	for name, kid := range map[string]int{"font": 3, "content": 4, "resources": resources, "field": field, "annotation": annot} {
		t.Run(name, func(t *testing.T) {
			g := &pdfFile{objects: append([]string(nil), f.objects...)}
			g.set(2, "%s", strings.Replace(f.objects[1], "/Kids[", fmt.Sprintf("/Kids[5 0 R %d 0 R ", kid), 1))
			_, err := openBytes(g.bytes(), Options{})
			require.ErrorIs(t, err, ErrDamaged)
			require.Regexp(t, "^damaged PDF: (its page tree leads to what is no page, after page 1|page 2 cannot be read)$", err.Error())
		})
	}
}

// mutilations are what happens to files on their way.
var mutilations = map[string]func(data []byte) []byte{
	"startxref off by one": func(data []byte) []byte {
		return startxref.ReplaceAllFunc(data, func(b []byte) []byte {
			b = bytes.Clone(b)
			b[len(b)-1] ^= 1
			return b
		})
	},
	"no startxref": func(data []byte) []byte { return startxref.ReplaceAll(data, nil) },
	"no EOF":       func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("%%EOF"), nil) },
	"end cut":      func(data []byte) []byte { return data[:len(data)-30] },
	"more cut":     func(data []byte) []byte { return data[:len(data)-150] },
	"half cut":     func(data []byte) []byte { return data[:len(data)/2] },
	"BOM":          func(data []byte) []byte { return append([]byte("\xef\xbb\xbf"), data...) },
	"line put in": func(data []byte) []byte {
		_, rest, _ := bytes.Cut(data, []byte("\n"))
		return append([]byte("%PDF-1.7\n% a line that a mail program has put in\n"), rest...)
	},
	"no endobj":     func(data []byte) []byte { return bytes.Replace(data, []byte("endobj"), []byte("      "), 2) },
	"wrong lengths": func(data []byte) []byte { return lengths.ReplaceAll(data, []byte("/Length 77777")) },
	"zeros at end":  func(data []byte) []byte { return append(bytes.Clone(data), make([]byte, 5000)...) },
}

var (
	startxref = regexp.MustCompile(`startxref\s+\d+`)
	lengths   = regexp.MustCompile(`/Length\s+\d{2}\b`) // not those of keys
)

// requireRight cuts out every page of a made file, and looks for its text.
func requireRight(t *testing.T, d *Document) {
	t.Helper()
	require.Equal(t, 7, d.Pages())
	for page := 1; page <= 7; page++ {
		requirePage(t, d, page, fmt.Sprintf("(Page %d) Tj", page))
	}
}

// A damaged file is read right, or is refused as damaged. No password was checked, so none is asked
// for.
func TestA3Mutilated(t *testing.T) {
	right := map[string]int{}
	for _, kind := range madeFiles {
		data := kind.file(t)
		for name, mutilate := range mutilations {
			t.Run(kind.name+"/"+name, func(t *testing.T) {
				d, err := openBytes(mutilate(data), Options{})
				if err != nil {
					require.ErrorIs(t, err, ErrDamaged)
					require.NotErrorIs(t, err, ErrEncrypted)
					return
				}
				requireRight(t, d)
				right[name]++
			})
		}
	}
	for _, name := range []string{
		"startxref off by one", "no startxref", "no EOF", "BOM", "line put in", "zeros at end",
	} {
		require.Equal(t, len(madeFiles), right[name], name)
	}
	t.Log(right)
}

// With a password it is the same: what was refused for its password was checked against it.
func TestA3MutilatedWithPassword(t *testing.T) {
	for name, c := range map[string]*model.Configuration{
		"RC4": model.NewRC4Configuration("user", "owner", 128),
		"AES": model.NewAESConfiguration("user", "owner", 256),
	} {
		data := encrypted(t, c, manual(7).bytes())
		for mutilation, mutilate := range mutilations {
			for _, password := range []string{"user", "owner"} {
				t.Run(name+"/"+mutilation+"/"+password, func(t *testing.T) {
					d, err := openBytes(mutilate(data), Options{Password: password})
					if err != nil {
						require.ErrorIs(t, err, ErrDamaged)
						return
					}
					requireRight(t, d)
				})
			}
		}
		_, err := openBytes(mutilations["startxref off by one"](data), Options{})
		require.EqualError(t, err, "encrypted PDF: it needs a password")
	}
}

// Without its trailer nothing says that a file is encrypted: its chunks would be noise.
func TestA4EncryptedWithoutTrailer(t *testing.T) {
	f := manual(7)
	for page := range 7 {
		content := deflated(t, fmt.Sprintf("BT /F1 12 Tf 20 100 Td (Page %d) Tj ET", page+1), 0, 0)
		f.set(4+2*page, "<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", len(content), content)
	}
	data := withTable(t, model.NewAESConfiguration("", "owner", 128), f)
	d, err := openBytes(data, Options{})
	require.NoError(t, err)
	require.Equal(t, 7, d.Pages())
	nr, _ := encryptionDict(t, data)
	data = data[:bytes.LastIndex(data, []byte("trailer"))]
	_, err = openBytes(data, Options{})
	require.EqualError(t, err, "damaged PDF: it is encrypted, and the trailer that says how is lost")

	data = bytes.Replace(data, []byte("\n"+nr+" 0 obj"), []byte("\n% 0 obj"), 1)
	_, err = openBytes(data, Options{})
	require.EqualError(t, err, "damaged PDF: none of its streams can be read")

	data = withTable(t, model.NewRC4Configuration("", "owner", 128), manual(7))
	nr, _ = encryptionDict(t, data)
	data = bytes.Replace(data[:bytes.LastIndex(data, []byte("trailer"))], []byte("\n"+nr+" 0 obj"), []byte("\n% 0 obj"), 1)
	_, err = openBytes(data, Options{})
	require.EqualError(t, err, "damaged PDF: none of its streams can be read", "they are not compressed")
}

// Where only attachments are encrypted, the pages need no password.
func TestA3EncryptedAttachments(t *testing.T) {
	f := manual(3)
	f.trailer = "/ID[(a)(b)]/Encrypt<</Filter/Standard/V 4/R 4/Length 128/P -4/O(" + strings.Repeat("o", 32) + ")/U(" + strings.Repeat("u", 32) +
		")/CF<</StdCF<</CFM/AESV2/AuthEvent/EFOpen/Length 16>>>>/StmF/Identity/StrF/Identity/EFF/StdCF>>"
	d, err := openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	require.False(t, d.Encrypted(), "its pages are not")
	requirePage(t, d, 3, "(Page 3) Tj")
}

// A string of no bytes has no padding with some writers, and no initial vector with others.
func TestA3EncryptedEmptyString(t *testing.T) {
	f := manual(2)
	f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[<</Subtype/Text/Rect[0 0 1 1]/Contents(AAAABBBBCCCCDDDD)/NM(said)>>]>>")
	data := withTable(t, model.NewAESConfiguration("", "owner", 128), f)
	note := regexp.MustCompile(`(?s)/Contents\(.*?\)/NM|/Contents<.*?>/NM`)
	require.Len(t, note.FindAll(data, -1), 1)
	for _, empty := range []string{"()", "<>", "<00112233445566778899aabbccddeeff>"} {
		changed := note.ReplaceAllLiteral(data, []byte("/Contents"+empty+"/NM"))
		d, err := openBytes(changed, Options{})
		require.NoError(t, err)
		v, pages := reopen(t, d, PageRange{1, 1})
		annot := v.dict(v.array(pages[0].dict(v)["Annots"])[0])
		require.Empty(t, stringBytes(annot["Contents"]), empty)
		require.Equal(t, "said", string(stringBytes(annot["NM"])))
	}
	_, err := openBytes(note.ReplaceAllLiteral(data, []byte("/Contents<0011223344>/NM")), Options{})
	require.EqualError(t, err, "damaged PDF: object 5 cannot be decrypted", "readers do not agree on what it says")
}

// A security handler that is not known is for the server to judge.
func TestEncryptionNotSupported(t *testing.T) {
	for trailer, text := range map[string]string{
		"/Encrypt<</Filter/Adobe.PubSec/V 4>>":       `damaged PDF: the security handler "Adobe.PubSec" of its encryption is not supported`,
		"/Encrypt<</Filter/Standard/V 9>>":           "damaged PDF: version 9 of its encryption is not supported",
		"/Encrypt<</Filter/Standard/V 2/R 3/O(a)>>":  "damaged PDF: its encryption dictionary is incomplete",
		"/Encrypt<</Filter/Standard/V 2/R 9/O(a)>>":  "damaged PDF: revision 9 of its encryption is not supported",
		"/Encrypt<</Filter/Standard/V 4/StmF/Mine>>": "damaged PDF: its encryption is not supported",
		"/Encrypt 99 0 R":                            "damaged PDF: its encryption dictionary cannot be read",
	} {
		f := manual(2)
		f.trailer = trailer
		_, err := openBytes(f.bytes(), Options{})
		require.EqualError(t, err, text)
	}
}

// counted counts what is read.
type counted struct {
	*bytes.Reader
	read int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

// Open reads the structure, and not the pictures.
func TestOpenReadsLittle(t *testing.T) {
	f := manual(10)
	picture := bytes.Repeat([]byte("picture "), 100_000)
	for page := range 10 {
		image := f.stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode", picture)
		f.set(5+2*page, "<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</XObject<</Im0 %d 0 R>>>>>>", 4+2*page, image)
	}
	data := f.bytes()
	file := &counted{Reader: bytes.NewReader(data)}
	d, err := Open(context.Background(), file, int64(len(data)), Options{})
	require.NoError(t, err)
	require.Less(t, file.read, int64(400<<10), "of 8,000,000 bytes")
	c, err := d.Chunk(context.Background(), PageRange{1, 5})
	require.NoError(t, err)
	require.Less(t, file.read, int64(600<<10))
	require.Greater(t, c.Size(), int64(5*len(picture)))
	file.read = 0
	n, err := c.WriteTo(io.Discard)
	require.NoError(t, err)
	require.Equal(t, c.Size(), n)
	require.Equal(t, int64(5*len(picture)), file.read)
}

// shortened is a file that ends before its time.
type shortened struct {
	*bytes.Reader
	end *int64
}

func (s shortened) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > *s.end {
		return 0, io.EOF
	}
	return s.Reader.ReadAt(p, off)
}

// A chunk of a file that has changed is no shorter chunk.
func TestChunkOfAShortenedFile(t *testing.T) {
	f := manual(1)
	image := f.stream("/Type/XObject/Subtype/Image/Filter/DCTDecode", bytes.Repeat([]byte("x"), 100_000))
	f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</Im0 %d 0 R>>>>>>", image)
	for _, data := range [][]byte{
		f.bytes(), withTable(t, model.NewAESConfiguration("", "owner", 128), f), withTable(t, model.NewRC4Configuration("", "owner", 128), f),
	} {
		end := int64(len(data))
		d, err := Open(context.Background(), shortened{bytes.NewReader(data), &end}, end, Options{})
		require.NoError(t, err)
		c, err := d.Chunk(context.Background(), PageRange{1, 1})
		require.NoError(t, err)
		end = 1000
		_, err = c.WriteTo(io.Discard)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		_, err = io.ReadAll(io.NewSectionReader(c, 0, c.Size()))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.False(t, errors.Is(err, io.EOF))
	}
}

// A file that ends a few bytes into a stream is searched for the end of that, once.
func TestStreamThatBarelyStarts(t *testing.T) {
	data := manual(2).bytes()
	for rest := range 20 {
		_, err := openBytes(append(bytes.Clone(data[:bytes.Index(data, []byte("BT /F1"))]), make([]byte, rest)...), Options{})
		require.ErrorIs(t, err, ErrDamaged)
	}
}
