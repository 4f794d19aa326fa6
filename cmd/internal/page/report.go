package page

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition/wire"
)

// A Total is one of the figures at the top of a report.
type Total struct{ Name, Value string }

// A report is a run as the template takes it.
type report struct {
	Head                         head
	Title, Engine, Started, Took string
	Totals                       []Total
	Overview                     chart
	Failures                     []failure
	MoreFailures                 int
	Empty                        []Total // names and causes
	MoreEmpty                    int
	Slowest                      []slow
	MoreDocuments                int
	Rules                        []ruleLine
	Answers                      []Total
	Closings                     []closingLine
	MoreClosings                 int
	Drawn                        []drawing
	Undrawn                      int // failed documents without a timeline
}

// A failure is a document with a cause.
type failure struct {
	Name, State, Kind, Why, Missing string
	Anchor                          string // of its timeline; empty without one
}

// A slow is one of the slowest documents.
type slow struct {
	Name, Anchor, Took, State string
	Known                     bool // the figures below are known
	Pages, Requests, Retries  int
}

type ruleLine struct {
	Name, Waited    string
	Retries, GaveUp int
}

type closingLine struct{ From, Took, Rule string }

// Write writes the page. More totals are shown behind those that the outcomes give.
func (r *Run) Write(w io.Writer, more []Total) error {
	report := r.report(more)
	out := bufio.NewWriterSize(w, 64<<10)
	if err := newTemplate("run.html").ExecuteTemplate(out, "run", report); err != nil {
		return err
	}
	return out.Flush()
}

// report draws everything as it is now.
func (r *Run) report(more []Total) *report {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &report{
		Head: newHead(r.title, readFile("run.css")), Title: r.title, Engine: r.engine,
		Started: r.start.Format("2006-01-02 15:04:05 -07:00"), Took: span(r.last),
		Totals: append(r.totals(), more...), Overview: r.drawOverview(),
		MoreFailures:  r.figures.states[outcome.Failed] + r.figures.states[outcome.Partial] - len(r.failures),
		MoreEmpty:     r.figures.empty - len(r.empty),
		MoreDocuments: r.ended - len(r.slowest), MoreClosings: r.moreClosings, Undrawn: r.undrawn,
	}
	anchors := map[string]string{}
	for i, t := range r.drawn() {
		anchor := "d" + strconv.Itoa(i+1)
		anchors[t.name] = anchor
		p.Drawn = append(p.Drawn, r.draw(t, anchor))
	}
	for _, o := range r.failures {
		p.Failures = append(p.Failures, failure{
			wire.Printable(o.Name), string(o.State), string(o.Kind), wire.Printable(o.Err),
			strings.Join(o.MissingPages, ", "), anchors[o.Name],
		})
	}
	for _, o := range r.empty {
		p.Empty = append(p.Empty, Total{wire.Printable(o.Name), wire.Printable(o.Empty)})
	}
	for _, t := range r.slowest {
		line := slow{Name: wire.Printable(t.name), Anchor: anchors[t.name], Took: span(t.elapsed), State: t.state()}
		if o := t.outcome; o != nil {
			line.Known, line.Pages, line.Requests, line.Retries = true, o.Pages, o.Requests, o.Retries
		}
		p.Slowest = append(p.Slowest, line)
	}
	for _, name := range slices.Sorted(maps.Keys(r.rules)) {
		c := r.rules[name]
		p.Rules = append(p.Rules, ruleLine{wire.Printable(cmp.Or(name, "no rule")), span(c.waited), c.retries, c.gaveUp})
	}
	p.Answers = r.answerLines()
	for _, c := range r.closings {
		p.Closings = append(p.Closings, closingLine{span(c.from), span(r.until(c) - c.from), wire.Printable(c.rule)})
	}
	return p
}

// totals are the figures that the outcomes give; of those that are mostly 0 only what is not.
func (r *Run) totals() []Total {
	f := &r.figures
	totals := []Total{{"documents", strconv.Itoa(f.documents)}}
	for _, row := range []struct {
		name   string
		count  int
		always bool
	}{
		{"done", f.states[outcome.Done], true},
		{"partial", f.states[outcome.Partial], false},
		{"failed", f.states[outcome.Failed], true},
		{"unchanged", f.states[outcome.Unchanged], false},
		{"not done", f.states[outcome.NotDone], false},
		{"empty", f.empty, false},
		{"pages", f.pages, true},
		{"missing pages", f.missing, false},
		{"elements", f.elements, true},
		{"requests", f.requests, true},
		{"retries", f.retries, true},
		{"maybe billed twice", f.twice, false},
		{"maybe billed without an answer", f.maybeBilled, false},
		{"answered by the cache", f.cached, false},
	} {
		if row.always || row.count != 0 {
			totals = append(totals, Total{row.name, strconv.Itoa(row.count)})
		}
	}
	return totals
}

// answerLines says how attempts ended, the most frequent first.
func (r *Run) answerLines() []Total {
	keys := slices.SortedFunc(maps.Keys(r.answers), func(a, b answerKey) int {
		return cmp.Or(cmp.Compare(r.answers[b], r.answers[a]), cmp.Compare(a.status, b.status), cmp.Compare(a.kind, b.kind))
	})
	lines := make([]Total, len(keys))
	for i, k := range keys {
		lines[i] = Total{k.long(), strconv.Itoa(r.answers[k])}
	}
	return lines
}

// long is "503 Service Unavailable", or the kind of error.
func (k answerKey) long() string {
	text := k.short()
	if k.kind == "" && k.status != 0 {
		text = strings.TrimSpace(text + " " + http.StatusText(k.status))
	}
	return text
}

// short is "503", or the kind of error.
func (k answerKey) short() string {
	switch {
	case k.kind != "" && k.status != 0:
		return fmt.Sprintf("%d (%s)", k.status, k.kind)
	case k.kind != "":
		return string(k.kind)
	case k.status != 0:
		return strconv.Itoa(k.status)
	}
	return "no answer"
}

// drawn are the timelines on the page, in the order in which their documents began.
func (r *Run) drawn() []*timeline {
	drawn := slices.Clone(r.failed)
	for _, t := range r.slowest {
		if !slices.Contains(drawn, t) {
			drawn = append(drawn, t)
		}
	}
	slices.SortStableFunc(drawn, func(a, b *timeline) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.name, b.name))
	})
	return drawn
}

// state is how a document ended, as far as is known, in words.
func (t *timeline) state() string {
	switch {
	case t.outcome != nil:
		return strings.ReplaceAll(string(t.outcome.State), "_", " ")
	case t.failed:
		return string(outcome.Failed)
	}
	return ""
}

// until is when the gate opened again.
func (r *Run) until(c closing) time.Duration {
	if c.open {
		return r.last
	}
	return c.to
}

// span is a length of time for people.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
