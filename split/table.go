package split

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// table says where the objects of a document are, and reads them. Once the document is open nothing
// in it changes but what it holds of streams, so that any number of views may read it.
type table struct {
	file   io.ReaderAt
	size   int64
	limits Limits

	places   *places
	root     int
	crypt    *crypt // nil where the file is not encrypted
	packs    packs
	contents contents

	doubtful bool // not all objects were where the file says
	cutOff   bool // the file's end is missing: an object that is nowhere may have been there
	reader   Reader

	searched atomic.Int64 // bytes in which the end of a stream was looked for
	decoded  atomic.Int64 // bytes that object streams were inflated to
}

// object returns the object of that number, nil where there is none, and how long the text is that
// it was parsed from. One that cannot be read is an error: another reader may make sense of it, so
// that a chunk without it could be less than its pages.
func (t *table) object(src *source, nr int) (types.Object, int, error) {
	return t.load(src, nr, 0)
}

// load reads an object. A stream's length may be an object, too: nesting is how many led here.
func (t *table) load(src *source, nr, nesting int) (types.Object, int, error) {
	const deepest = 4
	if nesting > deepest {
		return nil, 0, errLost(nr)
	}
	switch at := t.places.get(nr); at.kind {
	case direct:
		o, length, err := t.loadDirect(src, nr, at.where, nesting)
		if t.cutOff && errors.Is(err, ErrDamaged) {
			err = errCutOff // the file ends within it, or what it needs was behind
		}
		return o, length, err
	case packed:
		return t.loadPacked(src, nr, int(at.where), int(at.index))
	case unknown:
		if t.cutOff && nr > 0 {
			return nil, 0, errCutOff
		}
	}
	return nil, 0, nil
}

func (t *table) loadDirect(src *source, nr int, off int64, nesting int) (types.Object, int, error) {
	p, err := parseAt(src, nr, off, t.limits.Depth)
	if err != nil {
		return nil, 0, err
	}
	s, isStream := p.object.(*stream)
	if isStream {
		if err := t.measure(src, s, nesting); err != nil {
			return nil, 0, err
		}
	}
	if t.crypt == nil {
		return p.object, p.text, nil
	}
	var ok bool
	if isStream {
		_, ok = t.crypt.object(s.Dict, nr, p.generation)
		ok = ok && s.seal(t.crypt, t.crypt.method(s.Dict), src)
	} else {
		p.object, ok = t.crypt.object(p.object, nr, p.generation)
	}
	if src.err != nil {
		return nil, 0, src.err
	}
	if !ok {
		return nil, 0, refuse(ErrDamaged, "object %d cannot be decrypted", nr)
	}
	return p.object, p.text, nil
}

// What looking for the ends of streams may read: a file of many streams without an end would be
// read once for each.
const searchBase, searchTimes = 32 * mebi, 8

// measure finds out how long a stream is: what it says itself must lead to its end.
func (t *table) measure(src *source, s *stream, nesting int) error {
	length := s.Dict["Length"]
	if ref, ok := length.(types.IndirectRef); ok {
		var err error
		if length, _, err = t.load(src, ref.ObjectNumber.Value(), nesting+1); err != nil {
			if src.err != nil {
				return src.err
			}
			length = nil
		}
	}
	said, ok := whole(length)
	if s.length = int64(said); ok && said >= 0 && endsAt(src, s.at+s.length) {
		s.size = s.length
		return src.err
	}
	left := searchBase + searchTimes*t.size - t.searched.Load()
	found, ok := untilEnd(src, s.at, left)
	if src.err != nil {
		return src.err
	}
	if !ok {
		t.searched.Add(t.size - s.at)
		if left < t.size-s.at {
			return refuse(ErrTooLarge, "too many of its streams do not say where they end")
		}
		return errLost(s.number)
	}
	t.searched.Add(found)
	src.repaired[s.number] = true
	s.length, s.size = found, found
	return nil
}

func (t *table) loadPacked(src *source, nr, stream, index int) (types.Object, int, error) {
	// What an object stream needs to be read is not in one: it could be in itself.
	if src.unpacks {
		return nil, 0, errLost(nr)
	}
	p, err := t.packs.get(t, src, stream)
	if err != nil {
		return nil, 0, err
	}
	text := p.text(nr, index)
	o, err := t.parseText(nr, text)
	return o, len(text), err
}

func (t *table) parseText(nr int, text string) (types.Object, error) {
	if len(text) > longestText {
		return nil, refuse(ErrTooLarge, "object %d alone has %d bytes", nr, len(text))
	}
	if o, ok := parseStrictly(text, t.limits.Depth); ok {
		return o, nil
	}
	o, err := parseLeniently(text, t.limits.Depth)
	if err != nil {
		return nil, errLost(nr)
	}
	return o, nil
}

func errLost(nr int) error { return refuse(ErrDamaged, "object %d cannot be read", nr) }

func isBlank(c rune) bool {
	switch c {
	case 0, '\t', '\n', '\f', '\r', ' ':
		return true
	}
	return false
}
