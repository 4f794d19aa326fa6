package page

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/retry"
)

// An Outcome is what a run says of a document once it is concluded.
type Outcome struct {
	ID               string // as in its events; "" where there were none
	Name             string
	State            outcome.State
	Pages            int      // answered
	Missing          int      // pages without an answer
	MissingPages     []string // their ranges
	Elements         int
	Empty            string // why there is nothing in its answer; "" where there is something
	Requests         int
	Retries          int
	MaybeBilledTwice int
	MaybeBilled      int // chunks without an answer
	CacheHits        int
	Kind             partition.Kind // of the error
	Err              string
	Elapsed          time.Duration
}

// OutcomeOf is what the page says of a document.
func OutcomeOf(o *outcome.Outcome) Outcome {
	said := Outcome{
		ID: o.Report.ID, Name: o.Path, State: o.State, Pages: o.Report.AnsweredPages(), MissingPages: o.MissingPages(),
		Elements: o.Report.Elements, Requests: o.Report.Requests(), Retries: o.Report.Retries(),
		MaybeBilledTwice: o.Report.MaybeBilledTwice(), MaybeBilled: len(o.MaybeBilled()), CacheHits: o.Report.CacheHits(), Elapsed: o.Elapsed,
	}
	for _, missing := range o.Report.Missing {
		said.Missing += missing.Len()
	}
	if o.Err != nil {
		said.Kind, said.Err = o.Kind(), o.Message()
	}
	if o.Report.Empty {
		said.Empty = cmp.Or(said.Err, strings.Join(o.Report.Warnings, "; "))
	}
	return said
}

// The limits of what a run holds, however many documents there are. What is beyond is counted, and
// said on the page.
const (
	maxSlowest       = 50
	maxFailures      = 200
	maxEmpty         = 200
	maxFailedDrawn   = 50
	maxClosings      = 100
	maxStringBytes   = 1000 // of a name or an error
	maxMissingShown  = 20   // ranges of missing pages of one document
	maxMarksDocument = 300  // of one document's timeline
)

// A Run is the report of a run, gathered while it goes on: it holds a few megabytes at most,
// however many documents there are. It is safe for concurrent use. Its clock is the arrival of
// events.
type Run struct {
	title, engine string
	start         time.Time

	mu       sync.Mutex
	last     time.Duration // the latest event, since start
	live     map[string]*timeline
	slowest  []*timeline // the slowest first
	failed   []*timeline // in the order in which they ended
	undrawn  int         // failed documents that are not in failed
	ended    int         // documents with events
	failures []Outcome   // in the order of their outcomes
	empty    []Outcome   // likewise
	figures  figures
	rules    map[string]*ruleCount
	waits    map[chunkKey]pause // under way
	answers  map[answerKey]int
	overview overview

	closings     []closing
	moreClosings int  // that are not in closings
	closed       bool // the gate is
}

// figures are sums over the outcomes.
type figures struct {
	states                                                                                    map[outcome.State]int
	documents, empty, pages, missing, elements, requests, retries, twice, maybeBilled, cached int
}

// A ruleCount is what a row of the retry policy did.
type ruleCount struct {
	retries int
	waited  time.Duration // before the retries
	gaveUp  int
}

// An answerKey is how an attempt ended.
type answerKey struct {
	status int
	kind   retry.Kind
}

// A closing is a time in which the client's gate was closed, and every request waited.
type closing struct {
	from, to time.Duration
	open     bool
	rule     string
}

// NewRun begins the report of a run: its title, what produced the elements, and when it started.
func NewRun(title, engine string, start time.Time) *Run {
	return &Run{
		title: wire.Printable(title), engine: wire.Printable(engine), start: start,
		live: map[string]*timeline{}, rules: map[string]*ruleCount{}, waits: map[chunkKey]pause{}, answers: map[answerKey]int{},
		figures: figures{states: map[outcome.State]int{}}, overview: newOverview(),
	}
}

// Document adds what came of a document. It is called once for each, after the document's last
// event where it had any.
func (r *Run) Document(o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := cmp.Or(o.ID, o.Name)
	delete(r.live, id)
	f := &r.figures
	f.documents++
	f.states[o.State]++
	f.pages += o.Pages
	f.elements += o.Elements
	f.requests += o.Requests
	f.retries += o.Retries
	f.twice += o.MaybeBilledTwice
	f.maybeBilled += o.MaybeBilled
	f.cached += o.CacheHits
	f.missing += o.Missing
	kept := o.kept()
	for _, t := range slices.Concat(r.slowest, r.failed) {
		if t.id == id {
			t.outcome = kept
		}
	}
	if o.Empty != "" {
		f.empty++
		if len(r.empty) < maxEmpty {
			r.empty = append(r.empty, *kept)
		}
	}
	if (o.State == outcome.Failed || o.State == outcome.Partial) && len(r.failures) < maxFailures {
		r.failures = append(r.failures, *kept)
	}
}

// kept is the outcome within the limits.
func (o Outcome) kept() *Outcome {
	o.Name, o.Err, o.Empty = shorten(o.Name, maxStringBytes), shorten(o.Err, maxStringBytes), shorten(o.Empty, maxStringBytes)
	missing := o.MissingPages
	o.MissingPages = slices.Clone(missing[:min(len(missing), maxMissingShown)])
	if len(missing) > maxMissingShown {
		o.MissingPages = append(o.MissingPages, "…")
	}
	return &o
}
