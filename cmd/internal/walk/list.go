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

// ReadList reads one path a line, in their order. Lines end in \n or \r\n, or in NUL where there is
// one among the first 64 KiB; empty ones are ignored. The list is never nil beside a nil error.
func ReadList(r io.Reader) ([]Listed, error) {
	in := bufio.NewReaderSize(r, listedPathLimit+2) // the longest path with its end
	head, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := byte('\n')
	if bytes.IndexByte(head, 0) >= 0 {
		end = 0
	}
	list := []Listed{}
	for number := 1; ; number++ {
		line, err := in.ReadSlice(end)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte{end})
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
			if number == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff")) // of editors that mark UTF-8
			}
		}
		switch {
		case len(line) > listedPathLimit:
			return nil, fmt.Errorf("line %d: longer than %d bytes; this is not a list of files", number, listedPathLimit)
		case bytes.IndexByte(line, 0) >= 0:
			return nil, fmt.Errorf("line %d: a NUL byte in a list with one path per line", number)
		case len(line) > 0:
			list = append(list, Listed{Path: string(line)})
		}
		if err != nil {
			return list, nil
		}
	}
}
