package cache

import (
	"fmt"
	"io/fs"
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

// clocked is a Dir in which every time is the clock's, with a mark of day 0.
func clocked(t *testing.T, o Options) (*Dir, *testClock) {
	t.Helper()
	c := &testClock{}
	c.days(-2)
	o.now = c.now
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

func TestTrimByAge(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: 10 * day})
	mustPut(t, d, 1)
	c.days(5)
	mustPut(t, d, 2)
	c.days(9)
	requireHit(t, d, 1) // used
	trim(t, d)
	c.days(15)
	require.Zero(t, trim(t, d).Removed, "at the limit")
	c.days(15.1)
	require.Equal(t, Trimmed{Removed: Usage{1, bytesOf(2)}, Left: Usage{1, bytesOf(1)}}, trim(t, d))
	requireMiss(t, d, 2)
	requireHit(t, d, 1)
}

// Age removes nothing that was used in the last seven days, however short MaxAge is.
func TestTrimKeepsSevenDays(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: 1})
	mustPut(t, d, 1)
	c.set(day0.Add(7*day + time.Hour))
	require.Zero(t, trim(t, d).Removed, "the time of use is precise to an hour")
	c.set(day0.Add(7*day + time.Hour + time.Second))
	require.Equal(t, Usage{1, bytesOf(1)}, trim(t, d).Removed)
}

func TestTrimBySize(t *testing.T) {
	d, c := clocked(t, Options{MaxSize: -1})
	for n := 1; n <= 4; n++ {
		c.days(float64(n))
		mustPut(t, d, n)
	}
	c.days(5)
	requireHit(t, d, 1)
	d.options.MaxSize = bytesOf(1, 4)
	got := trim(t, d)
	require.Equal(t, Trimmed{Removed: Usage{2, bytesOf(2, 3)}, Left: Usage{2, bytesOf(1, 4)}}, got, "those used longest ago go")
	requireHit(t, d, 1)
	requireHit(t, d, 4)
}

// What was used in the last 24 hours stays below twice the limit, and Trimmed has by how much that
// is over it. TrimTo knows no such thing.
func TestTrimKeepsTheLastDay(t *testing.T) {
	const size = 1000
	d, c := clocked(t, Options{MaxSize: -1})
	for n := range 6 { // at 0:00, 1:00, ... 5:00
		c.set(day0.Add(time.Duration(n) * time.Hour))
		require.NoError(t, put(d, keyFor(n), make([]byte, size-emptyLen)))
	}
	c.set(day0.Add(26*time.Hour + time.Second)) // 0 and 1 were used more than 25 hours ago
	d.options.MaxSize = 3 * size
	require.Equal(t, Trimmed{Removed: Usage{2, 2 * size}, Left: Usage{4, 4 * size}, Over: size}, trim(t, d))
	require.Equal(t, Trimmed{Left: Usage{4, 4 * size}, Over: size}, trim(t, d), "again")

	d.options.MaxSize = size + 1
	require.Equal(t, Trimmed{Removed: Usage{2, 2 * size}, Left: Usage{2, 2 * size}, Over: size - 1}, trim(t, d), "down to twice the limit")
	requireMiss(t, d, 2)
	requireMiss(t, d, 3)

	got, err := d.TrimTo(t.Context(), 2*size)
	require.NoError(t, err)
	require.Equal(t, Trimmed{Left: Usage{2, 2 * size}}, got)
	got, err = d.TrimTo(t.Context(), 2*size-1)
	require.NoError(t, err)
	require.Equal(t, Trimmed{Removed: Usage{1, size}, Left: Usage{1, size}}, got)
	require.False(t, d.Has(t.Context(), keyFor(4)))
	require.True(t, d.Has(t.Context(), keyFor(5)))
	got, err = d.TrimTo(t.Context(), -1)
	require.NoError(t, err)
	require.Equal(t, Trimmed{Left: Usage{1, size}}, got)
	got, err = d.TrimTo(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, Trimmed{Removed: Usage{1, size}}, got)
}

