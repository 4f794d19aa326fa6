package retry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rateLimit is what an answer publishes about its server's rate.
type rateLimit struct {
	limit     int64         // requests a window
	remaining int64         // -1 where it is not said
	window    time.Duration // 1 minute where it is not said
	reset     time.Duration // time to the window's end; -1 where it is not said
}

// longestWindow is the longest window whose requests are spaced evenly. What a server allows in a
// longer one is a quota: spread over a day, a thousand requests would be one in 87 s.
const longestWindow = time.Hour

// epochFrom separates the two readings of x-ratelimit-reset: seconds from now, or since 1970.
const epochFrom = 1_000_000_000

// parseRateLimit reads x-ratelimit-limit, -remaining and -reset, and RateLimit and RateLimit-Policy
// of the IETF's draft (draft-ietf-httpapi-ratelimit-headers), whose windows are used. ok is false
// where no usable limit is published.
func parseRateLimit(h http.Header, now time.Time) (r rateLimit, ok bool) {
	r = rateLimit{remaining: -1, window: time.Minute, reset: -1}
	if list := h.Get("Ratelimit-Policy"); list != "" {
		name, found := r.strictest(list)
		if !found {
			return r, false
		}
		r.state(h.Get("Ratelimit"), name)
	}
	for _, prefix := range []string{"X-Ratelimit-", "Ratelimit-"} {
		if n := count(h.Get(prefix + "Limit")); n > 0 && r.limit <= 0 {
			r.limit = n
		}
		if n := count(h.Get(prefix + "Remaining")); n >= 0 && r.remaining < 0 {
			r.remaining = n
		}
		if n := count(h.Get(prefix + "Reset")); n >= 0 && r.reset < 0 {
			r.reset = seconds(n)
			if n >= epochFrom {
				r.reset = max(time.Unix(n, 0).Sub(now), 0)
			}
		}
	}
	r.reset = min(r.reset, r.window)
	return r, r.limit > 0
}

// count reads a number up to a day's worth of epoch seconds; lists ("100, 100;w=60") by their first
// entry. -1 is no number.
func count(s string) int64 {
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, ";")
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 34)
	if err != nil {
		return -1
	}
	return int64(n)
}

// strictest takes over the policy of a list ("burst";q=100;w=60, "daily";q=1000;w=86400) that
// allows the lowest rate, and returns its name. Windows that are longer than longestWindow do not
// count.
func (r *rateLimit) strictest(list string) (name string, found bool) {
	for entry := range strings.SplitSeq(list, ",") {
		window := time.Minute
		if w := parameter(entry, "w"); w > 0 {
			window = seconds(w)
		}
		limit := parameter(entry, "q")
		if limit <= 0 || window > longestWindow {
			continue
		}
		if !found || float64(window)/float64(limit) > float64(r.window)/float64(r.limit) {
			name, _, _ = strings.Cut(entry, ";")
			r.limit, r.window, found = limit, window, true
		}
	}
	return strings.TrimSpace(name), found
}

// state takes over what a list ("burst";r=50;t=30, "daily";r=900;t=4000) says of the policy of that
// name.
func (r *rateLimit) state(list, policy string) {
	for entry := range strings.SplitSeq(list, ",") {
		name, _, _ := strings.Cut(entry, ";")
		if strings.TrimSpace(name) != policy {
			continue
		}
		r.remaining = parameter(entry, "r")
		if t := parameter(entry, "t"); t >= 0 {
			r.reset = seconds(t)
		}
	}
}

// parameter returns the number of a parameter of an entry: "burst";q=100;w=60. -1 is none.
func parameter(entry, name string) int64 {
	for part := range strings.SplitSeq(entry, ";") {
		if k, v, ok := strings.Cut(part, "="); ok && strings.TrimSpace(k) == name {
			return count(v)
		}
	}
	return -1
}

// seconds is a number of seconds, at most the largest duration.
func seconds(n int64) time.Duration {
	if n > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}
