package retry

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Policy says which requests are sent again, when, and how often. It is data: [Parse] reads it from
// JSON, [Policy.Validate] checks it, [Policy.Table] prints it. Nothing in this package changes a
// policy, and any number of calls may use it at once; to override a field, change a copy.
type Policy struct {
	// Name is the policy's name, for messages. Required.
	Name string
	// About is a sentence for the table; "" means none.
	About string
	// Rules are tried in order; the first that matches wins. Empty: Default decides alone.
	Rules []Rule
	// Default is the action for outcomes that no rule matches, except 2xx answers: [Return] or
	// [Retry]. Required.
	Default Action
	// Backoff is the wait before retries. The zero value is for policies that never retry.
	Backoff Backoff
	// Budget limits a call. A policy that retries needs Attempts, SoftElapsed or HardElapsed.
	Budget Budget
	// Peek limits how much of an answer is read before the decision; the zero value means defaults.
	Peek Peek
	// Pace makes the client keep to the rate that the server publishes in x-ratelimit-limit or
	// RateLimit-Policy. It does not spread requests over windows longer than an hour. False by
	// default.
	Pace bool
}

// Parse reads a policy from JSON and validates it. Unknown members are errors.
func Parse(data []byte) (*Policy, error) {
	p := new(Policy)
	if err := p.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// wirePolicy is the JSON form: durations are strings such as "20s".
type wirePolicy struct {
	Name    string      `json:"name"`
	About   string      `json:"about,omitempty"`
	Rules   []Rule      `json:"rules"`
	Default Action      `json:"default"`
	Backoff wireBackoff `json:"backoff,omitzero"`
	Budget  wireBudget  `json:"budget,omitzero"`
	Peek    wirePeek    `json:"peek,omitzero"`
	Pace    bool        `json:"pace,omitempty"`
}

type wireBackoff struct {
	Initial span    `json:"initial,omitzero"`
	Max     span    `json:"max,omitzero"`
	Factor  float64 `json:"factor,omitempty"`
	Jitter  string  `json:"jitter,omitempty"`
}

type wireBudget struct {
	Attempts     int  `json:"attempts,omitempty"`
	MinRetries   int  `json:"min_retries,omitempty"`
	SoftElapsed  span `json:"soft_elapsed,omitzero"`
	HardElapsed  span `json:"hard_elapsed,omitzero"`
	Resends      int  `json:"resends,omitempty"`
	SameAnswer   int  `json:"same_answer,omitempty"`
	RetryAfter   span `json:"retry_after,omitzero"`
	ToHeaders    span `json:"to_headers,omitzero"`
	BodyIdle     span `json:"body_idle,omitzero"`
	WholeAttempt span `json:"whole_attempt,omitzero"`
	Silence      span `json:"silence,omitzero"`
}

type wirePeek struct {
	Bytes  int  `json:"bytes,omitempty"`
	Wait   span `json:"wait,omitzero"`
	Result int  `json:"result,omitempty"`
}

// UnmarshalJSON reads what [Policy.MarshalJSON] writes. It does not validate.
func (p *Policy) UnmarshalJSON(data []byte) error {
	var w wirePolicy
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("%s: a %s does not belong there", wrong.Field, wrong.Value) // without the names of Go types
		}
		return fmt.Errorf("retry policy: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("retry policy: text after the JSON object")
	}
	for i := range w.Rules {
		w.Rules[i].respell()
	}
	*p = Policy{
		Name: w.Name, About: w.About, Rules: w.Rules, Default: w.Default, Pace: w.Pace,
		Backoff: Backoff{Initial: w.Backoff.Initial.d(), Max: w.Backoff.Max.d(), Factor: w.Backoff.Factor, Jitter: w.Backoff.Jitter},
		Budget: Budget{
			Attempts: w.Budget.Attempts, MinRetries: w.Budget.MinRetries,
			SoftElapsed: w.Budget.SoftElapsed.d(), HardElapsed: w.Budget.HardElapsed.d(),
			Resends: w.Budget.Resends, SameAnswer: w.Budget.SameAnswer, RetryAfter: w.Budget.RetryAfter.d(),
			ToHeaders: w.Budget.ToHeaders.d(), BodyIdle: w.Budget.BodyIdle.d(),
			WholeAttempt: w.Budget.WholeAttempt.d(), Silence: w.Budget.Silence.d(),
		},
		Peek: Peek{Bytes: w.Peek.Bytes, Wait: w.Peek.Wait.d(), Result: w.Peek.Result},
	}
	return nil
}