// An entry that was used since the trim has looked at it stays, but for TrimTo.
func TestRemoveWhatWasUsedMeanwhile(t *testing.T) {
	d, c := clocked(t, Options{})
	mustPut(t, d, 1)
	before := stored{entryName(keyFor(1)), bytesOf(1), day0}
	got := Trimmed{Left: Usage{1, bytesOf(1)}}
	c.set(day0.Add(2 * time.Hour))
	requireHit(t, d, 1)
	require.NoError(t, d.remove(&got, before, false))
	require.Equal(t, Trimmed{Left: Usage{1, bytesOf(1)}}, got)
	require.NoError(t, d.remove(&got, before, true))
	require.Equal(t, Trimmed{Removed: Usage{1, bytesOf(1)}}, got)
	requireMiss(t, d, 1)

	got = Trimmed{Left: Usage{1, bytesOf(1)}}
	require.NoError(t, d.remove(&got, before, false))
	require.Zero(t, got, "another process has removed it")
}

func TestNoLimits(t *testing.T) {
	d, c := clocked(t, Options{MaxAge: -1, MaxSize: -1})
	mustPut(t, d, 1)
	for n := range 20 {
		c.days(float64(n * 13))
		require.Zero(t, trim(t, d).Removed)
	}
}

// A program that calls nothing but Put stays below twice the limit and a tenth of it, and a day
// later below the limit. It is warned once.
func TestPutAloneIsBounded(t *testing.T) {
	const size, limit = 500, 10_000
	c := &testClock{}
	c.days(0)
	d, warned := newDir(t, Options{MaxSize: limit, now: c.now})
	putOne := func(n int) int64 {
		require.NoError(t, put(d, keyFor(n), make([]byte, size-emptyLen)))
		u, err := d.Size(t.Context())
		require.NoError(t, err)
		return u.Bytes
	}
	most := int64(0)
	for n := range 100 {
		c.set(day0.Add(time.Duration(n) * time.Second))
		most = max(most, putOne(n))
	}
	require.Greater(t, most, int64(2*limit-size), "what was used within a day stays as long as it can")
	require.LessOrEqual(t, most, int64(2*limit+limit/10+size))
	for n := range 100 {
		// Trims come with entry 0, 3, 6, ... and 99, which is more than a tenth of the limit each
		// time.
		require.Equal(t, n >= 60, d.Has(t.Context(), keyFor(n)), "the oldest go first: %d", n)
	}
	got := warned.take()
	require.Len(t, got, 1)
	require.ErrorContains(t, got[0], "its limit is 10000: all its entries were used in the last 24 hours")

	c.days(1.1)
	require.Equal(t, int64(limit), putOne(100))
	for n := range 101 {
		require.Equal(t, n >= 81, d.Has(t.Context(), keyFor(n)), "the oldest go first: %d", n)
	}
	require.Empty(t, warned.take())
}

// Put looks for old entries once an hour, whichever Dir did so last.
func TestPutTrimsHourly(t *testing.T) {
	d, c := clocked(t, Options{})
	old := func() {
		require.NoError(t, os.MkdirAll(filepath.Dir(entryPath(d, 1)), 0o700))
		require.NoError(t, os.WriteFile(entryPath(d, 1), nil, 0o600))
		require.NoError(t, os.Chtimes(entryPath(d, 1), day0.Add(-40*day), day0.Add(-40*day)))
	}
	old()
	c.set(day0.Add(59 * time.Minute))
	mustPut(t, d, 2)
	require.FileExists(t, entryPath(d, 1))
	c.set(day0.Add(60 * time.Minute))
	mustPut(t, d, 2)
	require.NoFileExists(t, entryPath(d, 1))

	old()
	c.set(day0.Add(90 * time.Minute))
	trim(t, openDir(t, d.path, Options{now: c.now, MaxAge: -1}))
	c.set(day0.Add(149 * time.Minute))
	mustPut(t, d, 2)
	require.FileExists(t, entryPath(d, 1), "the other Dir was at it 59 minutes ago")
	c.set(day0.Add(150 * time.Minute))
	mustPut(t, d, 2)
	require.NoFileExists(t, entryPath(d, 1))

	old()
	c.days(-30) // the time of the last trim is in the future now
	mustPut(t, d, 2)
	c.days(1)
	mustPut(t, d, 2)
	require.NoFileExists(t, entryPath(d, 1))
}

