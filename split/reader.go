package split

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Reader says how a document was read.
type Reader string

const (
	// ReaderTable used the file's own cross-reference table to find the objects.
	ReaderTable Reader = "table"

	// ReaderScan searched the file for some or all objects, because its table is broken.
	ReaderScan Reader = "scan"

	// ReaderWhole used pdfcpu to parse the whole file.
	ReaderWhole Reader = "whole"
)

// read finds out where the objects of a file are.
func read(src *source, password string, l Limits) (*table, error) {
	t := &table{file: src.file, size: src.size, limits: l, reader: ReaderTable}
	x, err := findXRef(src, l)
	switch {
	case src.err != nil:
		return nil, src.err
	case errors.Is(err, ErrTooLarge), errors.Is(err, errIncomplete):
		return nil, err
	case err == nil:
		t.places = x.places
		err = t.start(src, x.trailer, password)
		if err == nil || errors.Is(err, ErrEncrypted) || src.err != nil {
			return t, errors.Join(src.err, err)
		}
	}
	return readScan(src, password, l)
}

// findXRef reads the table, and checks that it leads to a catalog. Offsets count from the first
// byte, or from the "%PDF-" where something stands before it.
func findXRef(src *source, l Limits) (*xref, error) {
	shift := int64(max(bytes.Index(src.peek(0, 1024), []byte("%PDF-")), 0))
	x, err := readXRef(src, l, shift)
	if shift > 0 && (err != nil || !x.leads()) {
		if y, err2 := readXRef(src, l, 0); err2 == nil {
			return y, nil
		}
	}
	return x, err
}

// leads reports whether an object is where the table says.
func (x *xref) leads() bool {
	at := x.places.get(refNumber(x.trailer["Root"]))
	h, ok := headAt(x.src, at.where)
	return at.kind == packed || at.kind == direct && ok && h.number == refNumber(x.trailer["Root"])
}

// start makes a table ready to be read from: its root, its key, and the objects that are not where
// it says.
func (t *table) start(src *source, trailer types.Dict, password string) error {
	t.root = refNumber(trailer["Root"])
	if t.root == 0 {
		return refuse(ErrDamaged, "its trailer leads to no catalog")
	}
	if err := t.correct(src); err != nil {
		return err
	}
	return t.unlock(src, trailer, password)
}

// correct looks whether all objects are where the table says, and searches the file for the others.
// An object that is nowhere is null, as readers agree. They do not agree on one in whose place
// another stands: a page that needs it cannot be cut.
func (t *table) correct(src *source) error {
	var wrong []int
	taken := map[int]bool{} // another object stands in its place
	for _, nr := range t.places.byOffset() {
		if h, ok := headAt(src, t.places.get(nr).where); !ok || h.number != nr {
			wrong = append(wrong, nr)
			taken[nr] = ok
		}
	}
	if len(wrong) == 0 || src.err != nil {
		return src.err
	}
	s, err := scanFile(src, t.limits)
	if err != nil {
		return err
	}
	for _, nr := range wrong {
		switch at := s.places.get(nr); {
		case at.kind == direct:
			t.reader, t.doubtful = ReaderScan, true
			t.places.set(nr, at)
		case !taken[nr]:
			t.places.set(nr, place{kind: free})
		}
	}
	return nil
}

var errCutOff = refuse(ErrDamaged, "its end is cut off, and with it what its pages need")

var errLocked = refuse(ErrDamaged, "it is encrypted, and the trailer that says how is lost")

// readScan reads a file without its table.
func readScan(src *source, password string, l Limits) (*table, error) {
	s, err := scanFile(src, l)
	if err != nil {
		return nil, err
	}
	t := &table{file: src.file, size: src.size, limits: l, reader: ReaderScan, doubtful: true, cutOff: !s.ended, places: s.places}
	if s.cut && s.trailer["Root"] == nil {
		return nil, refuse(ErrDamaged, "its end is cut off, and with it the trailer")
	}
	if s.locked && s.trailer["Encrypt"] == nil {
		return nil, errLocked
	}
	if err := t.unlock(src, s.trailer, password); err != nil {
		if errors.Is(err, ErrEncrypted) && s.trailer["ID"] == nil {
			return nil, refuse(ErrDamaged, "it is encrypted, and its identifier is lost")
		}
		return nil, err
	}
	if err := s.unpack(t); err != nil {
		return nil, err
	}
	v := newView(t, src)
	if t.root = refNumber(s.trailer["Root"]); v.dict(v.dict(s.trailer["Root"])["Pages"]) == nil && s.catalog != 0 {
		t.root = s.catalog
	}
	return t, src.err
}

