package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// A planSheet prints plans, one line per document, as a table or as JSON, and their total.
type planSheet struct {
	w     io.Writer
	json  bool
	looks bool    // the cache was looked into
	price float64 // of a page
	total planTotal
	begun bool
}

// A planLine is one document.
type planLine struct {
	Document  string   `json:"document"`
	Pages     *int     `json:"pages"` // asked for; null where only the server can know
	Chunks    int      `json:"chunks"`
	Requests  int      `json:"requests"`
	Cached    *int     `json:"cached"`     // of the requests; null where the cache was not looked into
	PagesLeft *int     `json:"pages_left"` // of the requests that are not cached; null where only the server can know
	Narrowing int      `json:"narrowing,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// A planFailure is a document that would fail before anything is sent for it.
type planFailure struct {
	Document string         `json:"document"`
	Kind     partition.Kind `json:"kind"`
	Error    string         `json:"error"`
}

// A planTotal is the sum. Documents of unknown length are counted beside the pages.
type planTotal struct {
	Documents   int      `json:"documents"` // failed ones included
	Failed      int      `json:"failed"`
	Skipped     int      `json:"skipped"`
	Pages       int      `json:"pages"`
	Unknown     int      `json:"unknown_length"` // documents
	Chunks      int      `json:"chunks"`
	Requests    int      `json:"requests"`
	Cached      *int     `json:"cached"`
	PagesLeft   int      `json:"pages_left"`
	UnknownLeft int      `json:"unknown_length_left"`
	Narrowing   int      `json:"narrowing,omitempty"` // of the document with the largest one
	Cost        *float64 `json:"cost,omitempty"`      // of the pages left
}

func newPlanSheet(w io.Writer, asJSON, looks bool, price float64) *planSheet {
	s := &planSheet{w: w, json: asJSON, looks: looks, price: price}
	if looks {
		s.total.Cached = new(int)
	}
	return s
}

// document prints a plan.
func (s *planSheet) document(p *partition.Plan) error {
	line := planLine{
		Document: p.Document, Chunks: len(p.Chunks), Requests: len(p.Cached) + len(p.Left), Narrowing: p.Narrowing, Warnings: p.Warnings,
		Pages: pagesOf(p, p.Chunks), PagesLeft: pagesOf(p, p.Left),
	}
	if p.Chunking {
		line.Requests++
	}
	if s.looks {
		line.Cached = new(len(p.Cached))
		*s.total.Cached += len(p.Cached)
	}
	t := &s.total
	t.Documents++
	t.Chunks += line.Chunks
	t.Requests += line.Requests
	t.Narrowing = max(t.Narrowing, line.Narrowing)
	count(line.Pages, &t.Pages, &t.Unknown)
	count(line.PagesLeft, &t.PagesLeft, &t.UnknownLeft)
	if s.json {
		return s.encode(line)
	}
	return s.row(wire.Printable(p.Document), known(line.Pages, "?"), line.Chunks, line.Requests, line.Cached)
}

// failed counts a document that would fail, and prints it as JSON; people are told by a message.
func (s *planSheet) failed(name string, err error) error {
	s.total.Documents++
	s.total.Failed++
	if !s.json {
		return nil
	}
	kind := partition.KindOf(err)
	if kind == "" {
		kind = partition.KindLocalIO
	}
	return s.encode(planFailure{Document: name, Kind: kind, Error: err.Error()})
}

// end prints the total.
func (s *planSheet) end() error {
	t := &s.total
	if s.price > 0 {
		t.Cost = new(s.price * float64(t.PagesLeft))
	}
	if s.json {
		return s.encode(struct {
			Total *planTotal `json:"total"`
		}{t})
	}
	name := "total: " + words.Count(t.Documents, "document")
	if t.Failed > 0 {
		name += fmt.Sprintf(", %d failed", t.Failed)
	}
	if t.Skipped > 0 {
		name += fmt.Sprintf(", %d skipped", t.Skipped)
	}
	pages := strconv.Itoa(t.Pages)
	switch {
	case t.Unknown > 0 && t.Pages == 0:
		pages = "?"
	case t.Unknown > 0:
		pages += "+?"
	}
	if err := s.row(name, pages, t.Chunks, t.Requests, t.Cached); err != nil {
		return err
	}
	var notes strings.Builder
	if t.Cost != nil {
		fmt.Fprintf(&notes, "cost: about %s for %s", roundCost(*t.Cost), words.Count(t.PagesLeft, "page"))
		if t.UnknownLeft > 0 {
			fmt.Fprintf(&notes, ", plus %s of unknown length", words.Count(t.UnknownLeft, "document"))
		}
		notes.WriteByte('\n')
	}
	if t.Narrowing > 0 {
		fmt.Fprintf(&notes, "narrowing: up to %d more requests for each page that fails\n", t.Narrowing)
	}
	_, err := io.WriteString(s.w, notes.String())
	return err
}

func (s *planSheet) encode(line any) error {
	data, err := json.Marshal(line)
	if err == nil {
		_, err = s.w.Write(append(data, '\n'))
	}
	return err
}

// planColumn is how wide the names are: with the numbers a line has 78 columns.
const planColumn = 44

func (s *planSheet) row(name, pages string, chunks, requests int, cached *int) error {
	const form = "%-*s %7s %7v %9v %7s\n"
	if !s.begun {
		s.begun = true
		if _, err := fmt.Fprintf(s.w, form, planColumn, "document", "pages", "chunks", "requests", "cached"); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.w, form, planColumn, cutMiddle(name, planColumn), pages, chunks, requests, known(cached, "-"))
	return err
}

// pagesOf counts the pages of a plan's requests, nil where one of them is of unknown length.
func pagesOf(p *partition.Plan, requests []split.PageRange) *int {
	n := 0
	for _, r := range requests {
		switch {
		case r != split.PageRange{}:
			n += r.Len()
		case p.Pages == 0:
			return nil
		default:
			n += p.Pages
		}
	}
	return &n
}

// count adds a number to a sum or, if it is not known, to the others like it.
func count(n, sum, unknown *int) {
	if n == nil {
		*unknown++
		return
	}
	*sum += *n
}

func known(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return strconv.Itoa(*n)
}

// cutMiddle shortens a text to a width, and leaves its beginning and its end.
func cutMiddle(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	const gap = "..."
	head := (width - len(gap)) / 2
	return string(runes[:head]) + gap + string(runes[len(runes)-(width-len(gap)-head):])
}

// roundCost formats a cost with two decimals, or more if it is small.
func roundCost(cost float64) string {
	if cost > 0 && cost < 0.1 {
		return fmt.Sprintf("%.2g", cost)
	}
	return fmt.Sprintf("%.2f", cost)
}
