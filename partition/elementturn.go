package partition

import (
	"context"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/jsonlist"
)

const (
	// elementMemory bounds what the large elements of a client take at once, in bytes, but for one that
	// takes more by itself.
	elementMemory = 64 << 20
	// elementCopies is how often the bytes of an element are in memory while it is decoded: as JSON,
	// unescaped, and as the text of a field.
	elementCopies = 3
)

// elementTurns let large elements into memory in turn, whichever document they are of, first come,
// first served.
type elementTurns struct {
	memory *semaphore.Weighted
	hold   bool // until the loop over the elements goes on; else until an element is decoded
}

func newElementTurns(hold bool) elementTurns {
	return elementTurns{memory: semaphore.NewWeighted(elementMemory), hold: hold}
}

// held is for a loop that waits for no other document.
func (t elementTurns) held() elementTurns { return elementTurns{memory: t.memory, hold: true} }

// decode yields an element of a stored list, and reports whether the loop goes on.
func (t elementTurns) decode(ctx context.Context, stored io.ReaderAt, v jsonlist.Value, yield func(element.Element, error) bool) bool {
	if v.Whole() {
		var e element.Element
		err := e.UnmarshalJSON(v.Head)
		return yield(e, err) && err == nil
	}
	raw, leave, err := t.bytes(ctx, stored, v)
	if err != nil {
		yield(element.Element{}, err)
		return false
	}
	defer leave()
	e, err := element.Parse(raw)
	if !t.hold {
		leave()
	}
	return yield(e, err) && err == nil
}

// join waits for the turn of an element of so many bytes. leave may be called more than once.
func (t elementTurns) join(ctx context.Context, size int64) (leave func(), err error) {
	taken := min(elementCopies*size, elementMemory)
	if t.memory.Acquire(ctx, taken) != nil {
		return nil, context.Cause(ctx)
	}
	if taken == elementMemory {
		runtime.GC() // of an element before this one as much is left, which the collector would let double
	}
	return sync.OnceFunc(func() { t.memory.Release(taken) }), nil
}

// bytes returns an element's bytes: a small one's until the next is read, a large one's in its turn.
func (t elementTurns) bytes(ctx context.Context, stored io.ReaderAt, v jsonlist.Value) (raw []byte, leave func(), err error) {
	if v.Whole() {
		return v.Head, func() {}, nil
	}
	if leave, err = t.join(ctx, v.Size); err != nil {
		return nil, nil, err
	}
	raw = make([]byte, v.Size)
	if _, err := stored.ReadAt(raw, v.At); err != nil {
		leave()
		return nil, nil, err
	}
	return raw, leave, nil
}
