package walk

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// listedPathLimit is how many bytes a path in a list may have: more than any system opens.
const listedPathLimit = 64 << 10

// errNoList is what has NULs and is no list of paths that end in one. UTF-16 without a byte order
// mark is the usual case: each of its characters would be a path, and / the whole disk.
var errNoList = errors.New("neither a path per line nor paths that end in NUL; UTF-16 needs a byte order mark")

// ReadList reads one path a line, in their order. Lines end in \n or \r\n; empty ones are ignored.
// Where there is a NUL among the first 64 KiB, paths end in NUL instead. Then an empty one, a line
// end as a path, and two of one byte in a row are errors: they are what other text looks like. See
// [Decoded] for the encoding. The list is never nil beside a nil error.
func ReadList(r io.Reader) ([]Listed, error) {
	in := bufio.NewReaderSize(Decoded(r), listedPathLimit+2) // the longest path with its end
	head, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := byte('\n')
	if bytes.IndexByte(head, 0) >= 0 {
		end = 0
	}
	list := []Listed{}
	short := false // the path before has one byte
	for number := 1; ; number++ {
		line, err := in.ReadSlice(end)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte{end})
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		switch {
		case len(line) > listedPathLimit:
			return nil, fmt.Errorf("line %d: longer than %d bytes; this is not a list of files", number, listedPathLimit)
		case bytes.IndexByte(line, 0) >= 0:
			return nil, fmt.Errorf("line %d: a NUL byte in a list with one path per line", number)
		case end == 0 && (len(line) == 0 && err == nil || short && len(line) == 1 || string(line) == "\n" || string(line) == "\r"):
			return nil, errNoList
		case len(line) > 0:
			short = len(line) == 1
			list = append(list, Listed{Path: string(line)})
		}
		if err != nil {
			return list, nil
		}
	}
}
