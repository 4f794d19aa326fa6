package retry

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The largest wait is drawn without an overflow.
func TestB8LargestWait(t *testing.T) {
	i := interval{0, math.MaxInt64}
	require.Equal(t, time.Duration(math.MaxInt64), i.pick(1))
	require.Equal(t, time.Duration(1<<62), i.pick(0.5))
	require.Equal(t, time.Duration(math.MaxInt64), interval{time.Hour, math.MaxInt64}.pick(1))
}

// Of several published policies the strictest is kept to, with its own state; a daily quota is not
// spread over the day, and a window that no duration holds is none.
func TestB8RateLimitPolicies(t *testing.T) {
	for _, c := range []struct {
		name, policy, state string
		want                rateLimit
		ok                  bool
	}{
		{"a burst before a quota", `"burst";q=100;w=60, "daily";q=1000;w=86400`, `"burst";r=50;t=30, "daily";r=900;t=4000`, rateLimit{100, 50, time.Minute, 30 * time.Second}, true},
		{"a quota before a burst", `"daily";q=1000;w=86400, "burst";q=100;w=60`, `"daily";r=0;t=4000,"burst";r=50;t=30`, rateLimit{100, 50, time.Minute, 30 * time.Second}, true},
		{"the stricter of two", `"a";q=10;w=1, "b";q=60;w=60`, `"b";r=7;t=9`, rateLimit{60, 7, time.Minute, 9 * time.Second}, true},
		{"a quota alone", `"daily";q=1000;w=86400`, `"daily";r=0;t=4000`, rateLimit{0, -1, time.Minute, -1}, false},
		{"34 bits", `"x";q=1;w=17179869183`, ``, rateLimit{0, -1, time.Minute, -1}, false},
		{"a reset of 34 bits", `"x";q=1;w=60`, `"x";r=0;t=17179869183`, rateLimit{1, 0, time.Minute, time.Minute}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{"Ratelimit-Policy": {c.policy}, "Ratelimit": {c.state}}
			r, ok := parseRateLimit(h, time.Unix(1e9, 0))
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, r)
		})
	}
}

// A daily quota does not hold the next request back for 87 s.
func TestB8DailyQuotaIsNotSpread(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := pacer{on: true}
	p.admitted(now)
	p.learn(now, http.Header{"Ratelimit-Policy": {`"daily";q=1000;w=86400`}, "Ratelimit": {`"daily";r=999;t=86400`}}, 0)
	require.Zero(t, p.delay(now))
}

// A window of two centuries holds nothing back.
func TestE11WindowOfCenturies(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := pacer{on: true}
	p.admitted(now)
	p.learn(now, http.Header{"Ratelimit-Policy": {`"x";q=1;w=7000000000`}}, 0)
	require.Zero(t, p.delay(now))
}

// A retry that is owed waits shorter, but is never sent at or after the hard limit.
func TestB9HardLimitIsHard(t *testing.T) {
	p, err := Parse([]byte(`{"name":"p","default":"retry","backoff":{"initial":"1s"},"budget":{"min_retries":2,"hard_elapsed":"400ms"}}`))
	require.NoError(t, err)
	for _, c := range []struct {
		elapsed time.Duration
		wait    interval
		stop    Stop
	}{
		{300 * time.Millisecond, interval{99 * time.Millisecond, 100*time.Millisecond - 1}, ""},
		{398 * time.Millisecond, interval{time.Millisecond, 2*time.Millisecond - 1}, ""},
		{399 * time.Millisecond, interval{}, stopHardElapsed},
		{400 * time.Millisecond, interval{}, stopHardElapsed},
		{time.Second, interval{}, stopHardElapsed},
	} {
		s, o := first(), answered(503, "")
		s.elapsed = c.elapsed
		d := p.decide(&s, &o)
		require.Equal(t, c.stop, d.stop, c.elapsed)
		require.Equal(t, c.wait, d.wait, c.elapsed)
	}
}

// A policy of one's own that says nothing of waits does as the server asks, within bounds.
func TestB11RetryAfterIsObeyedByDefault(t *testing.T) {
	p, err := Parse([]byte(`{"name":"p","default":"return","backoff":{"initial":"15ms"},"budget":{"attempts":3},"rules":[{"name":"busy","when":{"status":429},"do":"retry"}]}`))
	require.NoError(t, err)
	asked := func(wait string) decision {
		return decide(p, observed(Outcome{Status: 429, Header: http.Header{"Retry-After": {wait}}}, time.Time{}))
	}
	require.Equal(t, interval{time.Second, time.Second}, asked("1").wait)
	require.Equal(t, interval{15 * time.Millisecond, 15 * time.Millisecond}, asked("soon").wait)
	require.Equal(t, interval{5 * time.Minute, 5 * time.Minute}, asked("300").wait)
	require.Equal(t, stopRetryAfter, asked("301").stop)
}
