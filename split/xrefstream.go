package split

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
)

var xrefStream = regexp.MustCompile(`/XRef\b`)

// checkXRefStreams refuses a file with cross-reference streams that grow beyond
// the limit, which pdfcpu does not keep for these streams. Files above
// 32 MiB are not worth the search: they may take as much memory anyway.
func checkXRefStreams(r io.ReaderAt, size int64, l Limits) error {
	const worth = 32 * mebi
	if size > worth {
		return nil
	}
	const overlap = 8
	left, last := l.DecodedBytes, int64(0)
	buf := make([]byte, min(size, 256<<10)+overlap)
	for off := int64(0); off < size; off += int64(len(buf) - overlap) {
		n, err := r.ReadAt(buf, off)
		if err != nil && err != io.EOF {
			return err
		}
		for _, at := range xrefStream.FindAllIndex(buf[:n], -1) {
			start := streamStart(r, off+int64(at[1]))
			if start <= last {
				continue
			}
			last = start
			if left -= grown(r, start, size, left+1); left < 0 {
				return errInflates()
			}
		}
	}
	return nil
}

// streamStart returns where the data of the dictionary around off starts, 0 for
// none.
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

// grown returns how many bytes come out of the zlib stream at start, at most
// the given number.
func grown(r io.ReaderAt, start, size, most int64) int64 {
	z, err := zlib.NewReader(io.NewSectionReader(r, start, size-start))
	if err != nil {
		return 0
	}
	n, _ := io.CopyN(io.Discard, z, most)
	return n
}
