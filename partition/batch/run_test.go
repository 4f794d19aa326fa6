package batch_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// Three documents take 3, 2 and 1 seconds: in order all come when the first has ended, else each as
// it ends.
func TestOrder(t *testing.T) {
	for name, test := range map[string]struct {
		unordered bool
		want      []string
	}{
		"in order":    {false, []string{"a 3s 1", "b 3s 2", "c 3s 3"}},
		"as they end": {true, []string{"c 1s 3", "b 2s 2", "a 3s 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				for i, file := range []string{"c", "b", "a"} {
					s.Script(partitiontest.Fault{File: file, Do: partitiontest.Delay(time.Duration(i+1) * time.Second)})
				}
				documents := slices.Values([]batch.Item{text("a"), text("b"), text("c")})
				start := time.Now()
				var got []string
				for o := range batch.Run(t.Context(), newClient(t, s), documents, batch.Options{Unordered: test.unordered}) {
					require.Equal(t, batch.Done, o.State)
					require.Len(t, o.Elements, 1)
					require.Equal(t, 1, o.Report.Requests())
					got = append(got, fmt.Sprint(o.Item.Name, " ", time.Since(start), " ", o.Number))
				}
				require.Equal(t, test.want, got)
			})
		})
	}
}

// A hundred documents of a second each, five at once, take 20 seconds.
func TestConcurrency(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
		client := newClient(t, s, partition.WithMaxInFlight(50))
		start := time.Now()
		got, ended := states(t, client, numbered(100), batch.Options{Concurrency: 5})
		require.NoError(t, ended)
		require.Equal(t, map[string]int{"done": 100}, count(got))
		require.Equal(t, 20*time.Second, time.Since(start))
	})
}

// While the outcome whose turn it is waits for a slow loop, or for its own document, only so many
// documents are begun.
func TestAheadIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		unordered bool
		want      int
	}{
		// one is with the loop, 8 wait, and one more has been taken from the sequence
		"in order": {false, 1 + 8 + 1},
		// one is with the loop, 8 wait, 4 more have ended in their workers, and one has been taken
		"as they end": {true, 1 + 8 + 4 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				taken := 0
				documents := func(yield func(batch.Item) bool) {
					for item := range numbered(100) {
						taken++
						if !yield(item) {
							return
						}
					}
				}
				for range batch.Run(t.Context(), newClient(t, s), documents, batch.Options{
					Concurrency: 4, Ahead: 8, Unordered: test.unordered,
				}) {
					synctest.Wait()
					require.Equal(t, test.want, taken)
					break
				}
			})
		})
	}
}

// An early end of the loop cancels what is under way, and nothing of it is left when Run returns.
func TestLeaving(t *testing.T) {
	leave := map[string]func(iter.Seq[batch.Outcome]){
		"break": func(outcomes iter.Seq[batch.Outcome]) {
			for range outcomes {
				synctest.Wait() // until the next three have begun
				break
			}
		},
		"panic": func(outcomes iter.Seq[batch.Outcome]) {
			defer func() { _ = recover() }()
			for range outcomes {
				synctest.Wait()
				panic("of the consumer")
			}
		},
	}
	for name, leave := range leave {
		for _, unordered := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unordered=%t", name, unordered), func(t *testing.T) {
				bubble(t, func(t *testing.T, s *partitiontest.Server) {
					s.Script(
						partitiontest.Fault{File: "001.txt", Do: partitiontest.Delay(time.Second)},
						partitiontest.Fault{Do: partitiontest.Delay(time.Hour)},
					)
					var mu sync.Mutex
					var causes []error
					start := time.Now()
					client := newClient(t, s)
					leave(batch.Run(t.Context(), client, numbered(50), batch.Options{
						Concurrency: 3, Unordered: unordered,
						Do: func(ctx context.Context, item batch.Item, d *partition.Document) (partition.Report, error) {
							report, err := batch.Each(ctx, client, d, item.Params, func(element.Element) error { return nil })
							mu.Lock()
							defer mu.Unlock()
							causes = append(causes, err)
							return report, err
						},
					}))
					require.Equal(t, time.Second, time.Since(start))
					require.Len(t, causes, 4, "the first, and three that had begun")
					require.Equal(t, partition.KindCanceled, partition.KindOf(causes[3]))
				})
			})
		}
	}
}

// A run whose context ends says so, with what it did not come to.
func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
		enough := errors.New("enough")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(1500*time.Millisecond, func() { stop(enough) })
		got, ended := statesOf(ctx, newClient(t, s), numbered(50), batch.Options{Concurrency: 2})
		require.Equal(t, []string{"001.txt done", "002.txt done", "003.txt not_done", "004.txt not_done"}, got[:4])
		require.LessOrEqual(t, len(got), 5, "one more may have been taken up")
		require.Equal(t, enough, ended)
	})
}

func TestDocumentTimeout(t *testing.T) {
	slow := errors.New("slow")
	for name, test := range map[string]struct{ cause, want error }{
		"cause":    {slow, slow},
		"no cause": {nil, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{File: "b", Do: partitiontest.Delay(time.Minute)})
				documents := slices.Values([]batch.Item{text("a"), text("b"), text("c")})
				var got []batch.State
				for o := range batch.Run(t.Context(), newClient(t, s), documents, batch.Options{
					DocumentTimeout: 10 * time.Second, DocumentTimeoutCause: test.cause,
				}) {
					got = append(got, o.State)
					if o.State == batch.Failed {
						require.ErrorIs(t, o.Err, test.want)
						require.Equal(t, 10*time.Second, o.Elapsed)
					}
				}
				require.Equal(t, []batch.State{batch.Done, batch.Failed, batch.Done}, got)
			})
		})
	}
}

