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
	leave, err := t.join(ctx, v.Size)
	if err != nil {
		yield(element.Element{}, err)
		return false
	}
	defer leave()
	e, err := read(stored, v)
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

func read(stored io.ReaderAt, v jsonlist.Value) (element.Element, error) {
	raw := make([]byte, v.Size)
	if _, err := stored.ReadAt(raw, v.At); err != nil {
		return element.Element{}, err
	}
	return element.Parse(raw)
}
