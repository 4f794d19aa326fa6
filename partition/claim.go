package partition

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A ClaimCache is a [Cache] that several processes use at once. Before the client sends a request it
// claims the key of the answer. While another process has the claim, the client waits for the answer
// to be stored, and then has it from the cache. It sends the request itself if the other process
// dies or gets no answer, or, with a [ClaimHeld] event, if that takes longer than an attempt and its
// retries may. With [WithRefresh] it does not wait.
type ClaimCache interface {
	Cache
	// Claim takes the key for the caller, until release is called or the process ends. It does not
	// wait: ok is false while somebody else has it. A cache that cannot take it returns true.
	Claim(ctx context.Context, k Key) (release func(), ok bool)
}

const (
	// How often a claim of another process is tried again: soon at first, as most requests take
	// seconds, and then at a rate that costs nothing.
	firstClaimPause = 50 * time.Millisecond
	lastClaimPause  = time.Second

	// How long the attempts of another process may take if the policy has no limit.
	longestRetries = 15 * time.Minute
	longestAttempt = time.Hour
)

// A ready is what a chunk needs to be sent.
type ready struct {
	content *content
	slot    *retry.Slot
	release func() // the claim
}

func (r *ready) free() {
	r.slot.Release()
	r.content.free()
	r.release()
}

// ready makes a chunk ready to be sent. It is nil where the chunk has its answer meanwhile, from
// another process. A claim is taken last, so that it is held only while the request is under way,
// and what other processes wait for never waits for them. Who waits for a claim has no slot.
func (j *job) ready(ctx context.Context, key Key, c *chunk, policy *retry.Policy) (*ready, error) {
	r, err := j.admit(ctx, c)
	if err != nil {
		return nil, err
	}
	claims, shared := j.client.cache.(ClaimCache)
	if !shared || !j.caches() {
		return r, nil
	}
	release, claimed := claims.Claim(ctx, key)
	switch {
	case claimed:
		r.release = release
		if j.recalls() && j.recall(ctx, key, c) { // before, it was not there
			r.free()
			return nil, nil
		}
		return r, nil
	case !j.recalls():
		return r, nil
	}
	r.free()
	c.admitted()
	if release, err = j.await(ctx, claims, key, c, policy); err != nil {
		return nil, err
	}
	switch {
	case j.recall(ctx, key, c):
		r = nil
	case c.from == 0 && j.hasHalves(ctx, c.pages):
		r, err = nil, errNarrowedBefore
	default:
		r, err = j.admit(ctx, c)
	}
	if r == nil {
		release()
		return nil, err
	}
	r.release = release
	return r, nil
}

// admit cuts a chunk and waits for a slot.
func (j *job) admit(ctx context.Context, c *chunk) (*ready, error) {
	if err := j.barred(ctx); err != nil {
		return nil, err // before it is cut for nothing
	}
	content, err := j.cut(ctx, c)
	if err != nil {
		return nil, err
	}
	slot, err := j.client.retry.Admit(ctx)
	if err != nil {
		content.free()
		return nil, j.noAnswer(ctx, j.newError(c, "", retry.Trace{}), err)
	}
	return &ready{content, slot, func() {}}, nil
}

// await waits until no other process has the claim on a key, and takes it. After the time that an
// attempt and its retries may take it does without. The error is the cause of the end of ctx.
func (j *job) await(ctx context.Context, claims ClaimCache, key Key, c *chunk, policy *retry.Policy) (release func(), err error) {
	attrs := []any{slog.String("document", text.Printable(j.plan.Document))}
	if c.pages != (split.PageRange{}) {
		attrs = append(attrs, slog.String("pages", c.pages.String()))
	}
	j.client.logger.InfoContext(ctx, "another process is sending the same request, waiting for its answer", attrs...)
	j.event(ctx, Event{Kind: ClaimHeld, Pages: c.pages})
	longest := claimLimit(policy.Budget)
	late := time.NewTimer(longest)
	defer late.Stop()
	pause := firstClaimPause
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-late.C:
			err := fmt.Errorf("another process has been sending the same request for %s: sent here, too", longest)
			j.client.logger.WarnContext(ctx, err.Error(), attrs...)
			j.event(ctx, Event{Kind: ClaimHeld, Pages: c.pages, Err: err, Elapsed: longest})
			return func() {}, nil
		case <-again.C:
			if release, ok := claims.Claim(ctx, key); ok {
				return release, nil
			}
			pause = min(2*pause, lastClaimPause)
			again.Reset(pause)
		}
	}
}

// claimLimit is how long an attempt and its retries may take.
func claimLimit(b retry.Budget) time.Duration {
	return cmp.Or(b.HardElapsed, b.SoftElapsed, longestRetries) + cmp.Or(b.ToHeaders, longestAttempt)
}
