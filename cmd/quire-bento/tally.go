package main

import (
	"fmt"
	"sync"

	"github.com/quire-dev/quire/cmd/internal/words"
)

// A tally counts how the documents were answered, and says so once the stream has ended. Whether an answer was stored is the output's to
// say. Its methods may be called by several goroutines at once.
type tally struct {
	say func(string)

	mu       sync.Mutex
	underWay int
	answered int
	failed   int
	stopped  int // before they were answered
	ended    bool
}

func (t *tally) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.underWay++
}

// end counts a document that was begun, in the count that became of it.
func (t *tally) end(count *int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*count++
	t.underWay--
	t.sayIfEnded()
}

// close is called by each thread that ends, while others may still have a document. After the first call none is begun.
func (t *tally) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.ended = true
		t.sayIfEnded()
	}
}

func (t *tally) sayIfEnded() {
	if !t.ended || t.underWay > 0 {
		return
	}
	text := fmt.Sprintf("%s: %d answered, %d failed", words.Count(t.answered+t.failed+t.stopped, "document"), t.answered, t.failed)
	if t.stopped > 0 {
		text += fmt.Sprintf(", %d stopped before their answer", t.stopped)
	}
	t.say(text)
}
