package partition_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

var _ partition.ClaimCache = (*cache.Dir)(nil)

// A claimedCache is a cache that processes share: each client of a test is a process.
type claimedCache struct {
	askedCache
	claims map[partition.Key]bool
	tried  int
}

func (m *claimedCache) Claim(_ context.Context, k partition.Key) (release func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tried++
	if m.claims[k] {
		return nil, false
	}
	if m.claims == nil {
		m.claims = map[partition.Key]bool{}
	}
	m.claims[k] = true
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.claims, k)
	}), true
}

// held returns how many keys are claimed.
func (m *claimedCache) held() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.claims)
}

// asked returns how often a claim was asked for.
func (m *claimedCache) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tried
}

// kill makes every claim void, as the end of their process does.
func (m *claimedCache) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.claims)
}

// seen counts the events in which a chunk waits for another process, and those that end a wait.
type seen struct {
	mu          sync.Mutex
	waits, late int
}

func (s *seen) observe(_ context.Context, e partition.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Kind != partition.ClaimHeld:
	case e.Err != nil:
		s.late++
	default:
		s.waits++
	}
}

// Two processes, and three, pay once for the same documents: whole ones and chunks, in whichever
// mode, also if one has the same document in its list twice. No claim is left.
func TestE7ProcessesPayOnce(t *testing.T) {
	for name, processes := range map[string]int{"two": 2, "three": 3} {
		for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
					s.Script(partitiontest.Fault{Do: partitiontest.Delay(5 * time.Second)})
					shared := &claimedCache{}
					var all errgroup.Group
					for range processes {
						c := newClient(t, s, partition.WithCache(shared), partition.WithMaxInFlight(4))
						for _, number := range []int{1, 2, 3, 3, 4, 5, 6, 7, 8} {
							all.Go(func() error {
								_, err := c.Partition(t.Context(), text(strings.Repeat("x", number)), partition.Params{})
								return err
							})
						}
						all.Go(func() error {
							result, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{Split: partition.Split{Mode: mode}})
							if err == nil && result.Report.Pages != 20 {
								err = errors.New("pages are missing")
							}
							return err
						})
					}
					start := time.Now()
					require.NoError(t, all.Wait())
					require.Len(t, s.Requests(), 8+10)
					require.Zero(t, shared.held())
					require.Less(t, time.Since(start), 90*time.Second/time.Duration(processes)/2, "they share the work")
				})
			})
		}
	}
}

// Who waits takes over when the owner dies, soon, and has no slot until then.
func TestE7TheOwnerDies(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		shared, saw := &claimedCache{}, &seen{}
		s.Script(partitiontest.Fault{Times: 1, Do: partitiontest.Delay(time.Hour)})
		owner, kill := context.WithCancel(t.Context())
		defer kill()
		go func() {
			_, _ = newClient(t, s, partition.WithCache(shared), partition.WithGrace(0)).Partition(owner, text("same"), partition.Params{})
		}()
		synctest.Wait()
		c := newClient(t, s, partition.WithCache(shared), partition.WithMaxInFlight(1), partition.WithObserver(saw.observe))
		start := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := c.Partition(t.Context(), text("same"), partition.Params{})
			done <- err
		}()
		synctest.Wait()
		_, err := c.Partition(t.Context(), text("other"), partition.Params{})
		require.NoError(t, err)
		require.Zero(t, time.Since(start), "who waits has no slot")
		time.Sleep(10 * time.Minute)
		require.Len(t, s.Requests(), 2)
		require.Less(t, shared.asked(), 700, "it asks seldom")
		shared.kill()
		require.NoError(t, <-done)
		require.LessOrEqual(t, time.Since(start), 10*time.Minute+time.Second)
		require.Len(t, s.Requests(), 3)
		require.Equal(t, seen{waits: 1}, seen{waits: saw.waits, late: saw.late})
	})
}

// A failure is the owner's alone: who waits sends the request itself.
func TestE7TheOwnerFails(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Times: 1, Do: partitiontest.Chain(partitiontest.Delay(time.Minute), partitiontest.Reply(422, `{"detail":"no"}`))})
		shared := &claimedCache{}
		var all errgroup.Group
		var failed error
		all.Go(func() error {
			_, failed = newClient(t, s, partition.WithCache(shared)).Partition(t.Context(), text("same"), partition.Params{})
			return nil
		})
		synctest.Wait()
		all.Go(func() error {
			_, err := newClient(t, s, partition.WithCache(shared)).Partition(t.Context(), text("same"), partition.Params{})
			return err
		})
		require.NoError(t, all.Wait())
		require.ErrorContains(t, failed, "no")
		require.Len(t, s.Requests(), 2)
		require.Zero(t, shared.held())
	})
}

