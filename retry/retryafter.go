package retry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns the wait that an answer asks for: `retry-after-ms`, then Retry-After in
// seconds, which may have a fraction, or as a date in one of the three forms of RFC 9110 section
// 5.6.7. A date is measured against the answer's own Date header, which makes a wrong local clock
// harmless, else against now. The result is never negative: a date that has passed is 0; numbers
// too large for a duration are the largest duration. ok is false where there is no header or it
// cannot be read.
func retryAfter(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	if v := h.Get("Retry-After-Ms"); v != "" {
		if d, ok := parseDecimal(v, time.Millisecond); ok {
			return d, true
		}
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0, false
	}
	if d, ok := parseDecimal(v, time.Second); ok {
		return d, true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(at.Sub(now), 0), true
}

// parseDecimal reads digits with an optional fraction, no sign and no exponent.
func parseDecimal(s string, unit time.Duration) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] == '.' || strings.Trim(s, "0123456789.") != "" || strings.Count(s, ".") > 1 {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && f == 0 {
		return 0, false
	}
	f *= float64(unit)
	if f >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return time.Duration(f), true
}
