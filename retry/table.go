package retry

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Table returns the policy as two Markdown tables: its rules in the order in which they are tried,
// and its budget.
func (p *Policy) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", p.Name)
	if p.About != "" {
		fmt.Fprintf(&b, "%s\n\n", p.About)
	}
	b.WriteString("| # | rule | when | do | wait | why |\n|---|---|---|---|---|---|\n")
	for i := range p.Rules {
		r := &p.Rules[i]
		row(&b, strconv.Itoa(i+1), r.Name, r.When.text(), r.action(), r.waitText(), r.Why)
	}
	fallback := Rule{Name: ruleDefault, Do: p.Default}
	row(&b, "", ruleDefault, "anything else but a 2xx", fallback.action(), fallback.waitText(), "")
	b.WriteString("\n| budget | value |\n|---|---|\n")
	for _, line := range p.budgetLines() {
		row(&b, line[0], line[1])
	}
	return b.String()
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		c = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", "\\|")
		b.WriteString("| ")
		b.WriteString(c)
		if c != "" {
			b.WriteString(" ")
		}
	}
	b.WriteString("|\n")
}

func (r *Rule) action() string {
	do := string(r.Do)
	if r.Patch != "" {
		do += " " + r.Patch
	}
	switch {
	case r.Max == 1:
		do += " once"
	case r.Max > 1:
		do += fmt.Sprintf(" at most %d times", r.Max)
	}
	parts := []string{do}
	for _, mark := range []struct {
		set  bool
		text string
	}{
		{r.Do == Mutate, "not charged"},
		{r.Final, "declared final"},
		{r.Partial, "marked partial when the budget ends"},
		{r.Billed, "may be billed twice"},
		{r.Outage, "counts as outage"},
	} {
		if mark.set {
			parts = append(parts, mark.text)
		}
	}
	return strings.Join(parts, ", ")
}

func (r *Rule) waitText() string {
	if r.Do == Return {
		return ""
	}
	kind := r.waitKind()
	switch kind {
	case waitNone, waitBackoff:
		return string(kind)
	case waitHeader:
		return "Retry-After, else backoff"
	case waitHeaderThenBackoff:
		return "Retry-After, then Retry-After plus backoff"
	}
	d, _ := kind.fixed()
	return formatSpan(d)
}

func (p *Policy) budgetLines() [][2]string {
	limit := func(n int) string {
		if n == 0 {
			return "no limit"
		}
		return strconv.Itoa(n)
	}
	length := func(d time.Duration) string {
		if d == 0 {
			return "no limit"
		}
		return formatSpan(d)
	}
	b, peek := p.Budget, p.Peek.withDefaults()
	factor, jitter, most := p.Backoff.Factor, p.Backoff.Jitter, "no maximum"
	if factor == 0 {
		factor = 2
	}
	if jitter == "" {
		jitter = jitterNone
	}
	if p.Backoff.Max > 0 {
		most = "at most " + formatSpan(p.Backoff.Max)
	}
	lines := [][2]string{
		{"backoff", fmt.Sprintf("%s, times %s, %s, jitter %s", formatSpan(p.Backoff.Initial), strconv.FormatFloat(factor, 'g', -1, 64), most, jitter)},
		{"attempts", limit(b.Attempts)},
		{"retries owed", strconv.Itoa(b.MinRetries)},
		{"soft elapsed", length(b.SoftElapsed)},
		{"hard elapsed", length(b.HardElapsed)},
		{"resends that may be billed twice", limit(b.Resends)},
		{"same answer", sameAnswerText(b.SameAnswer)},
		{"longest Retry-After", formatSpan(b.retryAfter())},
		{"whole attempt", length(b.WholeAttempt)},
		{"attempt to headers", length(b.ToHeaders)},
		{"body without 1 KiB", length(b.BodyIdle)},
		{"peek at an error", fmt.Sprintf("%d bytes, %s", peek.Bytes, formatSpan(peek.Wait))},
	}
	if p.looksAtResults() {
		lines = append(lines, [2]string{"peek at a result", fmt.Sprintf("%d bytes", peek.Result)})
	}
	if p.Pace {
		lines = append(lines, [2]string{"pace", "the published rate"})
	}
	return lines
}

func sameAnswerText(n int) string {
	if n == 0 {
		return "no limit"
	}
	return fmt.Sprintf("%d times over at least %s, where the server works", n, formatSpan(sameAnswerSpread))
}

func (p *Policy) looksAtResults() bool {
	for i := range p.Rules {
		if w := &p.Rules[i].When; w.needsBody() && (len(w.Status) == 0 || w.Status.has(200)) {
			return true
		}
	}
	return false
}

// formatSpan writes a duration without the zero units of [time.Duration.String]: 5m instead of
// 5m0s.
func formatSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
