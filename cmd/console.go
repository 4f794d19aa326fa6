package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// A console is what people, or programs, see of a run on standard error: lines, and below them, on a terminal, one live line.
type console struct {
	w        io.Writer
	quiet    bool
	progress string // one of the ways of showing it
	ended    chan struct{}
	ticking  sync.WaitGroup

	mu       sync.Mutex
	standing standing
	drawn    string // the live line as it is on the terminal, "" where it is not
}

// The ways of showing progress.
const (
	progressAuto  = "auto"
	progressBar   = "bar"   // a live line
	progressPlain = "plain" // a line a document, and one from time to time
	progressJSON  = "json"  // the same for programs: every line is a JSON object
	progressNone  = "none"
)

// progressEvery is how often progress is shown.
var progressEvery = map[string]time.Duration{
	progressBar: 200 * time.Millisecond, progressPlain: 10 * time.Second, progressJSON: time.Second,
}

func newConsole(sh *shell, progress string, quiet bool) (*console, error) {
	c := &console{w: sh.stderr, quiet: quiet, ended: make(chan struct{}), standing: newStanding()}
	switch progress {
	case progressAuto:
		progress = progressNone
		if isTerminal(sh.stderr) && sh.env["TERM"] != "dumb" && sh.env["TERM"] != "" && sh.env["NO_COLOR"] == "" && !quiet {
			progress = progressBar
		}
	case progressBar, progressPlain, progressJSON, progressNone:
	default:
		return nil, usageError("--progress %q: not one of %s, %s, %s, %s, %s",
			progress, progressAuto, progressBar, progressPlain, progressJSON, progressNone)
	}
	c.progress = progress
	if every := progressEvery[progress]; every > 0 {
		c.ticking.Go(func() { c.tick(every) })
	}
	return c, nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// tick shows progress from time to time.
func (c *console) tick(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-c.ended:
			return
		case now := <-ticker.C:
			c.mu.Lock()
			c.show(now)
			c.mu.Unlock()
		}
	}
}

// show shows where the run stands.
func (c *console) show(now time.Time) {
	switch c.progress {
	case progressBar:
		if line := c.standing.line(now, c.columns()-1); line != c.drawn {
			fmt.Fprintf(c.w, "\r%s\x1b[K", line)
			c.drawn = line
		}
	case progressPlain:
		if !c.quiet {
			fmt.Fprintln(c.w, c.standing.line(now, 0))
		}
	case progressJSON:
		c.object(c.standing.progress(now))
	}
}

// object writes a line for programs.
func (c *console) object(event any) {
	if line, err := json.Marshal(event); err == nil { // texts and numbers always can be
		fmt.Fprintf(c.w, "%s\n", line)
	}
}

// clear takes the live line away until it is shown again.
func (c *console) clear() {
	if c.drawn != "" {
		fmt.Fprint(c.w, "\r\x1b[K")
		c.drawn = ""
	}
}

// say prints a line above the live line. Errors of standard error have nowhere to go.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.progress == progressJSON {
		c.object(messageEvent{"message", fmt.Sprintf(format, args...)})
		return
	}
	c.clear()
	fmt.Fprintf(c.w, format+"\n", args...)
}

// messageEvent is a line for people in the progress for programs.
type messageEvent struct {
	Event string `json:"event"`
	Text  string `json:"text"`
}

// remark is say for what -q leaves out.
func (c *console) remark(format string, args ...any) {
	if !c.quiet {
		c.say(format, args...)
	}
}

// last says what ended a run to programs; to people that is said by who called.
func (c *console) last(err error) error {
	if c.progress != progressJSON || err == nil {
		return err
	}
	if said := (*exitError)(nil); !errors.As(err, &said) || said.err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.object(messageEvent{"error", err.Error()})
	}
	return &exitError{exitCode(err), nil}
}

// apart makes room for standard output, where that is on the same terminal.
func (c *console) apart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

// Write writes a line of the log above the live line.
func (c *console) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	return c.w.Write(line)
}

// expect says how much there is to do.
func (c *console) expect(documents int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.standing.total, c.standing.bytes = documents, bytes
}

// observe counts, and says which requests have been without an answer for long.
func (c *console) observe(e partition.Event) {
	name := partition.Printable(e.Document)
	if e.Pages.Len() > 0 {
		name += " pages " + e.Pages.String()
	}
	if e.Kind == partition.AttemptEvent && e.Attempt.Kind == retry.EventSilence {
		c.remark("waiting: %s: no answer for %s", name, e.Attempt.Wait)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.standing.observe(e, time.Now())
}

// concluded counts a document.
func (c *console) concluded(w *work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.standing.concluded(w)
	if c.progress != progressJSON {
		return
	}
	e := documentEvent{
		Event: "document", Path: w.entry.Path, State: w.state, Skip: w.entry.Skip, Elements: w.report.Elements,
		Pages: w.report.AnsweredPages(), Missing: missingPages(w.report), Requests: w.report.Requests(),
	}
	if w.err != nil && w.state != stateNotDone {
		e.Kind, e.Error = w.kind(), w.message()
	}
	c.object(e)
}

// documentEvent is what became of a document, for programs.
type documentEvent struct {
	Event    string         `json:"event"`
	Path     string         `json:"path"`
	State    state          `json:"state"`
	Skip     string         `json:"skipped_because,omitempty"`
	Elements int            `json:"elements"`
	Pages    int            `json:"pages"`
	Missing  []string       `json:"missing_pages,omitempty"`
	Requests int            `json:"requests"`
	Kind     partition.Kind `json:"error_kind,omitempty"`
	Error    string         `json:"error,omitempty"`
}

// columns is the width of the terminal.
func (c *console) columns() int {
	if file, ok := c.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// underWay is how many requests are in flight.
func (c *console) underWay() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.standing.inFlight
}

// close takes the live line away. What is said after it is said without one.
func (c *console) close() {
	select {
	case <-c.ended:
		return
	default:
	}
	close(c.ended)
	c.ticking.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}
