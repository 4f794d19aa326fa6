package split

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// mender puts in other words what pdfcpu cannot read, though the rest of the
// file is sound. The words go into an update after the end of the file, as
// editors save changes, which overrules what the file says.
type mender struct {
	file    io.ReaderAt
	size    int64
	objects map[int]string // in place of the file's own, or new
	encrypt int            // an encryption dictionary among objects, 0 for the file's own
	lost    map[int]bool   // objects that are nothing now, and were something
}

// Each mend costs a parse, and a file with more faults is damaged.
const mostMends = 8

// parse reads a file with pdfcpu.
func (m *mender) parse(ctx context.Context, password string, l Limits) (*model.Context, *source, error) {
	m.moveEncryption()
	for mends := 0; ; mends++ {
		src := newSource(ctx, m.file, m.size)
		if update, ok := m.update(); ok {
			src = newSource(ctx, appended{m.file, m.size, update}, m.size+int64(len(update)))
		}
		parsed, err := pdfcpu.ReadWithContext(ctx, src, configuration(password, l))
		switch {
		case src.err != nil:
			return nil, nil, src.err
		case err == nil:
			return parsed, src, nil
		case mends == mostMends || !m.mend(err):
			return nil, nil, classify(err, password, src)
		}
	}
}

// mend reports whether there is a way around an error of pdfcpu's.
func (m *mender) mend(err error) bool {
	if errors.Is(err, pdfcpu.ErrWrongPassword) {
		return m.spellKeyLength()
	}
	found := unreadableStream.FindStringSubmatch(err.Error())
	if found == nil {
		return false
	}
	nr, _ := strconv.Atoi(found[1]) // digits, by the pattern
	_, twice := m.objects[nr]
	if _, _, ok := m.trailer(); twice || !ok {
		return false
	}
	m.objects[nr] = "null"
	// An encrypted stream that has no room for a block of content is empty.
	if !strings.HasSuffix(err.Error(), "ciphertext too short") {
		m.lost[nr] = true
	}
	return true
}

var unreadableStream = regexp.MustCompile(`^stream obj#(\d{1,9}): `)

// moveEncryption gives an encryption dictionary that is written into the
// trailer the object of its own that pdfcpu looks for.
func (m *mender) moveEncryption() {
	if !encryptedFromTrailer(m.file, m.size) {
		return
	}
	trailer, _, ok := m.trailer()
	d, direct := trailer["Encrypt"].(types.Dict)
	size, sized := trailer["Size"].(types.Integer)
	if !ok || !direct || !sized || size <= 0 {
		return
	}
	const beyond = 1000 // some writers say a size that is a little too small
	m.encrypt = size.Value() + beyond
	m.objects[m.encrypt] = d.PDFString()
}

// spellKeyLength adds the length of the keys to an encryption dictionary of
// version 4 that leaves it out. Readers then take 128 bits, which AES has there
// anyway; pdfcpu takes 40, and no password fits.
func (m *mender) spellKeyLength() bool {
	trailer, _, ok := m.trailer()
	nr := refNumber(trailer["Encrypt"])
	if m.encrypt != 0 {
		nr = m.encrypt
	}
	if !ok || nr == 0 {
		return false
	}
	text := m.objects[nr]
	if text == "" {
		text = m.object(nr)
	}
	p := parser{text: text, depth: 10}
	o, _ := p.object()
	d, _ := o.(types.Dict)
	if version, _ := d["V"].(types.Integer); version != 4 || d["Length"] != nil {
		return false
	}
	d["Length"] = types.Integer(128)
	m.objects[nr] = d.PDFString()
	return true
}

// object returns the text of the last object in the file with that number.
func (m *mender) object(nr int) string {
	const longest = 8 << 10
	start := regexp.MustCompile(fmt.Sprintf(`\b%d%s+\d+%s+obj\b`, nr, blanks, blanks))
	text := ""
	eachMatch(io.NewSectionReader(m.file, 0, m.size), start, func(end int64) bool {
		text = string(readSome(m.file, end, longest))
		return true
	})
	return text
}

// update returns what is to stand after the end of the file.
func (m *mender) update() ([]byte, bool) {
	if len(m.objects) == 0 {
		return nil, false
	}
	trailer, at, ok := m.trailer()
	if !ok {
		return nil, false
	}
	next := types.Dict{"Prev": types.Integer(at)}
	for _, key := range []string{"Size", "Root", "Info", "ID", "Encrypt"} {
		if trailer[key] != nil {
			next[key] = trailer[key]
		}
	}
	if m.encrypt != 0 {
		next["Size"] = types.Integer(m.encrypt + 1)
		next["Encrypt"] = types.IndirectRef{ObjectNumber: types.Integer(m.encrypt)}
	}
	b := []byte("\n")
	var table []byte
	for _, nr := range sortedKeys(m.objects) {
		table = fmt.Appendf(table, "%d 1\n%010d 00000 n \n", nr, m.size+int64(len(b)))
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", nr, m.objects[nr])
	}
	start := m.size + int64(len(b))
	return fmt.Appendf(b, "xref\n%strailer\n%s\nstartxref\n%d\n%%%%EOF\n", table, next.PDFString(), start), true
}