func TestRefreshAtMostHourly(t *testing.T) {
	d, c := clocked(t, Options{})
	mustPut(t, d, 1)
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

// Whatever the clock does for a while, nothing in use becomes old by it, also when it is right
// again; size is bounded all the time.
func TestClockJumps(t *testing.T) {
	for name, wrong := range map[string]time.Time{
		"far ahead": day0.AddDate(73, 0, 0), "two months ahead": day0.AddDate(0, 2, 0), "empty battery": time.Unix(0, 0),
		"five months behind": day0.AddDate(0, -5, 0), "the end": time.Unix(1<<33, 0), "a month behind": day0.AddDate(0, -1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			d, c := clocked(t, Options{})
			mustPut(t, d, 1)
			c.days(1)
			trim(t, d)
			mustPut(t, d, 2)

			c.set(wrong)
			jumped := openDir(t, d.path, Options{now: c.now})
			requireHit(t, jumped, 1)
			mustPut(t, jumped, 3)
			for n := range 20 { // nearly a day of it
				c.set(wrong.Add(time.Duration(n) * time.Hour))
				require.Zero(t, trim(t, jumped).Removed, "while it is wrong")
			}

			c.days(2)
			right := openDir(t, d.path, Options{now: c.now})
			require.Zero(t, trim(t, right).Removed, "when it is right again")
			c.days(3)
			require.Zero(t, trim(t, right).Removed)
			for _, n := range []int{1, 2, 3} {
				requireHit(t, right, n)
			}

			right.options.MaxSize = bytesOf(1)
			require.LessOrEqual(t, trim(t, right).Left.Bytes, 2*bytesOf(1), "by size at any time")
		})
	}
}

// Who comes back after a long time: the first trim only looks at the clock.
func TestLongAbsence(t *testing.T) {
	d, c := clocked(t, Options{})
	mustPut(t, d, 1)
	c.days(100)
	mustPut(t, d, 2)
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
			mustPut(t, d, 1)
			require.NoError(t, os.WriteFile(filepath.Join(d.path, markName), []byte(text), 0o600))
			c.days(50)
			require.Zero(t, trim(t, d).Removed)
			c.days(51)
			require.Equal(t, 1, trim(t, d).Removed.Entries)
		})
	}
}

// trimDisk counts trims and calls during before the first has ended.
type trimDisk struct {
	disk
	during func()
	trims  int
}

func (d *trimDisk) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if during := d.during; name == markTemp && during != nil {
		d.during = nil
		during()
	}
	return d.disk.OpenFile(name, flag, perm)
}

func (d *trimDisk) Rename(from, to string) error {
	if to == markName {
		d.trims++
	}
	return d.disk.Rename(from, to)
}

// Puts during a trim do not trim as well. Where they have stored a tenth of the limit meanwhile,
// the Put that trims does so again, as no other Put may come.
func TestPutDuringTrim(t *testing.T) {
	for name, test := range map[string]struct {
		size  int64 // of the entry that is put meanwhile
		trims int
	}{"little": {1000, 1}, "much": {1001, 2}} {
		t.Run(name, func(t *testing.T) {
			d, c := clocked(t, Options{MaxSize: 10_000})
			other := openDir(t, d.path, Options{now: c.now})
			here, there := &trimDisk{disk: d.disk}, &trimDisk{disk: other.disk}
			d.disk, other.disk = here, there
			c.days(1)
			here.during = func() {
				require.NoError(t, put(d, keyFor(2), make([]byte, test.size-emptyLen)))
				mustPut(t, other, 3)
				require.Zero(t, here.trims)
			}
			mustPut(t, d, 0)
			require.Equal(t, test.trims, here.trims)
			require.Zero(t, there.trims)
		})
	}
}
