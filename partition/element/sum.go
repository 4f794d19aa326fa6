package element

import (
	"encoding/binary"
	"hash/maphash"
	"math"
)

// A sum is a hash of the fields of an element: another one says that a field was changed.
type sum struct{ maphash.Hash }

// seed is that of all sums of this process.
var seed = maphash.MakeSeed()

func sumOf(e plainElement) uint64 {
	var s sum
	s.SetSeed(seed)
	s.texts(string(e.Type), e.ID, e.Text)
	s.metadata(&e.Metadata)
	return s.Sum64()
}

func (s *sum) metadata(m *Metadata) {
	s.texts(m.Filename, m.Filetype, m.PageName, m.ParentID, m.TextAsHTML, m.URL, m.ImageBase64, m.ImageMimeType, m.ImageURL, m.OrigElements, m.Subject)
	for _, list := range [][]string{
		m.Languages, m.EmphasizedTextContents, m.EmphasizedTextTags, m.LinkTexts, m.LinkURLs, m.SentFrom, m.SentTo,
	} {
		s.length(list == nil, len(list))
		s.texts(list...)
	}
	s.number(m.PageNumber)
	s.length(m.CategoryDepth == nil, 1)
	if m.CategoryDepth != nil {
		s.number(*m.CategoryDepth)
	}
	s.length(m.LinkStartIndexes == nil, len(m.LinkStartIndexes))
	for _, index := range m.LinkStartIndexes {
		s.number(index)
	}
	s.length(m.Coordinates == nil, 1)
	if m.Coordinates != nil {
		s.coordinates(m.Coordinates)
	}
}

func (s *sum) coordinates(c *Coordinates) {
	s.length(c.Points == nil, len(c.Points))
	for _, point := range c.Points {
		s.measure(point[0])
		s.measure(point[1])
	}
	s.texts(c.System)
	s.measure(c.LayoutWidth)
	s.measure(c.LayoutHeight)
}

func (s *sum) texts(texts ...string) {
	for _, text := range texts {
		s.number(len(text))
		_, _ = s.WriteString(text) // cannot fail
	}
}

// length adds how long a list is, or that there is none.
func (s *sum) length(none bool, n int) {
	if none {
		n = -1
	}
	s.number(n)
}

func (s *sum) number(n int) { s.bits(uint64(n)) } // of a negative one too

func (s *sum) measure(f float64) { s.bits(math.Float64bits(f)) }

func (s *sum) bits(bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	_, _ = s.Write(b[:]) // cannot fail
}
