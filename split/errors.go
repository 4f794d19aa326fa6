package split

import (
	"errors"
	"fmt"
)

// The kinds of refusal, for [errors.Is]. The errors that [Open] and [Document.Chunk] return carry
// the reason as well, in one line.
var (
	// ErrNotPDF: the content is no PDF, whatever the file's name says.
	ErrNotPDF = errors.New("not a PDF")

	// ErrEncrypted: the document needs a password, or the one given does not open it. It was
	// checked against the document: damage, and encryption that is not supported, are an
	// [ErrDamaged].
	ErrEncrypted = errors.New("encrypted PDF")

	// ErrDamaged: it is a PDF, but its structure cannot be followed.
	ErrDamaged = errors.New("damaged PDF")

	// ErrNoPages: it is a PDF without a single page. It is an [ErrDamaged] too.
	ErrNoPages = fmt.Errorf("%w: no pages", ErrDamaged)

	// ErrTooLarge: reading it would take more than [Limits] allow.
	ErrTooLarge = errors.New("PDF too large")
)

// ErrPages reports a page range that the document does not have.
var ErrPages = errors.New("no such pages")

func refuse(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
}