// The wait is bounded, by what the policy allows an attempt and its retries; then the request is
// sent, and that is said.
func TestE7TheWaitIsBounded(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		shared, saw := &claimedCache{}, &seen{}
		var log strings.Builder
		c := newClient(t, s, partition.WithCache(shared), partition.WithObserver(saw.observe), partition.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		plan := partition.Params{}
		release := claimAll(t, s, shared, "same")
		defer release()
		start := time.Now()
		_, err := c.Partition(t.Context(), text("same"), plan)
		require.NoError(t, err)
		require.Equal(t, 75*time.Minute, time.Since(start)) // 15 for the retries, 60 for the last attempt
		require.Len(t, s.Requests(), 1)
		require.Equal(t, seen{waits: 1, late: 1}, seen{waits: saw.waits, late: saw.late})
		require.Contains(t, log.String(), "another process is sending the same request, waiting for its answer")
		require.Contains(t, log.String(), "another process has been sending the same request for 1h15m0s: sent here, too")
	})
}

// Who waits leaves at once when its time is over.
func TestE7AWaitEndsWithItsContext(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		shared := &claimedCache{}
		release := claimAll(t, s, shared, "same")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := newClient(t, s, partition.WithCache(shared)).Partition(ctx, text("same"), partition.Params{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second+time.Millisecond, time.Since(start))
		require.Empty(t, s.Requests())
		release()
		require.Zero(t, shared.held())
	})
}

// A refresh does not wait. Others wait for it, where it was first.
func TestE7ARefreshDoesNotWait(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		shared := &claimedCache{}
		release := claimAll(t, s, shared, "same")
		start := time.Now()
		refresh := newClient(t, s, partition.WithCache(shared), partition.WithRefresh())
		_, err := refresh.Partition(t.Context(), text("same"), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(start))
		release()

		var both errgroup.Group
		for _, c := range []*partition.Client{refresh, newClient(t, s, partition.WithCache(shared))} {
			both.Go(func() error {
				_, err := c.Partition(t.Context(), text("new"), partition.Params{})
				return err
			})
			synctest.Wait()
		}
		require.NoError(t, both.Wait())
		require.Len(t, s.Requests(), 2)
	})
}

// Halves are claimed as chunks are: however two processes narrow the same chunk, no answer is paid
// for twice.
func TestE7ProcessesNarrowOnce(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(
			partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(500, `{"detail":"no","retryable":false}`)},
			partitiontest.Fault{Do: partitiontest.Delay(10 * time.Second)},
		)
		shared := &claimedCache{}
		params := partition.Params{Split: partition.Split{Narrow: true, AllowFailed: true, Concurrency: 1}}
		var all errgroup.Group
		for i := range 2 {
			all.Go(func() error {
				time.Sleep(time.Duration(i) * time.Second)
				result, err := newClient(t, s, partition.WithCache(shared)).Partition(t.Context(), pdf("a.pdf", 16), params)
				require.ErrorContains(t, err, "missing pages 3")
				require.Equal(t, slices.Concat(upTo(1, 2), upTo(4, 16)), numbers(result.Elements))
				return nil
			})
		}
		require.NoError(t, all.Wait())
		answered := map[string]int{}
		for _, r := range s.Requests() {
			if r.Status == 200 {
				answered[r.Pages.String()]++
			}
		}
		for pages, times := range answered {
			require.Equal(t, 1, times, pages)
		}
		require.Zero(t, shared.held())
	})
}

// Where one process sends 1, 2 and the other 2, 1, both end: no process has a claim while it waits
// for another's.
func TestE7ProcessesDoNotWaitForEachOther(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
		shared := &claimedCache{}
		var all errgroup.Group
		start := time.Now()
		for _, order := range [][]string{{"a", "b", "c", "d"}, {"d", "c", "b", "a"}, {"b", "d", "a", "c"}} {
			c := newClient(t, s, partition.WithCache(shared), partition.WithMaxInFlight(1))
			for _, content := range order {
				all.Go(func() error {
					_, err := c.Partition(t.Context(), text(content), partition.Params{})
					return err
				})
			}
		}
		require.NoError(t, all.Wait())
		require.Len(t, s.Requests(), 4)
		require.Less(t, time.Since(start), 10*time.Second)
	})
}

// A document that is not cached is not claimed.
func TestE7WhatIsNotCachedIsNotClaimed(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		shared := &claimedCache{}
		params := partition.Params{Split: partition.Split{Password: "secret"}}
		_, err := newClient(t, s, partition.WithCache(shared)).Partition(t.Context(), text("same"), params)
		require.NoError(t, err)
		require.Zero(t, shared.asked())
		_, err = newClient(t, s, partition.WithCache(shared)).Partition(t.Context(), text("same"), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, 1, shared.asked())
		_, err = newClient(t, s, partition.WithCache(shared)).Partition(t.Context(), text("same"), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, 1, shared.asked(), "what is in the cache needs no claim")
	})
}

// claimAll claims the key of a document, as a process does that hangs.
func claimAll(t *testing.T, s *partitiontest.Server, shared *claimedCache, content string) (release func()) {
	t.Helper()
	keys := &keyCache{}
	_, err := newClient(t, s, partition.WithCache(keys)).Plan(t.Context(), text(content), partition.Params{})
	require.NoError(t, err)
	require.Len(t, keys.asked, 1)
	release, ok := shared.Claim(t.Context(), keys.asked[0])
	require.True(t, ok)
	return release
}

// A keyCache tells which keys it was asked for.
type keyCache struct {
	memoryCache
	asked []partition.Key
}

func (k *keyCache) Has(_ context.Context, key partition.Key) bool {
	k.asked = append(k.asked, key)
	return false
}
