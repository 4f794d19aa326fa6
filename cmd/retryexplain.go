package cmd

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/retry"
)

// explainFlags describe an outcome.
type explainFlags struct {
	status  int
	headers []string
	body    string
	kind    string
	sent    bool
	facts   []string
	patches []string
	attempt int
	free    int
	resends int
	elapsed time.Duration
}

const explainExample = `  quire retry explain --status 503 --body '{"detail":"x","retryable":false}'
  quire retry explain --status 429 --header 'Retry-After: 5' --attempt 2 --elapsed 40s
  quire retry explain unstructured-python --status 503 --attempt 6 --elapsed 321s
  quire retry explain openai-compatible --error dial`

func newRetryExplain(sh *shell) *cobra.Command {
	f := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain [POLICY]",
		Short: "Show what a policy does after an attempt, and why",
		Long: "Explain shows what a policy does after one attempt, given how the attempt ended. The first line is the action (return, retry\n" +
			"or mutate) with its wait; the rule that decided and the limits follow.",
		Example: explainExample,
		Args:    onePolicy,
		RunE: func(_ *cobra.Command, args []string) error {
			policy, err := policyArgument(args)
			if err != nil {
				return err
			}
			return f.run(sh, policy)
		},
	}
	kinds := make([]string, 0, len(retry.Kinds()))
	for _, kind := range retry.Kinds() {
		kinds = append(kinds, string(kind))
	}
	group(c.Flags(), groupInput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.IntVar(&f.status, "status", 0, "HTTP status of the answer")
		flags.StringArrayVar(&f.headers, "header", nil, "header of the answer, as 'Name: value'; may be repeated")
		flags.StringVar(&f.body, "body", "", "body of the answer")
		flags.StringVar(&f.kind, "error", "", "kind of error: "+strings.Join(kinds, ", "))
		flags.BoolVar(&f.sent, "sent", false, "the whole request had been sent")
		flags.StringArrayVar(&f.facts, "fact", nil, "fact that the caller states, as name=true or name=false; may be repeated")
		flags.StringArrayVar(&f.patches, "patch", nil, "change of the request that the caller offers; may be repeated")
		flags.IntVar(&f.attempt, "attempt", 1, "number of the attempt")
		flags.IntVar(&f.free, "free", 0, "earlier attempts that did not count")
		flags.IntVar(&f.resends, "resends", 0, "earlier attempts that may be billed twice")
		flags.DurationVar(&f.elapsed, "elapsed", 0, "time since the first attempt began")
	})
	return c
}

func (f *explainFlags) run(sh *shell, policy *retry.Policy) error {
	observation, err := f.observation()
	if err != nil {
		return err
	}
	state := retry.State{Attempt: f.attempt, Free: f.free, Elapsed: f.elapsed, Resends: f.resends, Patches: f.patches}
	if f.attempt < 1 || f.free < 0 || f.resends < 0 || f.elapsed < 0 {
		return usageError("--attempt must be at least 1, and no number may be negative")
	}
	_, err = fmt.Fprint(sh.stdout, explain(policy, state, observation))
	return err
}

func (f *explainFlags) observation() (retry.Observation, error) {
	o := retry.Observation{Method: http.MethodPost, Status: f.status, Header: http.Header{}, Kind: retry.Kind(f.kind), Sent: f.sent, At: time.Now()}
	if f.status == 0 && f.kind == "" {
		return o, usageError("--status or --error is missing")
	}
	if f.status != 0 && (f.status < 100 || f.status > 599) {
		return o, usageError("status %d: must be 100 to 599", f.status)
	}
	if f.kind != "" && !slices.Contains(retry.Kinds(), o.Kind) {
		return o, usageError("unknown error %q", f.kind)
	}
	for _, header := range f.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok {
			return o, usageError("header %q: must be 'Name: value'", header)
		}
		o.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if f.status != 0 {
		o.Peek, o.PeekEOF, o.Sent = []byte(f.body), true, true
	}
	o.Facts = map[string]bool{}
	for _, fact := range f.facts {
		name, value, ok := strings.Cut(fact, "=")
		if !ok || value != "true" && value != "false" {
			return o, usageError("fact %q: must be name=true or name=false", fact)
		}
		o.Facts[name] = value == "true"
	}
	return o, nil
}

// explain says what a policy does, and why.
func explain(policy *retry.Policy, state retry.State, o retry.Observation) string {
	d := policy.Decide(state, o)
	var b strings.Builder
	b.WriteString(string(d.Action))
	switch {
	case d.Action == retry.Return:
		fmt.Fprintf(&b, " after %s", words.Count(state.Attempt, "attempt"))
	case d.Wait.Min == d.Wait.Max:
		fmt.Fprintf(&b, " after %s", d.Wait.Min)
	default:
		fmt.Fprintf(&b, " after %s to %s", d.Wait.Min, d.Wait.Max)
	}
	fmt.Fprintf(&b, "\npolicy: %s\n", policy.Name)
	fmt.Fprintf(&b, "row: %s\n", rowOf(policy, d.Rule))
	if d.Why != "" {
		fmt.Fprintf(&b, "why: %s\n", d.Why)
	}
	if d.Patch != "" {
		fmt.Fprintf(&b, "change: %s\n", d.Patch)
	}
	if d.Stop != "" {
		fmt.Fprintf(&b, "stopped by: %s\n", d.Stop)
	}
	for _, mark := range []struct {
		set  bool
		text string
	}{
		{d.Final, "the server declared it final"},
		{d.Asked > 0, "the server asked for this wait"},
		{d.Partial, "the answer is usable, but incomplete"},
		{d.Free, "does not count as an attempt"},
		{d.Billed && d.Action != retry.Return, "the retry may be billed twice"},
		{d.Outage, "counts towards closing the gate for all requests"},
	} {
		if mark.set {
			fmt.Fprintf(&b, "note: %s\n", mark.text)
		}
	}
	return b.String()
}

// rowOf is a row with its number and condition.
func rowOf(policy *retry.Policy, name string) string {
	for i, rule := range policy.Rules {
		if rule.Name == name {
			return fmt.Sprintf("%d, %s (%s)", i+1, name, rule.When.String())
		}
	}
	switch name {
	case retry.RuleSuccess:
		return "none: a 2xx answer that no row claims is a success"
	case retry.RuleNever:
		return "none: such an error is never retried"
	default:
		return "none: no row matches, so the policy's default applies"
	}
}
