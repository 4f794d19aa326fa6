package cmd

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	same    int
	works   bool
	elapsed time.Duration
}

const explainExample = `  quire retry explain --status 503 --body '{"detail":"x","retryable":false}'
  quire retry explain --status 429 --header 'Retry-After: 5' --attempt 2 --elapsed 40s
  quire retry explain --status 500 --attempt 3 --same 2 --elapsed 6s --works
  quire retry explain unstructured-python --status 503 --attempt 6 --elapsed 321s
  quire retry explain openai-compatible --error dial`

func newRetryExplain(sh *shell) *cobra.Command {
	f := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain [POLICY]",
		Short: "Show what a policy does after an attempt, and why",
		Long: "Explain shows what a policy does after one attempt. The flags say how the attempt ended. The first line names the action and\n" +
			"its wait: return (send nothing more), retry, or mutate (change the request and retry). The lines after it name the rule that\n" +
			"decided, and the limits.",
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
		flags.StringArrayVar(&f.headers, "header", nil, "`header` of the answer, as 'Name: value'; may be repeated")
		flags.StringVar(&f.body, "body", "", "body of the answer")
		flags.StringVar(&f.kind, "error", "", "kind of error: "+strings.Join(kinds, ", "))
		flags.BoolVar(&f.sent, "sent", false, "the whole request was sent before the error")
		flags.StringArrayVar(&f.facts, "fact", nil, "set a fact that the rules can test, as `name=true` or name=false; may be repeated")
		flags.StringArrayVar(&f.patches, "patch", nil, "`name` of a change to the request that a mutate rule can ask for; may be repeated")
		flags.IntVar(&f.attempt, "attempt", 1, "number of this attempt, counted from 1")
		flags.IntVar(&f.free, "free", 0, "earlier attempts that do not count towards the limit, because a mutate rule matched them")
		flags.IntVar(&f.resends, "resends", 0, "earlier attempts that the server may have billed")
		flags.IntVar(&f.same, "same", 0, "earlier attempts in a row that got the same answer")
		flags.BoolVar(&f.works, "works", false, "the server has answered other requests since the first of those")
		flags.DurationVar(&f.elapsed, "elapsed", 0, "time since the first attempt began")
	})
	return c
}

func (f *explainFlags) run(sh *shell, policy *retry.Policy) error {
	outcome, err := f.outcome()
	if err != nil {
		return err
	}
	call, err := f.call()
	if err != nil {
		return err
	}
	before, err := f.before(policy)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(sh.stdout, policy.Explain(call, before, outcome))
	return err
}

// before is what the call had done before the attempt.
func (f *explainFlags) before(policy *retry.Policy) (retry.Trace, error) {
	if f.attempt < 1 || f.free < 0 || f.resends < 0 || f.same < 0 || f.elapsed < 0 {
		return retry.Trace{}, usageError("--attempt must be at least 1, and no number may be negative")
	}
	if f.free >= f.attempt || f.resends >= f.attempt || f.same >= f.attempt {
		return retry.Trace{}, usageError("--free, --resends and --same count attempts before --attempt %d", f.attempt)
	}
	before := retry.Trace{Attempts: make([]retry.Event, f.attempt-1), Elapsed: f.elapsed}
	for i := range f.resends {
		before.Attempts[i].MaybeBilled = true
	}
	if f.same > 0 {
		before.Attempts[f.attempt-2].Same = f.same
	}
	if f.free == 0 {
		return before, nil
	}
	row := slices.IndexFunc(policy.Rules, func(r retry.Rule) bool { return r.Do == retry.Mutate })
	if row < 0 {
		return retry.Trace{}, usageError("--free %d: policy %s has no retries that do not count", f.free, policy.Name)
	}
	for i := range f.free {
		before.Attempts[i].Rule = policy.Rules[row].Name
	}
	return before, nil
}

func (f *explainFlags) outcome() (retry.Outcome, error) {
	kind := retry.Kind(strings.ReplaceAll(f.kind, "-", "_")) // version 0.1.0 wrote reset-before-sent
	o := retry.Outcome{Status: f.status, Header: http.Header{}, Kind: kind, Sent: f.sent || f.status != 0, Body: []byte(f.body)}
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
	return o, nil
}

// call is what the caller states and offers.
func (f *explainFlags) call() (retry.Call, error) {
	call := retry.Call{Facts: map[string]bool{}, Patches: map[string]func(*http.Request) error{}}
	for _, fact := range f.facts {
		name, value, ok := strings.Cut(fact, "=")
		if !ok || value != "true" && value != "false" {
			return call, usageError("fact %q: must be name=true or name=false", fact)
		}
		call.Facts[name] = value == "true"
	}
	if f.works {
		call.Alive = func(context.Context) bool { return true }
	}
	for _, patch := range f.patches {
		call.Patches[patch] = func(*http.Request) error { return nil }
	}
	return call, nil
}
