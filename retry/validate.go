package retry

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Validate reports everything that is wrong with the policy, one line each: a missing name or
// default, an unknown word, an invalid status, a rule that no outcome can reach, a rule that lacks
// what its action needs or has what its action cannot use, a negative number, and retries without
// any limit.
func (p *Policy) Validate() error {
	var errs []error
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("retry policy %q: "+format, append([]any{p.Name}, args...)...))
	}
	if strings.TrimSpace(p.Name) == "" {
		add("no name")
	}
	switch p.Default {
	case Return, Retry:
	case "":
		add("no default: set it to return or retry")
	default:
		add("unknown default %q: want return or retry", p.Default)
	}
	names := map[string]bool{ruleSuccess: true, ruleDefault: true, ruleNever: true}
	repeats := p.Default == Retry
	for i := range p.Rules {
		r := &p.Rules[i]
		repeats = repeats || r.Do == Retry
		if strings.TrimSpace(r.Name) == "" {
			add("rule %d: no name", i+1)
		} else if names[r.Name] {
			add("rule %d: the name %q is taken", i+1, r.Name)
		}
		names[r.Name] = true
		for _, err := range r.problems() {
			add("rule %d (%s): %w", i+1, r.Name, err)
		}
		for j := range i {
			if e := &p.Rules[j]; e.Max == 0 && e.Do != Mutate && e.When.covers(&r.When) {
				add("rule %d (%s): unreachable, because rule %d (%s) matches everything that it matches", i+1, r.Name, j+1, e.Name)
				break
			}
		}
	}
	for _, err := range p.Backoff.problems(repeats) {
		add("backoff: %w", err)
	}
	for _, err := range p.Budget.problems(repeats) {
		add("budget: %w", err)
	}
	if p.Peek.Bytes < 0 || p.Peek.Wait < 0 || p.Peek.Result < 0 {
		add("peek: negative value")
	}
	return joined(errs)
}

// joined is the errors in one line.
func joined(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return errors.New(strings.Join(texts, "; "))
}

func (r *Rule) problems() (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch r.Do {
	case Return:
		if r.Wait != "" || r.Billed || r.Partial {
			add("wait, billed and partial are only for rules that retry")
		}
	case Retry:
		if r.Final {
			add("final is only for return")
		}
	case Mutate:
		if r.Patch == "" || r.Max < 1 {
			add("mutate needs a patch and a max of at least 1")
		}
		if r.Final {
			add("final is only for return")
		}
	case "":
		add("no action: set do to return, retry or mutate")
	default:
		add("unknown action %q: want return, retry or mutate", r.Do)
	}
	if r.Patch != "" && r.Do != Mutate {
		add("patch is only for mutate")
	}
	if r.Max < 0 {
		add("negative max")
	}
	if !r.Wait.valid() {
		add("unknown wait %q: want none, backoff, header, header_then_backoff or a duration", r.Wait)
	}
	return append(errs, r.When.problems()...)
}

func (c *Condition) problems() (errs []error) {
	for _, s := range c.Status {
		if _, _, err := parseStatus(s); err != nil {
			errs = append(errs, err)
		}
	}
	for _, k := range c.Kind {
		if !slices.Contains(Kinds(), k) {
			errs = append(errs, fmt.Errorf("unknown error kind %q: want one of %v", k, Kinds()))
		} else if k.permanent() {
			errs = append(errs, fmt.Errorf("errors of kind %q are never retried, so no rule can match them", k))
		}
	}
	for _, h := range slices.Concat(c.Header, c.NoHeader) {
		if name, _, _ := strings.Cut(h, ":"); !isToken(strings.TrimSpace(name)) {
			errs = append(errs, fmt.Errorf("bad header name %q", name))
		}
	}
	for _, h := range c.NoHeader {
		if strings.Contains(h, ":") {
			errs = append(errs, fmt.Errorf("no_header takes a name, not %q", h))
		}
	}
	for name := range c.JSON {
		if name == "" {
			errs = append(errs, errors.New("empty JSON member name"))
		}
	}
	switch c.Body {
	case "", notJSON, notObject, notList:
	default:
		errs = append(errs, fmt.Errorf("unknown body shape %q: want not_json, not_object or not_list", c.Body))
	}
	for i := range c.Any {
		errs = append(errs, c.Any[i].problems()...)
	}
	if c.Not != nil {
		errs = append(errs, c.Not.problems()...)
	}
	return errs
}

// covers reports whether every outcome that d matches is surely matched by c. It may miss some: it
// never claims too much.
func (c *Condition) covers(d *Condition) bool {
	if len(c.Any) > 0 || c.Not != nil {
		return c.text() == d.text()
	}
	if len(c.Status) > 0 {
		if len(d.Status) == 0 {
			return false
		}
		inner, outer := d.Status.members(), c.Status.members()
		for status, in := range inner {
			if in && !outer[status] {
				return false
			}
		}
	}
	if len(c.Kind) > 0 && (len(d.Kind) == 0 || !subset(d.Kind, c.Kind)) {
		return false
	}
	for name, want := range c.JSON {
		if got, ok := d.JSON[name]; !ok || got != want {
			return false
		}
	}
	for name, want := range c.Fact {
		if got, ok := d.Fact[name]; !ok || got != want {
			return false
		}
	}
	return subset(c.Header, d.Header) && subset(c.NoHeader, d.NoHeader) && (c.Body == "" || c.Body == d.Body)
}

func subset[T comparable](small, large []T) bool {
	for _, v := range small {
		if !slices.Contains(large, v) {
			return false
		}
	}
	return true
}

func (b Backoff) problems(used bool) (errs []error) {
	if b.Initial < 0 || b.Max < 0 {
		errs = append(errs, errors.New("negative duration"))
	}
	if used && b.Initial == 0 {
		errs = append(errs, errors.New("no initial wait"))
	}
	if b.Factor != 0 && !(b.Factor >= 1 && b.Factor <= 100) {
		errs = append(errs, fmt.Errorf("factor %g: want 1 to 100", b.Factor))
	}
	if b.Max > 0 && b.Max < b.Initial {
		errs = append(errs, fmt.Errorf("max %s is below initial %s", b.Max, b.Initial))
	}
	switch b.Jitter {
	case "", jitterNone, jitterFull, jitterEqual, jitterSecond:
	default:
		errs = append(errs, fmt.Errorf("unknown jitter %q: want none, full, equal or second", b.Jitter))
	}
	return errs
}

func (b Budget) problems(used bool) (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if slices.Min([]int{b.Attempts, b.MinRetries, b.Resends, b.SameAnswer}) < 0 {
		add("negative number")
	}
	if b.SameAnswer == 1 {
		add("same_answer 1: want 0 or at least 2")
	}
	if slices.Min([]time.Duration{b.SoftElapsed, b.HardElapsed, b.RetryAfter, b.ToHeaders, b.BodyIdle, b.WholeAttempt, b.Silence}) < 0 {
		add("negative duration")
	}
	if used && b.Attempts == 0 && b.SoftElapsed == 0 && b.HardElapsed == 0 {
		add("no bound: set attempts, soft_elapsed or hard_elapsed")
	}
	return errs
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}
