package retry

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStatuses(t *testing.T) {
	s, err := parseStatuses("503, 4xx 500-501")
	require.NoError(t, err)
	require.Equal(t, Statuses{"503", "4XX", "500-501"}, s)
	for status, want := range map[int]bool{399: false, 400: true, 499: true, 500: true, 501: true, 502: false, 503: true, 504: false, 0: false} {
		require.Equal(t, want, s.has(status), status)
	}
	for text, want := range map[string]Statuses{`503`: {"503"}, `"503, 5XX"`: {"503", "5XX"}, `[429, "500-504"]`: {"429", "500-504"}} {
		var got Statuses
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, want, got)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const long = time.Duration(1<<63 - 1)
	for _, c := range []struct {
		header string
		want   time.Duration
		ok     bool
	}{
		{"Retry-After: 120", 2 * time.Minute, true},
		{"Retry-After: 1.5", 1500 * time.Millisecond, true},
		{"Retry-After: 0", 0, true},
		{"Retry-After:  7 ", 7 * time.Second, true},
		{"Retry-After: 9223372036", 9223372036 * time.Second, true},
		{"Retry-After: 9223372037", long, true},
		{"Retry-After: 99999999999999999999999", long, true},
		{"Retry-After: " + strings.Repeat("9", 400), long, true},
		{"Retry-After: -1", 0, false},
		{"Retry-After: +1", 0, false},
		{"Retry-After: 1e3", 0, false},
		{"Retry-After: 1.2.3", 0, false},
		{"Retry-After: .5", 0, false},
		{"Retry-After: NaN", 0, false},
		{"Retry-After: Inf", 0, false},
		{"Retry-After: soon", 0, false},
		{"Retry-After: ", 0, false},
		{"X: 1", 0, false},
		{"Retry-After: Fri, 02 Jan 2026 03:04:35 GMT", 30 * time.Second, true},
		{"Retry-After: Friday, 02-Jan-26 03:04:35 GMT", 30 * time.Second, true},
		{"Retry-After: Fri Jan  2 03:04:35 2026", 30 * time.Second, true},
		{"Retry-After: Fri, 02 Jan 2026 03:00:00 GMT", 0, true},
		{"Retry-After: Fri, 02 Jan 2026 05:00:30 GMT\nDate: Fri, 02 Jan 2026 05:00:00 GMT", 30 * time.Second, true},
		{"Retry-After-Ms: 250\nRetry-After: 9", 250 * time.Millisecond, true},
		{"Retry-After-Ms: x\nRetry-After: 9", 9 * time.Second, true},
		{"Retry-After-Ms: 99999999999999999999", long, true},
	} {
		got, ok := retryAfter(headerLines(c.header), now)
		require.Equal(t, c.ok, ok, c.header)
		require.Equal(t, c.want, got, c.header)
	}
}

func TestBackoff(t *testing.T) {
	b := Backoff{Initial: time.Second, Max: 10 * time.Second}
	for n, want := range []time.Duration{1, 2, 4, 8, 10, 10} {
		require.Equal(t, interval{want * time.Second, want * time.Second}, b.step(n))
	}
	require.Equal(t, 10*time.Second, b.step(math.MaxInt).max)
	for jitter, want := range map[string]interval{
		"full":   {0, 4 * time.Second},
		"equal":  {2 * time.Second, 4 * time.Second},
		"second": {4 * time.Second, 5 * time.Second},
	} {
		b.Jitter = jitter
		require.Equal(t, want, b.step(2))
	}
	b.Jitter = "second"
	require.Equal(t, interval{10 * time.Second, 10 * time.Second}, b.step(9))
	require.Equal(t, time.Duration(1<<63-1), Backoff{Initial: time.Hour}.step(300).max)
	require.Equal(t, 9*time.Second, Backoff{Initial: time.Second, Factor: 3}.step(2).max)
	i := interval{time.Second, 3 * time.Second}
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second, time.Second},
		[]time.Duration{i.pick(0), i.pick(0.5), i.pick(1), i.pick(7), i.pick(-1)})
}
