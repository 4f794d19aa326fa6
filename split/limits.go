package split

// Limits limit what a document may cost; a field of zero or less means its default. A document that exceeds a
// limit is refused with [ErrTooLarge]. Defaults that depend on the file's size are far above what
// real files need: in 2,700 files streams grew at most tenfold, and no file had an object per 8
// bytes. Still, a small hostile file can take only little memory.
type Limits struct {
	// Objects is the most entries of the cross-reference table. The default is 100,000 plus one for
	// every 8 bytes of the file, but at most 8,000,000.
	Objects int

	// DecodedBytes is the most bytes to decompress from streams that the reader has to read. It
	// holds once for the document's structure and again for the content of each chunk. Streams that
	// are only copied are never decompressed. The default is 16 MiB plus 16 times the file's size.
	DecodedBytes int64

	// Depth is how deep arrays, dictionaries and the page tree may be nested. The default is 100.
	Depth int

	// Pages is the most pages. The default is 500,000.
	Pages int
}

const mebi = 1 << 20

func (l Limits) withDefaults(size int64) Limits {
	if l.Objects <= 0 {
		l.Objects = int(min(100_000+size/8, 8_000_000))
	}
	if l.DecodedBytes <= 0 {
		l.DecodedBytes = 16*mebi + 16*size
	}
	if l.Depth <= 0 {
		l.Depth = 100
	}
	if l.Pages <= 0 {
		l.Pages = 500_000
	}
	return l
}
