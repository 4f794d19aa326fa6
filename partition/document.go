package partition

import (
	"context"
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
	name      string                   // as given, for messages
	mediaType string                   // the caller's choice, "" to detect
	look      func() (*version, error) // nil of the zero document
	unusable  error                    // why it cannot be used; nil where it can
	reader    io.Closer                // of the caller's; nil where there is none to close

	mu       sync.Mutex
	version  *version // nil until it is needed
	renewals int      // since a call ended without a change
	closed   bool
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
	d := newDocument(path, options, func() (*version, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		v, err := newVersion(file, -1)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		v.free = file.Close
		return v, nil
	})
	if d.unusable != nil {
		return nil, localError(path, d.unusable)
	}
	return d, nil
}

// FromReaderAt returns the document in the first size bytes of r. If r is an [io.Closer],
// [Document.Close] closes it. If r has the method Stat of [os.File], a change of its content while
// it is sent is noticed as it is for [Open]; else only that of a document that is sent whole. If r or
// an option is nil, or the size is negative, every use of the document is an error that says so.
func FromReaderAt(name string, r io.ReaderAt, size int64, options ...DocumentOption) *Document {
	d := newDocument(name, options, func() (*version, error) { return newVersion(r, size) })
	switch {
	case d.unusable != nil:
	case isNil(r):
		d.unusable = errors.New("the reader is nil")
	case size < 0:
		d.unusable = fmt.Errorf("size of %d bytes: negative", size)
	}
	if !isNil(r) {
		d.reader, _ = r.(io.Closer)
	}
	return d
}

// FromReader reads r to its end and returns the document. Up to 8 MiB stay in memory; a longer
// document goes to a temporary file with mode 0600, which [Document.Close] removes. Reading stops
// when ctx ends, but a Read of r that blocks is not interrupted.
func FromReader(ctx context.Context, name string, r io.Reader, options ...DocumentOption) (*Document, error) {
	switch {
	case ctx == nil:
		return nil, localError(name, errNilContext)
	case isNil(r):
		return nil, localError(name, errors.New("the reader is nil"))
	}
	for _, option := range options {
		if option == nil {
			return nil, localError(name, errNilOption)
		}
	}
	file, err := spool.Read(&contextReader{ctx, r}, spoolMemory)
	if err != nil {
		return nil, localError(name, err)
	}
	return FromReaderAt(name, file, file.Size(), options...), nil
}

func newDocument(name string, options []DocumentOption, look func() (*version, error)) *Document {
	d := &Document{name: name, look: look}
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
	var err error
	if d.version != nil && d.version.free != nil {
		err = d.version.free()
	}
	if d.reader != nil {
		err = errors.Join(err, d.reader.Close())
	}
	return err
}

// SHA256 returns the hash of the document's content, in lower-case hexadecimal: after a call that
// sent the document, that of what was sent. It reads the content at most once. If the content
// changes meanwhile, or has changed before its hash was known, the error has [KindChanged]. Reading
// stops when ctx ends.
func (d *Document) SHA256(ctx context.Context) (string, error) {
	if ctx == nil {
		return "", localError(d.Name(), errNilContext)
	}
	v, err := d.acquire()
	if err != nil {
		return "", localError(d.Name(), err)
	}
	defer d.release(v)
	sum, err := v.hash(ctx)
	if err != nil {
		return "", localError(d.name, err)
	}
	return sum, nil
}

// acquire returns the version of the content that the document has. It is released after use.
func (d *Document) acquire() (*version, error) {
	if d == nil {
		return nil, errNilDocument
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.unusable != nil:
		return nil, d.unusable
	case d.closed:
		return nil, errClosed
	case d.look == nil:
		return nil, errZeroDocument
	}
	if d.version == nil {
		v, err := d.look()
		if err != nil {
			return nil, err
		}
		d.version = v
	}
	d.version.users++
	return d.version, nil
}

// renewed is acquire for a call that sends: where the content was found changed, it looks again.
func (d *Document) renewed() (*version, error) {
	if d == nil {
		return nil, errNilDocument
	}
	d.mu.Lock()
	if v := d.version; v != nil && v.stale() && !d.closed {
		if d.renewals == maxRenewals {
			d.mu.Unlock()
			return nil, errChanged
		}
		d.renewals++
		d.version = nil
		d.freeUnused(v)
	}
	d.mu.Unlock()
	return d.acquire()
}

// renewable reports whether a document that has changed can be begun again.
func (d *Document) renewable() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.closed && d.renewals < maxRenewals
}

// unchanged notes that the document was sent.
func (d *Document) unchanged() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renewals = 0
}

func (d *Document) release(v *version) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v.users--
	d.freeUnused(v)
}

// freeUnused frees an earlier version after its last use.
func (d *Document) freeUnused(v *version) {
	if v != d.version && v.users == 0 && v.free != nil {
		_ = v.free() // it was only read
	}
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
