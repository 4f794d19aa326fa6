package retry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Statuses is a set of HTTP statuses. Each entry is a status such as "503", a range such as
// "500-504" or a class such as "5XX". In JSON it is a list, a string with commas, or a number.
type Statuses []string

// parseStatuses reads entries separated by commas or blanks.
func parseStatuses(s string) (Statuses, error) {
	var out Statuses
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		if _, _, err := parseStatus(f); err != nil {
			return nil, err
		}
		out = append(out, strings.ToUpper(f))
	}
	if len(out) == 0 {
		return nil, errors.New("empty status list")
	}
	return out, nil
}

// has reports whether the set contains the status. Entries that cannot be read contain nothing;
// [Policy.Validate] rejects them.
func (s Statuses) has(status int) bool {
	for _, spec := range s {
		if lo, hi, err := parseStatus(spec); err == nil && lo <= status && status <= hi {
			return true
		}
	}
	return false
}

// members is the set as a table.
func (s Statuses) members() (in [600]bool) {
	for _, spec := range s {
		if lo, hi, err := parseStatus(spec); err == nil {
			for status := lo; status <= hi; status++ {
				in[status] = true
			}
		}
	}
	return in
}

// text joins the entries with commas.
func (s Statuses) text() string { return strings.Join(s, ", ") }

// UnmarshalJSON reads a list, a string or a number.
func (s *Statuses) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	entries, ok := v.([]any)
	if !ok {
		entries = []any{v}
	}
	var out Statuses
	for _, e := range entries {
		var text string
		switch e := e.(type) {
		case string:
			text = e
		case float64:
			text = strconv.FormatFloat(e, 'f', -1, 64)
		default:
			return fmt.Errorf("bad status %v: want 503, 5XX or 500-504", e)
		}
		part, err := parseStatuses(text)
		if err != nil {
			return err
		}
		out = append(out, part...)
	}
	*s = out
	return nil
}

// parseStatus returns the inclusive bounds of one entry.
func parseStatus(s string) (lo, hi int, err error) {
	bad := func() (int, int, error) {
		return 0, 0, fmt.Errorf("bad status %q: want 503, 5XX or 500-504, between 100 and 599", s)
	}
	if len(s) == 3 && (s[1:] == "XX" || s[1:] == "xx") {
		if s[0] < '1' || s[0] > '5' {
			return bad()
		}
		lo = int(s[0]-'0') * 100
		return lo, lo + 99, nil
	}
	first, last, isRange := strings.Cut(s, "-")
	lo, ok := statusNumber(first)
	if !ok {
		return bad()
	}
	if !isRange {
		return lo, lo, nil
	}
	hi, ok = statusNumber(last)
	if !ok || hi < lo {
		return bad()
	}
	return lo, hi, nil
}

func statusNumber(s string) (int, bool) {
	if len(s) != 3 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, n >= 100 && n <= 599
}
