package partition

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition/internal/filestat"
)

// maxRenewals is how often a document that changes while it is sent is begun again.
const maxRenewals = 2

var errChanged = errors.New("changed while it was sent")

// A version is the content of a document as one look at its file found it. What is sent is checked
// against it, so that a request has bytes of one version only.
type version struct {
	source io.ReaderAt
	size   int64
	stat   func() (filestat.Stat, error) // nil: nothing but the content tells whether it has changed
	free   func() error                  // closes the source, where it is the version's own; else nil
	users  int                           // the document's mutex guards it

	mu      sync.Mutex
	seen    filestat.Stat // before the content was read
	sum     string        // of the content, once it is known
	changed atomic.Bool
}

// newVersion looks at a source; size -1 is the file's.
func newVersion(source io.ReaderAt, size int64) (*version, error) {
	v := &version{source: source, size: size}
	file, ok := source.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return v, nil
	}
	v.stat = func() (filestat.Stat, error) {
		taken := time.Now()
		info, err := file.Stat()
		if err != nil {
			return filestat.Stat{}, err
		}
		return filestat.Of(info, taken), nil
	}
	var err error
	if v.seen, err = v.stat(); err != nil {
		return nil, err
	}
	if size < 0 {
		v.size = v.seen.Size
	}
	return v, nil
}

// stale reports whether the content has changed.
func (v *version) stale() bool { return v.changed.Load() }

// hash returns the hash of the content. It reads it once.
func (v *version) hash(ctx context.Context) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.sum != "":
		return v.sum, nil
	case v.stale():
		return "", errChanged
	}
	sum, err := v.read(ctx)
	if err != nil {
		return "", err
	}
	if now, err := v.look(); err != nil || !now.SameContent(v.seen) {
		return "", v.differs(err)
	}
	v.sum = sum
	return sum, nil
}

// confirm checks the hash of what was sent as the whole content.
func (v *version) confirm(sum string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, err := v.look()
	switch {
	case err != nil:
		return v.differs(err)
	case v.stale(), now.Size != v.seen.Size, v.sum != "" && v.sum != sum, v.sum == "" && !now.SameContent(v.seen):
		return v.differs(nil)
	}
	v.sum = sum
	return nil
}

// verify checks that what was read until now is of this version: by the times of the file where they
// can be trusted, else by its content.
func (v *version) verify(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, err := v.look()
	switch {
	case err != nil:
		return v.differs(err)
	case v.stale() || !now.SameContent(v.seen):
		return v.differs(nil)
	case now.Same(v.seen) && (v.stat == nil || v.sum == "" || v.seen.Trusted()):
		return nil
	case v.sum == "":
		return v.differs(nil)
	}
	sum, err := v.read(ctx)
	if err != nil {
		return err
	}
	if sum != v.sum {
		return v.differs(nil)
	}
	v.seen = now // its times are to be trusted from now on, if they are old enough
	return nil
}

// needsHash reports whether the content must be hashed for [version.verify] to tell anything.
func (v *version) needsHash() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stat != nil && !v.seen.Trusted()
}

func (v *version) look() (filestat.Stat, error) {
	if v.stat == nil {
		return v.seen, nil
	}
	return v.stat()
}

// differs notes that the content has changed, unless a look at it failed.
func (v *version) differs(failed error) error {
	if failed != nil {
		return failed
	}
	v.changed.Store(true)
	return errChanged
}

// read hashes the content.
func (v *version) read(ctx context.Context) (string, error) {
	h := sha256.New()
	n, err := io.Copy(h, &contextReader{ctx, io.NewSectionReader(v.source, 0, v.size)})
	if err == nil && n < v.size {
		err = v.differs(nil)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}
