package split

// Limits bound what a document may cost; the zero value of a field means its default. A document
// beyond them is refused with [ErrTooLarge]. Defaults that depend on the file's size are far above
// what real files need (in 2,700 files streams grew at most tenfold, and no file had an object per
// 8 bytes), yet keep a small hostile file small.
type Limits struct {
	// Objects is the most entries of the cross-reference table. Default 100,000 plus one for every
	// 8 bytes of the file, at most 8,000,000.
	Objects int

	// DecodedBytes is the most bytes that may come out of compressed streams that the reader itself
	// must look into: for the document's structure, and again for the content of each chunk. What
	// is only copied is never decompressed. Default 16 MiB plus 16 times the file's size.
	DecodedBytes int64

	// Depth is how deep arrays, dictionaries and the page tree may nest. Default 100.
	Depth int

	// Pages is the most pages. Default 500,000.
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
