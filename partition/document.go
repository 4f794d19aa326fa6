package partition

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/quire-dev/quire/partition/internal/media"
	"github.com/quire-dev/quire/partition/internal/spool"
)

// A Document is a file to be partitioned: a name, a media type and bytes that can be read more than
// once. Several calls may use one document at once. The caller who made it closes it after the last
// call.
type Document struct {
	name      string                             // as given, for messages
	mediaType string                             // the caller's choice, "" to detect
	open      func() (io.ReaderAt, int64, error) // nil where source is set from the start
	unusable  error                              // why it cannot be used; nil where it can

	mu     sync.Mutex
	source io.ReaderAt
	size   int64
	sum    string // of the content, once it was asked for
	closed bool
}

// A DocumentOption changes how a document is presented to the server.
type DocumentOption func(*Document)

// WithName sets the name that the server sees and uses to compute element ids. Only the last path
// element is sent.
func WithName(name string) DocumentOption { return func(d *Document) { d.name = name } }

// WithMediaType sets the media type. Without it, the type is detected from the content and the
// name.
func WithMediaType(mediaType string) DocumentOption {
	return func(d *Document) { d.mediaType = mediaType }
}

// spoolMemory is up to how many bytes [FromReader] keeps in memory; what is longer goes to a
// private temporary file.
const spoolMemory = 8 << 20

var (
	errEmptyDocument = errors.New("empty file")
	errClosed        = errors.New("document is closed")
	errNilDocument   = errors.New("document is nil")
	errZeroDocument  = errors.New("document was not made by Open, FromReader or FromReaderAt")
)

// Open returns the document in the file at path. Open only checks that there is a regular file at
// path; the file is opened when it is needed.
func Open(path string, options ...DocumentOption) (*Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, localError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, localError(path, fmt.Errorf("not a regular file (%s)", fileKind(info.Mode())))
	}
	d := newDocument(path, options)
	d.open = func() (io.ReaderAt, int64, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, 0, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
		return file, info.Size(), nil
	}
	if d.unusable != nil {
		return nil, localError(path, d.unusable)
	}
	return d, nil
}

// FromReaderAt returns the document in the first size bytes of r. If r is an [io.Closer],
// [Document.Close] closes it. If r or an option is nil, or the size is negative, every use of the
// document is an error that says so.
func FromReaderAt(name string, r io.ReaderAt, size int64, options ...DocumentOption) *Document {
	d := newDocument(name, options)
	switch {
	case d.unusable != nil:
	case isNil(r):
		d.unusable = errors.New("the reader is nil")
	case size < 0:
		d.unusable = fmt.Errorf("size of %d bytes: negative", size)
	}
	if !isNil(r) {
		d.source, d.size = r, size
	}
	return d
}

// FromReader reads r to its end and returns the document. Up to 8 MiB stay in memory; a longer
// document goes to a temporary file with mode 0600, which [Document.Close] removes. Reading stops
// when ctx ends, but a Read of r that blocks is not interrupted.
func FromReader(ctx context.Context, name string, r io.Reader, options ...DocumentOption) (*Document, error) {
	d := newDocument(name, options)
	switch {
	case d.unusable != nil:
		return nil, localError(name, d.unusable)
	case ctx == nil:
		return nil, localError(name, errNilContext)
	case isNil(r):
		return nil, localError(name, errors.New("the reader is nil"))
	}
	file, err := spool.Read(&contextReader{ctx, r}, spoolMemory)
	if err != nil {
		return nil, localError(name, err)
	}
	d.source, d.size = file, file.Size()
	return d, nil
}

func newDocument(name string, options []DocumentOption) *Document {
	d := &Document{name: name}
	for _, option := range options {
		if option == nil {
			d.unusable = errNilOption
			continue
		}
		option(d)
	}
	return d
}

// Name returns the document's name as it was given; "" for a nil document.
func (d *Document) Name() string {
	if d == nil {
		return ""
	}
	return d.name
}

// Close frees what the document holds, used or not. Later calls with the document fail; those that
// still read it may fail. Closing twice, or closing a nil document, is no error.
func (d *Document) Close() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	if closer, ok := d.source.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// SHA256 returns the hash of the document's content, in lower-case hexadecimal. It reads the
// content once, at the first call. Reading stops when ctx ends.
func (d *Document) SHA256(ctx context.Context) (string, error) {
	if ctx == nil {
		return "", localError(d.Name(), errNilContext)
	}
	source, size, err := d.acquire()
	if err != nil {
		return "", localError(d.Name(), err)
	}
	d.mu.Lock()
	sum := d.sum
	d.mu.Unlock()
	if sum != "" {
		return sum, nil
	}
	if sum, err = hashOf(ctx, source, size); err != nil {
		return "", localError(d.name, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sum = sum
	return sum, nil
}

// hashOf reads size bytes of source.
func hashOf(ctx context.Context, source io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, &contextReader{ctx, io.NewSectionReader(source, 0, size)}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// acquire opens the document if it is not open, and returns its content.
func (d *Document) acquire() (io.ReaderAt, int64, error) {
	if d == nil {
		return nil, 0, errNilDocument
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.unusable != nil:
		return nil, 0, d.unusable
	case d.closed:
		return nil, 0, errClosed
	case d.source == nil && d.open == nil:
		return nil, 0, errZeroDocument
	case d.source == nil:
		source, size, err := d.open()
		if err != nil {
			return nil, 0, err
		}
		d.source, d.size = source, size
	}
	return d.source, d.size, nil
}

var windowsDirectory = regexp.MustCompile(`^([A-Za-z]:|\\\\).*\\`)

// wireName is the name that the server sees: the last element of the name, never a local directory,
// always UTF-8. A document without a name gets one from its media type, for the server wants one.
func (d *Document) wireName(mediaType string) string {
	name := d.name
	if prefix := windowsDirectory.FindString(name); prefix != "" {
		name = name[len(prefix):]
	}
	name = strings.ToValidUTF8(filepath.Base(name), "\uFFFD")
	if name == "." || name == string(filepath.Separator) {
		name = "document"
		if t, known := media.Known(mediaType); known {
			return name + t.Extensions[0]
		}
	}
	return name
}

func fileKind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}

// contextReader ends a read loop when its context ends. A Read that hangs is not interrupted.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
