package cmd

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/retry"
)

// simulateFlags are the flags of quire retry simulate.
type simulateFlags struct {
	sessions   int
	seed       uint64
	persistent float64
}

func newRetrySimulate(sh *shell) *cobra.Command {
	f := &simulateFlags{}
	c := &cobra.Command{
		Use:   "simulate",
		Short: "Show how much retries help against transient and persistent failures",
		Long: "Simulate runs sessions in simulated time, under the policies agent and agent-without-500. A session is one request with its\n" +
			"retries. With a transient failure, each attempt fails at random, with chance p. With a persistent failure, every attempt of\n" +
			"the session fails.\n\n" +
			"For n retries, the first table compares the success rate with the formula (closed form) 1-p^(n+1) and with a published run\n" +
			"of 1,000 sessions per cell; the 95 % band is for 1,000 sessions. The last table shows what it saves if the server says that\n" +
			"a failure is final, and what the limit same_answer saves. The same seed gives the same figures.",
		Example: "  quire retry simulate\n  quire retry simulate --sessions 100000 --seed 7 --persistent 0.5",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return f.run(sh) },
	}
	group(c.Flags(), groupInput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.IntVar(&f.sessions, "sessions", 1000, "sessions per cell of the tables")
		flags.Uint64Var(&f.seed, "seed", 1, "seed for the random numbers")
		flags.Float64Var(&f.persistent, "persistent", 0.986, "share of failures that are persistent, 0 to 1, in the last two rows")
	})
	return c
}

// published are the success rates of the article that the policy agent follows: 1,000 seeded
// sessions a cell.
var published = []struct {
	rate                float64
	noRetry, threeTries float64
}{
	{0.25, 0.746, 0.995},
	{0.50, 0.495, 0.943},
	{0.75, 0.246, 0.668},
}

func (f *simulateFlags) run(sh *shell) error {
	if f.sessions < 1 || !(f.persistent >= 0 && f.persistent <= 1) {
		return usageError("--sessions must be at least 1, --persistent must be 0 to 1")
	}
	agent, err := loadPolicy("agent")
	if err != nil {
		return err
	}
	without500, err := loadPolicy("agent-without-500")
	if err != nil {
		return err
	}
	w := sh.stdout
	retries := agent.Budget.Attempts - 1
	fmt.Fprintf(w, "# Transient failures\n\n%d sessions per cell, seed %d, policy agent (%d retries). p is the chance that one request fails.\n\n",
		f.sessions, f.seed, retries)
	fmt.Fprintln(w, "| p | retries | closed form | this run | 95 % band | published | inside |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, cell := range published {
		f.cell(w, &retry.Policy{Name: "no retry", Default: retry.Return}, cell.rate, 0, cell.noRetry)
		f.cell(w, agent, cell.rate, retries, cell.threeTries)
	}
	fmt.Fprint(w, "\nThe same draws answered with 500 and with 503, at p = 50 %:\n\n| policy | 500 | 503 |\n|---|---|---|\n")
	for _, policy := range []*retry.Policy{agent, without500} {
		fmt.Fprintf(w, "| %s | %.3f | %.3f |\n", policy.Name,
			f.simulate(policy, failure{status: 500, rate: 0.5}).rate(), f.simulate(policy, failure{status: 503, rate: 0.5}).rate())
	}
	fmt.Fprintf(w, "\n# Persistent failures\n\nA share of the sessions that fail at first fails for good. At p = 50 %%, without and with a verdict in the body\n"+
		"(\"retryable\": false) that the policy unstructured obeys, and without one but with that policy's limit same_answer:\n\n")
	fmt.Fprintln(w, "| persistent | policy | success | closed form | requests per session | requests per success | wait per success |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	unstructured, err := loadPolicy(defaultPolicy)
	if err != nil {
		return err
	}
	obeying := *unstructured
	obeying.Name, obeying.Backoff, obeying.Budget = "agent with the verdict", agent.Backoff, agent.Budget
	comparing := obeying
	comparing.Name, comparing.Budget.SameAnswer = "agent with same_answer", unstructured.Budget.SameAnswer
	tries := map[*retry.Policy]int{agent: retries + 1, &obeying: retries + 1, &comparing: min(retries+1, comparing.Budget.SameAnswer)}
	for _, share := range []float64{0, 0.25, 0.5, 0.75, f.persistent} {
		for _, policy := range []*retry.Policy{agent, &obeying, &comparing} {
			t := f.simulate(policy, failure{status: 500, rate: 0.5, persistent: share, verdict: policy == &obeying})
			successes := math.Max(t.successes, 1)
			fmt.Fprintf(w, "| %.1f %% | %s | %.3f | %.3f | %.2f | %.2f | %s |\n", 100*share, policy.Name, t.rate(),
				1-0.5*share-(1-share)*math.Pow(0.5, float64(tries[policy])), t.requests/float64(t.sessions), t.requests/successes,
				time.Duration(float64(t.waited)/successes).Round(10*time.Millisecond))
		}
	}
	return nil
}

// cell prints one row of the first table.
func (f *simulateFlags) cell(w io.Writer, policy *retry.Policy, p float64, retries int, published float64) {
	closed := 1 - math.Pow(p, float64(retries+1))
	run := f.simulate(policy, failure{status: 503, rate: p}).rate()
	band := 1.96 * math.Sqrt(closed*(1-closed)/1000) // the published runs had 1,000 sessions
	inside := "no"
	if math.Abs(published-closed) <= band {
		inside = "yes"
	}
	fmt.Fprintf(w, "| %.0f %% | %d | %.4f | %.4f | %.3f-%.3f | %.3f | %s |\n",
		100*p, retries, closed, run, closed-band, math.Min(closed+band, 1), published, inside)
}

// A failure is how a simulated server fails.
type failure struct {
	status     int
	rate       float64 // of requests, transient
	persistent float64 // share of the sessions failing at first that fail for good
	verdict    bool    // a persistent failure says so
}

// A tally is what came out of a number of sessions.
type tally struct {
	sessions            int
	successes, requests float64
	waited              time.Duration
}

func (t tally) rate() float64 { return t.successes / float64(t.sessions) }

// simulate runs sessions. The random numbers depend on the seed and the rate alone, so that every
// policy and status sees the same.
func (f *simulateFlags) simulate(policy *retry.Policy, fail failure) tally {
	draws := rand.New(rand.NewPCG(f.seed, uint64(fail.rate*1000)))
	t := tally{sessions: f.sessions}
	for range f.sessions {
		session := rand.New(rand.NewPCG(draws.Uint64(), draws.Uint64()))
		requests, waited, ok := play(policy, fail, session)
		t.requests += float64(requests)
		t.waited += waited
		if ok {
			t.successes++
		}
	}
	return t
}

// play is one session: the policy decides after every failure.
func play(policy *retry.Policy, fail failure, draws *rand.Rand) (requests int, waited time.Duration, ok bool) {
	forGood := draws.Float64() < fail.persistent
	trace := policy.Play(func(attempt int) retry.Outcome {
		requests = attempt
		if draws.Float64() >= fail.rate && (attempt == 1 || !forGood) {
			ok = true
			return retry.Outcome{Status: http.StatusOK}
		}
		body := `{"detail": "failed"}`
		if fail.verdict && forGood {
			body = `{"detail": "failed", "retryable": false}`
		}
		return retry.Outcome{Status: fail.status, Body: []byte(body), Sent: true}
	})
	return requests, trace.Slept, ok
}
