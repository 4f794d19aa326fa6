package split

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// table holds the objects of a document. It is what remains of pdfcpu's
// context, which is not safe for concurrent use, not even for reading. After
// [newTable] nothing in it changes but the object streams, each under its
// sync.Once, so that any number of views may read it.
type table struct {
	direct    map[int]types.Object
	packed    map[int]packed
	streams   map[int]*objectStream
	lost      map[int]bool // objects that are in the file and cannot be read
	root      int
	encrypted bool
	limits    Limits
	decoded   atomic.Int64 // bytes decompressed so far
	warnings  []string
}

// packed says where an object lies that is part of an object stream.
type packed struct{ stream, index int }

func newTable(c *model.Context, l Limits) *table {
	t := &table{
		direct:    make(map[int]types.Object, len(c.Table)),
		packed:    map[int]packed{},
		streams:   map[int]*objectStream{},
		lost:      map[int]bool{},
		encrypted: c.Encrypt != nil,
		limits:    l,
	}
	if c.Root != nil {
		t.root = c.Root.ObjectNumber.Value()
	}
	for nr, e := range c.Table {
		if e == nil || e.Free {
			continue
		}
		switch o := e.Object.(type) {
		case nil, types.XRefStreamDict:
		case types.ObjectStreamDict:
			t.streams[nr] = &objectStream{source: o.StreamDict, first: o.FirstObjOffset}
		case types.LazyObjectStreamObject:
			if e.ObjectStream != nil && e.ObjectStreamInd != nil {
				t.packed[nr] = packed{*e.ObjectStream, *e.ObjectStreamInd}
			}
		default:
			t.direct[nr] = o
		}
	}
	return t
}

// object returns the object of that number, nil where there is none, and the
// length of the text that it was parsed from. One that cannot be read is an
// error: another reader may make sense of it, so that a chunk without it could be
// less than its pages.
func (t *table) object(nr int) (types.Object, int, error) {
	if t.lost[nr] {
		return nil, 0, errLost(nr)
	}
	if o, ok := t.direct[nr]; ok {
		return o, 0, nil
	}
	p, ok := t.packed[nr]
	if !ok {
		return nil, 0, nil
	}
	s, ok := t.streams[p.stream]
	if !ok {
		return nil, 0, nil
	}
	s.once.Do(func() { s.decode(t) })
	if s.err != nil {
		return nil, 0, s.err
	}
	text := s.text(nr, p.index)
	o, err := t.parseText(nr, text)
	return o, len(text), err
}

// longestText is two hundred thousand references. In memory an object takes up
// to twenty times its text.
const longestText = 2 * mebi

func (t *table) parseText(nr int, text string) (types.Object, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > longestText {
		return nil, refuse(ErrTooLarge, "object %d alone has %d bytes", nr, len(text))
	}
	if o, ok := parseStrictly(text, t.limits.Depth); ok {
		return o, nil
	}
	o, err := model.ParseObjectContext(context.Background(), &text, 0, t.limits.Depth)
	if err != nil {
		return nil, errLost(nr)
	}
	return o, nil
}

func errLost(nr int) error { return refuse(ErrDamaged, "object %d cannot be read", nr) }

// findLost looks for objects that pdfcpu has passed over in silence.
func (t *table) findLost(c *model.Context, r io.ReaderAt) {
	for nr, e := range c.Table {
		if e == nil || e.Free || e.Compressed || e.Object != nil || e.Offset == nil || *e.Offset <= 0 {
			continue
		}
		var buf [80]byte
		n, _ := r.ReadAt(buf[:], *e.Offset)
		if object.Match(buf[:n]) && !null.Match(buf[:n]) {
			t.lost[nr] = true
		}
	}
}

const blanks = `[\x00\t\n\f\r ]`

var (
	object = regexp.MustCompile(`^` + blanks + `*\d+` + blanks + `+\d+` + blanks + `+obj`)
	null   = regexp.MustCompile(object.String() + blanks + `*(null` + blanks + `*)?(endobj|$)`)
)

// objectStream is a compressed stream of objects. They are parsed from its text
// whenever they are needed: kept, they would take ten times the space.
type objectStream struct {
	source types.StreamDict
	first  int

	once    sync.Once
	content string
	numbers []int // of the objects, in order
	offsets []int // of their texts in content
	err     error
}

func (s *objectStream) decode(t *table) {
	content, err := t.inflate(s.source, min(t.limits.DecodedBytes-t.decoded.Load(), mostContent))
	if err != nil {
		s.err = err
		return
	}
	if t.decoded.Add(int64(len(content))) > t.limits.DecodedBytes {
		s.err = errInflates()
		return
	}
	s.source = types.StreamDict{}
	s.content = string(content)
	prolog := s.content[:min(s.first, len(s.content))]
	if i := strings.IndexByte(prolog, '%'); i >= 0 {
		prolog = prolog[:i]
	}
	fields := strings.FieldsFunc(prolog, isBlank)
	for i := 0; i+1 < len(fields); i += 2 {
		nr, err := strconv.Atoi(fields[i])
		off, err2 := strconv.Atoi(fields[i+1])
		if err != nil || err2 != nil || off < 0 || off > len(s.content)-s.first {
			s.err = refuse(ErrDamaged, "an object stream has a broken index")
			return
		}
		s.numbers = append(s.numbers, nr)
		s.offsets = append(s.offsets, s.first+off)
	}
}

// text returns an object's text, empty where the stream does not have it. The
// index is right in sound files; else the object's own number finds it.
func (s *objectStream) text(nr, index int) string {
	if index < 0 || index >= len(s.numbers) || s.numbers[index] != nr {
		found := -1
		for i, n := range s.numbers {
			if n == nr {
				found = i
			}
		}
		switch {
		case found >= 0:
			index = found
		case index < 0 || index >= len(s.numbers):
			return ""
		}
	}
	start, end := s.offsets[index], len(s.content)
	if index+1 < len(s.offsets) && s.offsets[index+1] >= start {
		end = s.offsets[index+1]
	}
	return s.content[start:end]
}

func isBlank(c rune) bool {
	switch c {
	case 0, '\t', '\n', '\f', '\r', ' ':
		return true
	}
	return false
}

// numbers returns the numbers of all objects, in order.
func (t *table) numbers() []int {
	all := sortedKeys(t.direct)
	all = append(all, sortedKeys(t.packed)...)
	slices.Sort(all)
	return all
}