// MarshalJSON writes JSON that [Parse] reads.
func (p *Policy) MarshalJSON() ([]byte, error) {
	b := p.Budget
	return json.Marshal(wirePolicy{
		Name: p.Name, About: p.About, Rules: p.Rules, Default: p.Default, Pace: p.Pace,
		Backoff: wireBackoff{Initial: span(p.Backoff.Initial), Max: span(p.Backoff.Max), Factor: p.Backoff.Factor, Jitter: p.Backoff.Jitter},
		Budget: wireBudget{
			Attempts: b.Attempts, MinRetries: b.MinRetries, SoftElapsed: span(b.SoftElapsed), HardElapsed: span(b.HardElapsed),
			Resends: b.Resends, SameAnswer: b.SameAnswer, RetryAfter: span(b.RetryAfter), ToHeaders: span(b.ToHeaders),
			BodyIdle: span(b.BodyIdle), WholeAttempt: span(b.WholeAttempt), Silence: span(b.Silence),
		},
		Peek: wirePeek{Bytes: p.Peek.Bytes, Wait: span(p.Peek.Wait), Result: p.Peek.Result},
	})
}

// span is a duration that JSON writes as "1m30s".
type span time.Duration

func (s span) d() time.Duration { return time.Duration(s) }

// MarshalText writes the form that time.ParseDuration reads.
func (s span) MarshalText() ([]byte, error) { return []byte(formatSpan(s.d())), nil }

// UnmarshalText reads the form that time.ParseDuration reads.
func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = span(d)
	return err
}

//go:embed policies/*.json
var policies embed.FS

const defaultPolicy = "unstructured"

// Presets lists the built-in policies, the default first.
func Presets() []string {
	return []string{defaultPolicy, "unstructured-python", "openai-compatible", "search-api", "agent", "agent-without-500"}
}

// Preset returns a fresh copy of a built-in policy; ok is false for a name that [Presets] does not
// list.
func Preset(name string) (p *Policy, ok bool) {
	data, err := policies.ReadFile("policies/" + name + ".json")
	if err != nil || strings.Contains(name, "/") {
		return nil, false
	}
	p, err = Parse(data)
	if err != nil {
		panic(fmt.Sprintf("retry: built-in policy %s: %v", name, err)) // held by a test
	}
	return p, true
}

// spellings are the words of policy files as version 0.1.0 spelled them.
var spellings = map[string]string{
	"reset-before-sent": string(KindReset), "reset-after-sent": string(KindLost), "bad-length": string(KindLength),
	"not-json": notJSON, "not-object": notObject, "not-list": notList,
	"header-then-backoff":       string(waitHeaderThenBackoff),
	"drop-chat_template_kwargs": "drop_chat_template_kwargs",
}

// respell returns a word in today's spelling.
func respell[T ~string](word T) T {
	word = T(strings.TrimSpace(string(word)))
	if today, ok := spellings[string(word)]; ok {
		return T(today)
	}
	return word
}

// respell turns the words of a row that was read into today's spelling.
func (r *Rule) respell() {
	r.Wait, r.Patch = respell(r.Wait), respell(r.Patch)
	r.When.respell()
}

func (c *Condition) respell() {
	c.Body = respell(c.Body)
	for i, k := range c.Kind {
		c.Kind[i] = respell(k)
	}
	for i := range c.Any {
		c.Any[i].respell()
	}
	if c.Not != nil {
		c.Not.respell()
	}
}
