package split

import (
	"io"
	"regexp"
)

// eachMatch searches a file for short pieces of text, and calls found with the
// offset of their end, until it returns false. It may do so twice for one piece.
func eachMatch(r io.ReaderAt, text *regexp.Regexp, found func(end int64) bool) {
	const overlap = 64
	buf := make([]byte, 256<<10)
	for off := int64(0); ; off += int64(len(buf) - overlap) {
		n, err := r.ReadAt(buf, off)
		for _, at := range text.FindAllIndex(buf[:n], -1) {
			if !found(off + int64(at[1])) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
