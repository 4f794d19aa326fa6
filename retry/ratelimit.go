package retry

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rateLimit is what an answer publishes about its server's rate.
type rateLimit struct {
	limit     int           // requests a window
	remaining int           // -1 where it is not said
	window    time.Duration // 1 minute where it is not said
	reset     time.Duration // time to the window's end; -1 where it is not said
}

// epochFrom separates the two readings of x-ratelimit-reset: seconds from now,
// or since 1970.
const epochFrom = 1_000_000_000

// parseRateLimit reads x-ratelimit-limit, -remaining and -reset, and RateLimit and
// RateLimit-Policy of the IETF's draft (draft-ietf-httpapi-ratelimit-headers),
// whose window is used. ok is false where no usable limit is published.
func parseRateLimit(h http.Header, now time.Time) (r rateLimit, ok bool) {
	r = rateLimit{remaining: -1, window: time.Minute, reset: -1}
	if v := h.Get("Ratelimit-Policy"); v != "" {
		r.limit = parameter(v, "q")
		if w := parameter(v, "w"); w > 0 {
			r.window = time.Duration(w) * time.Second
		}
	}
	if v := h.Get("Ratelimit"); v != "" {
		r.remaining = parameter(v, "r")
		if t := parameter(v, "t"); t >= 0 {
			r.reset = time.Duration(t) * time.Second
		}
	}
	for _, prefix := range []string{"X-Ratelimit-", "Ratelimit-"} {
		if n := count(h.Get(prefix + "Limit")); n > 0 && r.limit <= 0 {
			r.limit = n
		}
		if n := count(h.Get(prefix + "Remaining")); n >= 0 && r.remaining < 0 {
			r.remaining = n
		}
		if n := count(h.Get(prefix + "Reset")); n >= 0 && r.reset < 0 {
			r.reset = time.Duration(n) * time.Second
			if n >= epochFrom {
				r.reset = max(time.Unix(int64(n), 0).Sub(now), 0)
			}
		}
	}
	r.reset = min(r.reset, r.window)
	return r, r.limit > 0
}

// count reads a number up to a day's worth of epoch seconds; lists ("100,
// 100;w=60") by their first entry. -1 is no number.
func count(s string) int {
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, ";")
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 34)
	if err != nil {
		return -1
	}
	return int(n)
}

// parameter returns the number of a parameter in the first entry of a structured
// list: `"default";q=100;w=60`. -1 is none.
func parameter(s, name string) int {
	s, _, _ = strings.Cut(s, ",")
	for part := range strings.SplitSeq(s, ";") {
		if k, v, ok := strings.Cut(part, "="); ok && strings.TrimSpace(k) == name {
			return count(v)
		}
	}
	return -1
}