// unlock finds the key of an encrypted document.
func (t *table) unlock(src *source, trailer types.Dict, password string) error {
	if trailer["Encrypt"] == nil {
		return nil
	}
	v := newView(t, src)
	dict := types.Dict{}
	for key, o := range v.dict(trailer["Encrypt"]) {
		dict[key] = v.resolved(o, 3)
	}
	if v.err != nil {
		return v.err
	}
	if len(dict) == 0 {
		return refuse(ErrDamaged, "its encryption dictionary cannot be read")
	}
	var id []byte
	if ids := v.array(trailer["ID"]); len(ids) > 0 {
		id = stringBytes(v.follow(ids[0]))
	}
	c, err := newCrypt(dict, id, password)
	if err != nil {
		return err
	}
	t.crypt = c
	if nr := refNumber(trailer["Encrypt"]); nr != 0 {
		t.places.set(nr, place{kind: free}) // its strings are not encrypted, and no page needs it
	}
	return nil
}

// resolved returns an object with what it refers to in place.
func (v *view) resolved(o types.Object, depth int) types.Object {
	o = v.follow(o)
	if d, ok := o.(types.Dict); ok && depth > 0 {
		all := types.Dict{}
		for key, value := range d {
			all[key] = v.resolved(value, depth-1)
		}
		return all
	}
	return o
}

// tryStreams refuses a document of which none of the streams that were tried can be read: they are
// encrypted, and nothing says so, or the key only seems to be right. Where nothing says so, it goes by
// what the pages show: other streams may be readable because they are never encrypted.
func (t *table) tryStreams(src *source, tree *tree) error {
	if t.crypt == nil {
		if tried, err := t.tryEach(src, tree.contents(newView(t, src))); tried || err != nil {
			return err
		}
	}
	_, err := t.tryEach(src, t.places.numbers())
	return err
}

// tryEach reports whether a stream was tried.
func (t *table) tryEach(src *source, numbers []int) (tried bool, err error) {
	v := newView(t, src)
	left, objects := 5, 1000
	for _, nr := range numbers {
		if objects--; objects < 0 || left == 0 {
			break
		}
		if t.places.get(nr).kind != direct {
			continue
		}
		o, _, err := t.object(src, nr)
		s, ok := o.(*stream)
		if src.err != nil {
			return tried, src.err
		}
		if err != nil || !ok || s.size == 0 || s.image() {
			continue
		}
		readable, ok := v.readable(s)
		if !ok {
			continue
		}
		if tried = true; readable {
			return true, src.err
		}
		left--
	}
	if tried {
		return true, refuse(ErrDamaged, "none of its streams can be read")
	}
	return false, nil
}

// readable reports whether a stream makes sense, and whether that can be told: it is compressed, or
// a text.
func (v *view) readable(s *stream) (readable, known bool) {
	filters, ok := v.filters(s.Dict)
	switch {
	case ok && len(filters) == 1 && filters[0].Name == pdffilter.Flate:
		err := v.inflate(s, v.table.limits.DecodedBytes, func([]byte) {})
		return !errors.Is(err, ErrDamaged), true
	case len(s.Dict) > 1: // more than its length: it may be anything
		return false, false
	}
	head := make([]byte, min(s.size, 256))
	n, _ := s.reader(v.src).ReadAt(head, 0)
	printable := 0
	for _, c := range head[:n] {
		if c >= ' ' && c <= '~' || isBlank(rune(c)) {
			printable++
		}
	}
	return 4*printable >= 3*n, true
}

// reason makes a line of an error whose text may hold bytes of the file.
func reason(err error) string {
	s := strings.TrimPrefix(err.Error(), "pdfcpu: ")
	const longest = 160
	if len(s) > longest {
		s = s[:longest] + "..."
	}
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		s = strconv.QuoteToASCII(s)
	}
	return s
}

// guard turns a panic into an error: pdfcpu has some left for odd files.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse(ErrDamaged, "the reader cannot follow it (%s)", reason(fmt.Errorf("%v", p)))
		}
	}()
	return f()
}

// within runs a task beside the caller, which so comes back when the context ends, whatever reading
// the file does. The task ends at its next read.
func within[T any](ctx context.Context, task func() (T, error)) (T, error) {
	var none T
	if ctx == nil {
		return none, errors.New("split: the context is nil")
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.err = guard(func() (err error) {
			r.value, err = task()
			return err
		})
		done <- r
	}()
	select {
	case r := <-done:
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		return r.value, r.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
