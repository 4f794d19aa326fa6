package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMark(t *testing.T) {
	none := time.Time{}
	at := func(days float64) time.Time { return day0.Add(time.Duration(days * float64(day))) }
	for name, c := range map[string]struct {
		before mark
		now    time.Time
		want   mark
	}{
		"first":                        {mark{}, at(0), mark{none, at(0)}},
		"first, too early":             {mark{none, at(0)}, at(0.9), mark{none, at(0)}},
		"first, confirmed":             {mark{none, at(0)}, at(1), mark{sure: at(1)}},
		"first, late":                  {mark{none, at(0)}, at(20), mark{at(0), at(20)}},
		"as usual":                     {mark{sure: at(0)}, at(3), mark{sure: at(3)}},
		"at the limit":                 {mark{sure: at(0)}, at(14), mark{sure: at(14)}},
		"a little back":                {mark{sure: at(0)}, at(-0.02), mark{sure: at(0)}},
		"ahead":                        {mark{sure: at(0)}, at(20_000), mark{at(0), at(20_000)}},
		"ahead, the same hour":         {mark{at(0), at(20_000)}, at(20_000.1), mark{at(0), at(20_000)}},
		"ahead, confirmed":             {mark{at(0), at(20_000)}, at(20_001), mark{sure: at(20_001)}},
		"ahead, and right again":       {mark{at(0), at(20_000)}, at(2), mark{sure: at(2)}},
		"ahead, right again, late":     {mark{at(0), at(20_000)}, at(30), mark{at(0), at(30)}},
		"ahead twice":                  {mark{at(0), at(1000)}, at(2000), mark{at(1000), at(2000)}},
		"behind":                       {mark{sure: at(0)}, at(-30), mark{at(0), at(-30)}},
		"behind, confirmed":            {mark{at(0), at(-30)}, at(-28), mark{sure: at(-28)}},
		"empty battery":                {mark{sure: at(0)}, time.Unix(0, 0), mark{sure: at(0)}},
		"empty battery for months":     {mark{at(0), none}, time.Unix(0, 0).Add(90 * day), mark{sure: at(0)}},
		"once a month":                 {mark{at(0), at(31)}, at(61), mark{at(31), at(61)}},
		"once a month, and a day more": {mark{at(31), at(61)}, at(62), mark{sure: at(62)}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.before.next(c.now)
			require.Equal(t, c.want, got)
			require.Equal(t, got, parseMark([]byte(got.text())).trimmed())
		})
	}
}

// trimmed makes marks comparable that were read.
func (m mark) trimmed() mark {
	for _, t := range []*time.Time{&m.sure, &m.doubted} {
		if *t = t.UTC(); t.IsZero() {
			*t = time.Time{}
		}
	}
	return m
}

func FuzzMark(f *testing.F) {
	f.Add(mark{sure: day0}.text())
	f.Add("")
	f.Add("9999-12-31T23:59:59Z\n-1\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := parseMark([]byte(text))
		if m.sure.IsZero() && m.doubted.IsZero() {
			return
		}
		require.Len(t, text, len(text))
		next := m.next(day0)
		require.False(t, next.sure.After(later(m.sure, later(m.doubted, day0))))
	})
}