// Each state, with its error's kind.
func TestStates(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(
			partitiontest.Fault{File: "refused.txt", Do: partitiontest.Detail(422, "no")},
			partitiontest.Fault{File: "stained.pdf", Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(
				500, `{"detail": "bad page", "retryable": false}`,
			)},
		)
		stained := pdf("stained.pdf", 4)
		stained.Params.Split.AllowFailed = true
		missing := batch.Item{Name: "gone", Tag: 7, Open: func(context.Context) (*partition.Document, error) {
			return nil, errors.New("gone")
		}}
		documents := slices.Values([]batch.Item{
			text("fine.txt"), text("refused.txt"), stained, missing, {Name: "left out"}, text("old.txt"), text("oldfailure.txt"),
		})
		earlier := errors.New("failed before")
		type result struct {
			name  string
			state batch.State
			kind  partition.Kind
		}
		var got []result
		for o := range batch.Run(t.Context(), newClient(t, s), documents, batch.Options{
			Earlier: func(_ context.Context, item batch.Item, d *partition.Document) (batch.State, error) {
				switch d.Name() {
				case "old.txt":
					return batch.Unchanged, nil
				case "oldfailure.txt":
					return batch.Failed, earlier
				}
				return "", nil
			},
			MaxFailures: 4, // of an earlier run it does not count
		}) {
			got = append(got, result{o.Item.Name, o.State, o.Kind()})
			if o.Item.Name == "gone" {
				require.Equal(t, 7, o.Item.Tag)
			}
		}
		require.Equal(t, []result{
			{"fine.txt", batch.Done, ""},
			{"refused.txt", batch.Failed, partition.KindBadDocument},
			{"stained.pdf", batch.Partial, partition.KindServer},
			{"gone", batch.Failed, partition.KindLocalIO},
			{"left out", batch.Skipped, ""},
			{"old.txt", batch.Unchanged, ""},
			{"oldfailure.txt", batch.Failed, partition.KindLocalIO},
		}, got)
		require.Len(t, s.Requests(), 4)
	})
}

// Elements that Do hands on are written as they come, and an error of the writer is the document's.
func TestEach(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		full := errors.New("disk full")
		client := newClient(t, s)
		written := map[string]int{}
		var mu sync.Mutex
		documents := slices.Values([]batch.Item{pdf("a.pdf", 4), pdf("b.pdf", 4)})
		var got []string
		for o := range batch.Run(t.Context(), client, documents, batch.Options{
			Do: func(ctx context.Context, item batch.Item, d *partition.Document) (partition.Report, error) {
				return batch.Each(ctx, client, d, item.Params, func(element.Element) error {
					mu.Lock()
					defer mu.Unlock()
					if written[item.Name]++; item.Name == "b.pdf" && written[item.Name] == 2 {
						return full
					}
					return nil
				})
			},
		}) {
			require.Empty(t, o.Elements)
			got = append(got, fmt.Sprint(o.Item.Name, " ", o.State, " ", o.Err))
		}
		require.Equal(t, []string{"a.pdf done <nil>", "b.pdf failed disk full"}, got)
		require.Equal(t, map[string]int{"a.pdf": 4, "b.pdf": 2}, written)
	})
}

// Progress is known as documents end, although the first outcome has its turn first.
func TestSettled(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{File: "001.txt", Do: partitiontest.Delay(time.Minute)})
		start := time.Now()
		var mu sync.Mutex
		settled := map[string]time.Duration{}
		got, ended := states(t, newClient(t, s), numbered(3), batch.Options{Settled: func(o batch.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			settled[o.Item.Name] = time.Since(start)
		}})
		require.NoError(t, ended)
		require.Equal(t, []string{"001.txt done", "002.txt done", "003.txt done"}, got)
		require.Equal(t, map[string]time.Duration{"001.txt": time.Minute, "002.txt": 0, "003.txt": 0}, settled)
	})
}

// A sequence that waits for more is told when the run ends before it is through, and only then.
func TestStop(t *testing.T) {
	waiting := func(ctx context.Context) iter.Seq[batch.Item] {
		return func(yield func(batch.Item) bool) {
			for item := range numbered(2) {
				if !yield(item) {
					return
				}
			}
			<-ctx.Done()
		}
	}
	t.Run("a limit", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{File: "002.txt", Do: partitiontest.Detail(422, "no")})
			ctx, stop := context.WithCancelCause(t.Context())
			got, ended := statesOf(ctx, newClient(t, s), waiting(ctx), batch.Options{Concurrency: 1, MaxFailures: 1, Stop: stop})
			require.Equal(t, []string{"001.txt done", "002.txt failed"}, got)
			require.EqualError(t, ended, "failure limit of 1 reached")
			require.Equal(t, ended, context.Cause(ctx))
		})
	})
	t.Run("the loop is left", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *partitiontest.Server) {
			ctx, stop := context.WithCancelCause(t.Context())
			for range batch.Run(ctx, newClient(t, s), waiting(ctx), batch.Options{Stop: stop}) {
				break
			}
			require.EqualError(t, context.Cause(ctx), "the caller left the loop over the outcomes")
		})
	})
	t.Run("never", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *partitiontest.Server) {
			_, ended := states(t, newClient(t, s), numbered(2), batch.Options{Stop: func(why error) { t.Error(why) }})
			require.NoError(t, ended)
		})
	})
}
