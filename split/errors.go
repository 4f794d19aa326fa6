package split

import (
	"errors"
	"fmt"
)

// The reasons to refuse a document, for errors.Is. The errors that [Open] and [Document.Chunk]
// return wrap them and add details in one line.
var (
	// ErrNotPDF: the content is not a PDF, whatever the file's name says.
	ErrNotPDF = errors.New("not a PDF")

	// ErrEncrypted: the document needs a password, or the given one is wrong. If the document is
	// damaged, or its encryption is not supported, the error is [ErrDamaged] instead.
	ErrEncrypted = errors.New("encrypted PDF")

	// ErrDamaged: it is a PDF, but its structure cannot be followed.
	ErrDamaged = errors.New("damaged PDF")

	// ErrNoPages: it is a PDF without pages. It wraps [ErrDamaged].
	ErrNoPages = fmt.Errorf("%w: no pages", ErrDamaged)

	// ErrTooLarge: reading the PDF would exceed the [Limits].
	ErrTooLarge = errors.New("PDF too large")
)

// ErrPages means that the document does not have the pages of a range.
var ErrPages = errors.New("no such pages")

func refuse(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
}
