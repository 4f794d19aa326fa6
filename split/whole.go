package split

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// Without this pdfcpu writes a configuration folder into the user's home, and panics where there is
// none.
func init() { model.ConfigPath = "disable" }

// largestWhole is the largest file that pdfcpu parses whole: in memory it takes up to seventy times
// the space.
const largestWhole = 8 * mebi

// readWhole has pdfcpu parse a file, which finds the objects of some that are too damaged for the
// other ways. Encrypted ones it leaves alone: pdfcpu overlooks some kinds of encryption.
func readWhole(src *source, _ string, l Limits) (*table, error) {
	if err := checkWhole(src, l); err != nil {
		return nil, err
	}
	seeker := newSeeker(src)
	c, err := pdfcpu.ReadWithContext(src.ctx, seeker, configuration(l))
	switch {
	case src.err != nil:
		return nil, src.err
	case seeker.err != nil:
		return nil, seeker.err
	case err != nil:
		return nil, refuse(ErrDamaged, "it cannot be parsed (%s)", reason(err))
	}
	return newWholeTable(src, c, l), nil
}

func configuration(l Limits) *model.Configuration {
	c := model.NewDefaultConfiguration()
	c.ValidationMode = model.ValidationRelaxed
	c.Optimize = false
	c.OptimizeBeforeWriting = false
	c.OptimizeResourceDicts = false
	c.Limits.MaxStreamBytes = largestWhole
	c.Limits.MaxDecodeBytes = l.DecodedBytes
	c.Limits.MaxObjectCount = l.Objects
	c.Limits.MaxXRefEntries = l.Objects
	c.Limits.MaxObjectStreamCount = l.Objects
	c.Limits.MaxRecursionDepth = l.Depth
	return c
}

// newWholeTable takes over where pdfcpu has found the objects. Its own table is not safe for
// concurrent use, not even for reading, and its objects may lack what it has passed over.
func newWholeTable(src *source, c *model.Context, l Limits) *table {
	t := &table{file: src.file, size: src.size, limits: l, places: newPlaces(), reader: ReaderWhole, doubtful: true}
	if c.Root != nil {
		t.root = c.Root.ObjectNumber.Value()
	}
	for nr, e := range c.Table {
		switch {
		case e == nil || e.Free:
		case e.ObjectStream != nil && e.ObjectStreamInd != nil:
			t.places.set(nr, place{kind: packed, where: int64(*e.ObjectStream), index: uint32(*e.ObjectStreamInd)})
		case e.Offset != nil && *e.Offset > 0:
			t.places.set(nr, place{kind: direct, where: *e.Offset})
		}
	}
	return t
}

// seeker is the file as pdfcpu reads it: every entry of the cross-reference table by itself. A
// small file with many entries for one place would so become a large document; seeker counts what
// is read again and again.
type seeker struct {
	*io.SectionReader
	src *source
	err error

	seen   []uint64 // a bit for each eight bytes in which an offset was sought
	again  int64    // how often one had been sought there before
	single int64    // bytes read since the last seek
	read   int64    // bytes beyond the first of each seek
}

const (
	// Two entries for one place are known from a word processor, and repairing reads everything
	// twice.
	againBase, againPerByte = 10_000, 100
	// What follows in one read is small objects, or the start of a large one.
	freeRead = 4 << 10
	// Repairing reads the file up to four times.
	readBase, readTimes = 32 * mebi, 8
)

func newSeeker(src *source) *seeker {
	return &seeker{SectionReader: io.NewSectionReader(src, 0, src.size), src: src, seen: make([]uint64, src.size/512+1)}
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	off, err := s.SectionReader.Seek(offset, whence)
	if err != nil || whence != io.SeekStart || off >= s.src.size {
		return off, err
	}
	s.single = 0
	cell := off / 8 // no object is shorter
	if s.seen[cell/64]&(1<<(cell%64)) != 0 {
		s.again++
	}
	s.seen[cell/64] |= 1 << (cell % 64)
	return off, nil
}

func (s *seeker) Read(p []byte) (int, error) {
	if s.err == nil && (s.again > againBase+s.src.size/againPerByte || s.read > readBase+readTimes*s.src.size) {
		s.err = refuse(ErrTooLarge, "many of its objects are the same part of the file")
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.SectionReader.Read(p)
	before := max(0, s.single-freeRead)
	s.single += int64(n)
	s.read += max(0, s.single-freeRead) - before
	return n, err
}

var xrefOrEncrypt = regexp.MustCompile(`/XRef\b|/Encrypt\b`)

// checkWhole refuses an encrypted file, and one with cross-reference streams that grow beyond the
// limit, which pdfcpu does not keep for these streams.
func checkWhole(src *source, l Limits) error {
	const overlap = 8
	left, last := l.DecodedBytes, int64(0)
	buf := make([]byte, min(src.size, 256<<10)+overlap)
	for off := int64(0); off < src.size; off += int64(len(buf) - overlap) {
		n, _ := src.ReadAt(buf, off)
		if src.err != nil {
			return src.err
		}
		for _, at := range xrefOrEncrypt.FindAllIndex(buf[:n], -1) {
			if string(buf[at[0]:at[1]]) == "/Encrypt" {
				return refuse(ErrDamaged, "it is encrypted")
			}
			start := streamStart(src, off+int64(at[1]))
			if start <= last {
				continue
			}
			last = start
			if left -= grown(io.NewSectionReader(src, start, src.size-start), left+1); left < 0 {
				return errInflates()
			}
		}
	}
	return nil
}

// streamStart returns where the data of the dictionary around off starts, 0 for none.
func streamStart(r io.ReaderAt, off int64) int64 {
	var head [1 << 10]byte
	n, _ := r.ReadAt(head[:], off)
	i := bytes.Index(head[:n], []byte("stream"))
	if i < 0 {
		return 0
	}
	i += len("stream")
	for _, eol := range []byte("\r\n") {
		if i < n && head[i] == eol {
			i++
		}
	}
	return off + int64(i)
}

// grown returns how many bytes come out of a zlib stream, at most the given number.
func grown(r io.Reader, most int64) int64 {
	z, err := zlib.NewReader(r)
	if err != nil {
		return 0
	}
	n, _ := io.CopyN(io.Discard, z, most)
	return n
}
