package split

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
	"errors"
	"io"
	"slices"
	"sync"

	pdffilter "github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// stream is a stream object. Its bytes stay in the file.
type stream struct {
	types.Dict
	number, generation int

	at, length int64 // where its bytes lie in the file
	size       int64 // how many they are once decrypted
	method     method
	key        []byte
}

// image reports whether it is the picture of an image.
func (s *stream) image() bool {
	return s.Dict["Type"] == types.Name("XObject") && s.Dict["Subtype"] == types.Name("Image")
}

// reader returns the bytes of the stream as they are to be copied, of which there are size: read
// from the file, and decrypted.
func (s *stream) reader(file io.ReaderAt) io.ReaderAt {
	switch {
	case s.size == 0:
		return bytes.NewReader(nil)
	case s.method == rc4V2:
		return &rc4Reader{file: io.NewSectionReader(file, s.at, s.length), key: s.key}
	case s.method == aesV2, s.method == aesV3:
		return &aesReader{file: file, at: s.at, size: s.size, key: s.key}
	}
	return io.NewSectionReader(file, s.at, s.length)
}

// bytes reads the whole stream.
func (s *stream) bytes(file io.ReaderAt) ([]byte, error) {
	return s.appendTo(nil, file)
}

// appendTo reads the whole stream to the end of b.
func (s *stream) appendTo(b []byte, file io.ReaderAt) ([]byte, error) {
	start := len(b)
	b = slices.Grow(b, int(s.size))[:start+int(s.size)]
	if n, err := s.reader(file).ReadAt(b[start:], 0); n < len(b)-start {
		return b[:start], noEOF(err)
	}
	return b, nil
}

func noEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// seal takes the measure of an encrypted stream. It is false where readers do not agree on what
// such a stream says.
func (s *stream) seal(c *crypt, m method, src io.ReaderAt) bool {
	s.size, s.method = s.length, m
	switch m {
	case plain:
		return true
	case foreign:
		return false
	}
	s.key = c.objectKey(m, s.number, s.generation)
	if m == rc4V2 {
		return true
	}
	if s.length < 2*aes.BlockSize {
		s.size = 0 // no room for a block
		return s.length == 0 || s.length == aes.BlockSize
	}
	if s.length%aes.BlockSize != 0 {
		return false
	}
	s.size = s.length - aes.BlockSize
	last := make([]byte, aes.BlockSize)
	if n, _ := s.reader(src).ReadAt(last, s.size-aes.BlockSize); n < len(last) {
		return false
	}
	s.size -= int64(len(last) - len(unpadded(last)))
	return true
}

// aesReader decrypts a range of the file: an initial vector, and blocks each of which is decrypted
// with the one before it.
type aesReader struct {
	file io.ReaderAt
	at   int64 // of the initial vector
	size int64 // without it and the padding
	key  []byte
}

var blockBuffers = sync.Pool{New: func() any { return new([copySize + 2*aes.BlockSize]byte) }}

// copySize is how much of a stream is read at a time.
const copySize = 128 << 10

func (r *aesReader) ReadAt(p []byte, off int64) (n int, err error) {
	block, err := aes.NewCipher(r.key)
	if err != nil {
		return 0, err
	}
	buf := blockBuffers.Get().(*[copySize + 2*aes.BlockSize]byte)
	defer blockBuffers.Put(buf)
	for n < len(p) {
		at := off + int64(n)
		if at >= r.size {
			return n, io.EOF
		}
		skip := at % aes.BlockSize
		want := min(int64(len(p)-n), copySize, r.size-at)
		blocks := (skip + want + aes.BlockSize - 1) / aes.BlockSize * aes.BlockSize
		in := buf[:aes.BlockSize+blocks]
		if got, err := r.file.ReadAt(in, r.at+at-skip); got < len(in) {
			return n, noEOF(err)
		}
		text := in[aes.BlockSize:]
		cipher.NewCBCDecrypter(block, bytes.Clone(in[:aes.BlockSize])).CryptBlocks(text, text)
		n += copy(p[n:], text[skip:skip+want])
	}
	return n, nil
}

// rc4Reader decrypts a range of the file with a key stream that starts with it. It keeps its place
// for who reads on.
type rc4Reader struct {
	file *io.SectionReader
	key  []byte

	mu     sync.Mutex
	cipher *rc4.Cipher
	next   int64
}

func (r *rc4Reader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.file.ReadAt(p, off)
	if n == 0 {
		return n, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cipher == nil || off < r.next {
		c, err := rc4.NewCipher(r.key)
		if err != nil {
			return 0, err
		}
		r.cipher, r.next = c, 0
	}
	for skip := [1024]byte{}; r.next < off; {
		step := skip[:min(int64(len(skip)), off-r.next)]
		r.cipher.XORKeyStream(step, step)
		r.next += int64(len(step))
	}
	r.cipher.XORKeyStream(p[:n], p[:n])
	r.next += int64(n)
	return n, err
}

// Names that are standardized for images in a content, and understood everywhere.
var filterAliases = map[types.Name]types.Name{
	"AHx": pdffilter.ASCIIHex, "A85": pdffilter.ASCII85, "LZW": pdffilter.LZW, "Fl": pdffilter.Flate,
	"RL": pdffilter.RunLength, "CCF": pdffilter.CCITTFax, "DCT": pdffilter.DCT,
}

// spellFilters writes the names of filters out.
func spellFilters(d types.Dict) {
	switch o := d["Filter"].(type) {
	case types.Name:
		if full, ok := filterAliases[o]; ok {
			d["Filter"] = full
		}
	case types.Array:
		for i, name := range o {
			if name, ok := name.(types.Name); ok && filterAliases[name] != "" {
				o[i] = filterAliases[name]
			}
		}
	}
}

// filters returns the filters of a stream, and false where they cannot be told.
func (v *view) filters(d types.Dict) ([]types.PDFFilter, bool) {
	var names, parms types.Array
	switch o := v.follow(d["Filter"]).(type) {
	case nil:
		return nil, v.err == nil
	case types.Name:
		names = types.Array{o}
	case types.Array:
		names = o
	default:
		return nil, false
	}
	switch o := v.follow(d["DecodeParms"]).(type) {
	case types.Dict:
		parms = types.Array{o}
	case types.Array:
		parms = o
	}
	all := make([]types.PDFFilter, len(names))
	for i, o := range names {
		name, ok := v.follow(o).(types.Name)
		if !ok {
			return nil, false
		}
		if full, ok := filterAliases[name]; ok {
			name = full
		}
		all[i].Name = string(name)
		if i >= len(parms) {
			continue
		}
		if d := v.dict(parms[i]); len(d) > 0 {
			all[i].DecodeParms = types.Dict{}
			for key, value := range d {
				all[i].DecodeParms[key] = v.follow(value)
			}
		}
	}
	return all, v.err == nil
}
