package cache

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A clock that tests set.
type testClock struct{ at atomic.Int64 }

func (c *testClock) now() time.Time  { return time.Unix(0, c.at.Load()).UTC() }
func (c *testClock) set(t time.Time) { c.at.Store(t.UnixNano()) }
func (c *testClock) days(n float64)  { c.set(day0.Add(time.Duration(n * float64(day)))) }
func writer(f func()) func(io.Writer) error {
	return func(io.Writer) error { f(); return nil }
}

// clocked is a Dir in which every time is the clock's, with a mark of day 0.
func clocked(t *testing.T, o Options) (*Dir, *testClock) {
	t.Helper()
	c := &testClock{}
	c.days(-2)
	o.Now = c.now
	d, _ := newDir(t, o)
	trim(t, d)
	c.days(0)
	trim(t, d)
	require.Equal(t, day0, d.readMark().sure.UTC())
	return d, c
}

func trim(t *testing.T, d *Dir) Trimmed {
	t.Helper()
	got, err := d.Trim(t.Context())
	require.NoError(t, err)
	return got
}

// finished puts numbers in a run that ends.
func finished(t *testing.T, d *Dir, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		mustPut(t, d, n)
	}
	require.NoError(t, d.Finish())
}

func TestTrimByAge(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: 10 * day})
	finished(t, d, 1)
	c.days(5)
	finished(t, d, 2)
	trim(t, d)
	c.days(9)
	requireHit(t, d, 1) // used
	require.NoError(t, d.Finish())
	trim(t, d)
	c.days(15)
	require.Zero(t, trim(t, d).Removed, "at the limit")
	c.days(16)
	require.Equal(t, Trimmed{Removed: Usage{1, bytesOf(2)}, Left: Usage{1, bytesOf(1)}}, trim(t, d))
	requireMiss(t, d, 2)
	requireHit(t, d, 1)
}

func TestTrimBySize(t *testing.T) {
	d, c := clocked(t, Options{MaxSize: bytesOf(1, 4)})
	for n := 1; n <= 4; n++ {
		c.days(float64(n))
		finished(t, d, n)
	}
	c.days(5)
	requireHit(t, d, 1)
	require.NoError(t, d.Finish())
	got := trim(t, d)
	require.Equal(t, Usage{2, bytesOf(2, 3)}, got.Removed, "those used longest ago")
	require.Equal(t, Usage{2, bytesOf(1, 4)}, got.Left)
	requireHit(t, d, 1)
	requireHit(t, d, 4)
}

func TestNoLimits(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: -1, MaxSize: -1})
	finished(t, d, 1)
	for n := range 20 {
		c.days(float64(n * 13))
		require.Zero(t, trim(t, d).Removed)
	}
}

func TestRefreshAtMostHourly(t *testing.T) {
	d, c := clocked(t, Options{})
	finished(t, d, 1)
	used := func() time.Time {
		info, err := os.Stat(entryPath(d, 1))
		require.NoError(t, err)
		return info.ModTime().UTC()
	}
	require.Equal(t, day0, used())
	c.set(day0.Add(time.Hour))
	requireHit(t, d, 1)
	require.Equal(t, day0, used())
	c.set(day0.Add(time.Hour + time.Second))
	requireHit(t, d, 1)
	require.Equal(t, day0.Add(time.Hour+time.Second), used())
}

// What a run has used is kept while it goes on, and for a week after it was cut
// short, from age and from size; finished, it is not.
func TestTrimKeepsWhatRunsNeed(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: 2 * day})
	o := Options{MaxAge: 2 * day, Now: c.now}
	other := openDir(t, d.Path(), o)
	mustPut(t, other, 1)
	mustPut(t, other, 2)
	finished(t, d, 3, 4)
	d.options.MaxSize = 1

	c.days(0.5)
	require.Equal(t, Trimmed{Deferred: true}, trim(t, d), "a run is under way")
	c.days(3)
	got := trim(t, d)
	require.Equal(t, Usage{2, bytesOf(3, 4)}, got.Removed, "under way, but the last trim is old")
	require.Equal(t, Usage{2, bytesOf(1, 2)}, got.Kept)

	require.NoError(t, other.Close()) // as if killed
	c.days(6.9)
	got = trim(t, d)
	require.Zero(t, got.Removed)
	require.Equal(t, Usage{2, bytesOf(1, 2)}, got.Kept)

	d.options.MaxSize = -1
	again := openDir(t, d.Path(), o) // resumes, and is done
	requireHit(t, again, 1)
	require.NoError(t, again.Finish())
	c.days(7.1)
	got = trim(t, d)
	require.Equal(t, Usage{1, bytesOf(2)}, got.Removed, "unfinished for too long")
	require.Equal(t, Usage{1, bytesOf(1)}, got.Left)
	require.Zero(t, runCount(t, d))
}

