package cache

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// An entry's file, in version 1:
//
//	"quire-cache 1\n"   the format and its version
//	key                 32 bytes
//	content             any number of bytes
//	checksum            32 bytes: SHA-256 of all that is before it
//
// The checksum comes last, so that an entry is written in one go. It covers the key, so that a file
// under the name of another one is noticed.
const (
	format  = "quire-cache "
	version = "1\n"

	headLen  = len(format) + len(version) + sha256.Size
	emptyLen = int64(headLen + sha256.Size)

	// Entries of up to so many bytes are read once, into memory; larger ones are read twice, and
	// never held in memory.
	inMemory = 256 << 10
)

// newSum begins the checksum of an entry with what every entry of the key begins with.
func newSum(key [32]byte) hash.Hash {
	sum := sha256.New()
	io.WriteString(sum, format+version) //nolint:errcheck // a hash does not fail
	sum.Write(key[:])
	return sum
}

// writeEntry writes an entry whose content write writes.
func writeEntry(w io.Writer, key [32]byte, write func(io.Writer) error) error {
	sum := newSum(key)
	buffered := bufio.NewWriterSize(w, 32<<10)
	buffered.WriteString(format + version) //nolint:errcheck // Flush returns the error
	buffered.Write(key[:])                 //nolint:errcheck // see above
	if err := write(io.MultiWriter(buffered, sum)); err != nil {
		return err
	}
	buffered.Write(sum.Sum(nil)) //nolint:errcheck // see above
	return buffered.Flush()
}

// readEntry checks the whole entry of size bytes in r and returns its content. The error is
// [ErrDamaged], [ErrVersion], or one of r's.
func readEntry(r io.ReaderAt, size int64, key [32]byte) (io.Reader, error) {
	head := make([]byte, min(int64(headLen), size))
	if err := readFull(r, head, 0); err != nil {
		return nil, err
	}
	switch {
	case !bytes.HasPrefix(head, []byte(format)):
		return nil, damaged("not an entry")
	case !bytes.HasPrefix(head[len(format):], []byte(version)):
		return nil, unknownVersion(head[len(format):])
	case size < emptyLen:
		return nil, damaged("cut short, %d bytes", size)
	case !bytes.HasSuffix(head, key[:]):
		return nil, damaged("it has the key of another entry")
	}

	if size <= inMemory {
		whole := make([]byte, size)
		if err := readFull(r, whole, 0); err != nil {
			return nil, err
		}
		rest, want := whole[:size-sha256.Size], whole[size-sha256.Size:]
		if sha256.Sum256(rest) != [sha256.Size]byte(want) {
			return nil, damaged("wrong checksum")
		}
		return bytes.NewReader(rest[headLen:]), nil
	}
	var want [sha256.Size]byte
	if err := readFull(r, want[:], size-sha256.Size); err != nil {
		return nil, err
	}
	// A buffer of its own: io.Discard reads in small pieces.
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, newContent(r, size, key, want), make([]byte, 64<<10)); err != nil {
		return nil, err
	}
	return newContent(r, size, key, want), nil
}

// unknownVersion distinguishes the version of another release, a short line of digits, from damage.
func unknownVersion(after []byte) error {
	line, _, found := bytes.Cut(after[:min(len(after), 16)], []byte("\n"))
	if !found || len(line) == 0 {
		return damaged("no version")
	}
	for _, c := range line {
		if c < '0' || c > '9' {
			return damaged("no version")
		}
	}
	return fmt.Errorf("%w: version %s, this release reads version %s", ErrVersion, line, version[:1])
}

func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return damaged("cut short while it was read")
	}
	return err
}

// content reads an entry's content and, at its end, checks it.
type content struct {
	r    *io.SectionReader
	left int64
	sum  hash.Hash
	want [sha256.Size]byte
}

func newContent(r io.ReaderAt, size int64, key, want [32]byte) *content {
	n := size - emptyLen
	return &content{r: io.NewSectionReader(r, int64(headLen), n), left: n, sum: newSum(key), want: want}
}

// Read reads; in place of the end of the file it returns [ErrDamaged] where the content is not what
// was written.
func (c *content) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.left -= int64(n)
	c.sum.Write(p[:n])
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if c.left != 0 {
		return n, damaged("cut short while it was read")
	}
	if [sha256.Size]byte(c.sum.Sum(nil)) != c.want {
		return n, damaged("wrong checksum")
	}
	return n, io.EOF
}
