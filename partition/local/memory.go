package local

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"
)

const (
	maxSandbox   = 256 << 20 // bytes of memory of one PDF's reader
	largeSandbox = 64 << 20  // bytes of memory above which one PDF is read at a time
)

// A memoryLimit bounds the memory of all documents under way. All texts together are no longer than
// the longest one that is read; PDFs whose reader takes more than largeSandbox are read one at a
// time.
type memoryLimit struct {
	texts *semaphore.Weighted
	large chan struct{}
}

func newMemoryLimit() *memoryLimit {
	return &memoryLimit{texts: semaphore.NewWeighted(maxText), large: make(chan struct{}, 1)}
}

// turn waits until a text of size bytes may be read. The caller calls done once it has been read.
func (b *memoryLimit) turn(ctx context.Context, size int64) (done func(), err error) {
	size = min(size, maxText) // a longer one is refused
	if err := b.texts.Acquire(ctx, size); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { b.texts.Release(size) }, nil
}

// A sandboxMemory is the memory of one PDF's reader. It is the system's, not the garbage
// collector's, and goes back to the system when the reader is released.
type sandboxMemory struct {
	limit *memoryLimit
	ctx   context.Context // ends the wait for the other large PDF

	pages   []byte // reserved; none is used before it is written
	isLarge bool
	refused bool // the reader wanted more than it may have
}

// newSandboxMemory returns memory that the caller releases.
func newSandboxMemory(ctx context.Context, b *memoryLimit) (*sandboxMemory, error) {
	pages := reservePages(maxSandbox)
	if pages == nil {
		return nil, fmt.Errorf("no address space for %d MiB", maxSandbox>>20)
	}
	return &sandboxMemory{limit: b, ctx: ctx, pages: pages}, nil
}

// Reallocate implements [experimental.LinearMemory]: it gives the reader more memory, or nil if it
// may not have it.
func (m *sandboxMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.pages)) {
		m.refused = true
		return nil
	}
	if size > largeSandbox && !m.isLarge {
		select {
		case m.limit.large <- struct{}{}:
			m.isLarge = true
		case <-m.ctx.Done():
			return nil
		}
	}
	return m.pages[:size:size]
}

// Free implements [experimental.LinearMemory]. It does nothing: the reader may be closed from
// another goroutine while it runs. What gives the memory back is release.
func (m *sandboxMemory) Free() {}

// release gives the memory back, once nothing runs in the reader any more.
func (m *sandboxMemory) release() {
	freePages(m.pages)
	m.pages = nil
	if m.isLarge {
		m.isLarge = false
		<-m.limit.large
	}
}