func TestTrimKeepsTheOwnRun(t *testing.T) {
	d, _ := clocked(t, Options{})
	mustPut(t, d, 1)
	mustPut(t, d, 2)
	d.options.MaxSize = 1
	require.Equal(t, Usage{2, bytesOf(1, 2)}, trim(t, d).Kept)
	require.NoError(t, d.Finish())
	require.Equal(t, Usage{2, bytesOf(1, 2)}, trim(t, d).Removed)
}

// A run that has only read keeps what it has read.
func TestTrimKeepsWhatWasRead(t *testing.T) {
	d, _ := clocked(t, Options{})
	finished(t, d, 1, 2)
	requireHit(t, d, 1)
	d.options.MaxSize = 1
	got := trim(t, d)
	require.Equal(t, Usage{1, bytesOf(2)}, got.Removed)
	require.Equal(t, Usage{1, bytesOf(1)}, got.Kept)
}

// A run that goes on for long is not taken for one that was cut short long ago.
func TestLongRunIsSeen(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: 2 * day})
	other := openDir(t, d.Path(), Options{Now: c.now})
	for n := range 10 {
		c.days(float64(n))
		mustPut(t, other, n)
	}
	require.NoError(t, other.Close())
	c.days(12)
	require.Zero(t, trim(t, d).Removed, "cut short three days ago")
	c.days(17)
	require.Equal(t, 10, trim(t, d).Removed.Entries)
}

// Whatever the clock does for a while, nothing in use becomes old by it, also
// when it is right again; size is bounded all the time.
func TestClockJumps(t *testing.T) {
	for name, wrong := range map[string]time.Time{
		"far ahead": day0.AddDate(73, 0, 0), "two months ahead": day0.AddDate(0, 2, 0), "empty battery": time.Unix(0, 0),
		"five months behind": day0.AddDate(0, -5, 0), "the end": time.Unix(1<<33, 0), "a month behind": day0.AddDate(0, -1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			d, c := clocked(t, Options{})
			finished(t, d, 1)
			c.days(1)
			trim(t, d)
			finished(t, d, 2)

			c.set(wrong)
			jumped := openDir(t, d.Path(), Options{Now: c.now})
			requireHit(t, jumped, 1)
			finished(t, jumped, 3)
			for n := range 20 { // nearly a day of it
				c.set(wrong.Add(time.Duration(n) * time.Hour))
				require.Zero(t, trim(t, jumped).Removed, "while it is wrong")
			}

			c.days(2)
			right := openDir(t, d.Path(), Options{Now: c.now})
			require.Zero(t, trim(t, right).Removed, "when it is right again")
			c.days(3)
			require.Zero(t, trim(t, right).Removed)
			for _, n := range []int{1, 2, 3} {
				requireHit(t, right, n)
			}
			require.NoError(t, right.Finish())

			right.options.MaxSize = bytesOf(1)
			require.LessOrEqual(t, trim(t, right).Left.Bytes, bytesOf(1), "by size at any time")
		})
	}
}

// Who comes back after a long time: the first trim only looks at the clock.
func TestLongAbsence(t *testing.T) {
	d, c := clocked(t, Options{})
	finished(t, d, 1)
	c.days(100)
	finished(t, d, 2)
	require.Zero(t, trim(t, d).Removed)
	c.days(101)
	require.Equal(t, Usage{1, bytesOf(1)}, trim(t, d).Removed)
	requireHit(t, d, 2)
}

// A mark that is damaged is none.
func TestDamagedMark(t *testing.T) {
	for _, text := range []string{"", "x", "\n\n", "9999-99-99T00:00:00Z\n\n", string(make([]byte, 5000))} {
		t.Run(fmt.Sprintf("%.10q", text), func(t *testing.T) {
			d, c := clocked(t, Options{})
			finished(t, d, 1)
			require.NoError(t, os.WriteFile(filepath.Join(d.Path(), markName), []byte(text), 0o600))
			c.days(50)
			require.Zero(t, trim(t, d).Removed)
			c.days(51)
			require.Equal(t, 1, trim(t, d).Removed.Entries)
		})
	}
}
