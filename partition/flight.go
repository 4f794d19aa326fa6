package partition

import (
	"context"
	"errors"
	"sync"
)

// flights keep identical requests of one client from being under way at once: the next waits for
// the answer of the first, and finds it in the cache.
type flights struct {
	mu    sync.Mutex
	byKey map[Key]*flight
}

// A flight is a request that is under way, and all that wait for its answer. One has the turn. If
// that one gets no answer for a reason of its own, as its end, the next sends the request itself.
type flight struct {
	turn  chan struct{} // full while somebody has it
	users int           // who has the turn, and who waits for it; flights.mu guards it

	// For who has the turn:
	kept    bool      // the answer is in the cache
	failure *APIError // what the server said, for all who waited; nil if it says nothing about theirs
}

// join waits for the turn of a key. Who has it calls leave. The error is the cause of the end of
// ctx.
func (f *flights) join(ctx context.Context, key Key) (*flight, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	joined := f.board(key)
	select {
	case joined.turn <- struct{}{}:
		return joined, nil
	case <-ctx.Done():
		f.drop(key, joined, false)
		return nil, context.Cause(ctx)
	}
}

// leave passes the turn on. After an answer that was kept, or a failure that is shared, whoever comes
// later begins anew: only who waited may take it.
func (f *flights) leave(key Key, left *flight) {
	f.drop(key, left, left.kept || left.failure != nil)
	<-left.turn
}

func (f *flights) board(key Key) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	joined := f.byKey[key]
	if joined == nil {
		joined = &flight{turn: make(chan struct{}, 1)}
		if f.byKey == nil {
			f.byKey = map[Key]*flight{}
		}
		f.byKey[key] = joined
	}
	joined.users++
	return joined
}

func (f *flights) drop(key Key, left *flight, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left.users--
	if (over || left.users == 0) && f.byKey[key] == left {
		delete(f.byKey, key)
	}
}

// join waits until no other chunk of the client is being sent with the key. Answers that are not
// cached are not shared.
func (j *job) join(ctx context.Context, key Key) (f *flight, leave func(), err error) {
	if !j.caches() {
		return &flight{}, func() {}, nil
	}
	if f, err = j.client.flights.join(ctx, key); err != nil {
		return nil, nil, err
	}
	return f, func() { j.client.flights.leave(key, f) }, nil
}

// end notes what the request of a flight came to. A failure that the server gave after all attempts
// is an answer to who waited for the same request, too: for each of them to wait out a server that is
// down would take a multiple of the time.
func (f *flight) end(err error) {
	api := (*APIError)(nil)
	if errors.As(err, &api) && api.Attempts > 0 && api.Kind != KindCanceled && api.Kind != KindBudget && api.Kind != KindChanged {
		f.failure = api
	}
}

// sharedFailure is the failure of an identical request, which was made for another document.
func (j *job) sharedFailure(c *chunk, failure *APIError) error {
	own := *failure
	own.Document, own.Pages = j.plan.Document, c.pages
	return &own
}
