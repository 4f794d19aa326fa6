package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/retry"
)

// A Console is what people, or programs, see of a run on standard error: lines, and below them, on
// a terminal, one live line. Its methods may be called by several goroutines at once.
type Console struct {
	Options
	ended   chan struct{}
	ticking sync.WaitGroup

	mu       sync.Mutex
	progress progress
	drawn    string // the live line as it is on the terminal, "" where it is not
}

// Options say what a console shows.
type Options struct {
	W        io.Writer
	Quiet    bool   // say only what failed
	Verbose  bool   // say what became of every document
	Progress string // a way of showing it; one of [ProgressWays] but [ProgressAuto]
}

// The ways of showing progress.
const (
	ProgressAuto  = "auto"
	ProgressBar   = "bar"   // a live line
	ProgressPlain = "plain" // a line a document, and one from time to time
	ProgressJSON  = "json"  // the same for programs: every line is a JSON object
	ProgressNone  = "none"
)

// ProgressWays are the ways of showing progress.
func ProgressWays() []string {
	return []string{ProgressAuto, ProgressBar, ProgressPlain, ProgressJSON, ProgressNone}
}

// progressEvery is how often progress is shown.
var progressEvery = map[string]time.Duration{
	ProgressBar: 200 * time.Millisecond, ProgressPlain: 10 * time.Second, ProgressJSON: time.Second,
}

// New begins to show progress.
func New(o Options) *Console {
	c := &Console{Options: o, ended: make(chan struct{}), progress: newProgress()}
	if every := progressEvery[o.Progress]; every > 0 {
		c.ticking.Go(func() { c.tick(every) })
	}
	return c
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// tick shows progress from time to time.
func (c *Console) tick(every time.Duration) {
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

// show shows the progress of the run.
func (c *Console) show(now time.Time) {
	switch c.Progress {
	case ProgressBar:
		if line := c.progress.line(now, c.columns()-1); line != c.drawn {
			fmt.Fprintf(c.W, "\r%s\x1b[K", line)
			c.drawn = line
		}
	case ProgressPlain:
		if !c.Quiet {
			fmt.Fprintln(c.W, c.progress.line(now, 0))
		}
	case ProgressJSON:
		c.object(c.progress.event(now))
	}
}

// object writes a line for programs.
func (c *Console) object(event any) {
	if line, err := json.Marshal(event); err == nil { // texts and numbers always can be
		c.print(string(line))
	}
}

// print writes lines. None of what they say of foreign texts steers the terminal.
func (c *Console) print(lines string) {
	shown, _ := visible([]byte(lines+"\n"), true)
	_, _ = c.W.Write(shown) // errors of standard error have nowhere to go
}

// clear takes the live line away until it is shown again.
func (c *Console) clear() {
	if c.drawn != "" {
		fmt.Fprint(c.W, "\r\x1b[K")
		c.drawn = ""
	}
}

// Say prints a line above the live line.
func (c *Console) Say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Progress == ProgressJSON {
		c.object(messageEvent{"message", fmt.Sprintf(format, args...)})
		return
	}
	c.clear()
	c.print(fmt.Sprintf(format, args...))
}

// messageEvent is a message for people among the progress lines for programs.
type messageEvent struct {
	Event string `json:"event"`
	Text  string `json:"text"`
}

// Remark is Say for messages that a quiet console leaves out.
func (c *Console) Remark(format string, args ...any) {
	if !c.Quiet {
		c.Say(format, args...)
	}
}

// Warn is a remark about something that does not keep the run from going on.
func (c *Console) Warn(err error) {
	c.Remark("warning: %s", wire.Printable(err.Error()))
}

// Error tells programs what ended a run, and reports whether it did. People are told by the caller.
func (c *Console) Error(err error) bool {
	if c.Progress != ProgressJSON {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.object(messageEvent{"error", err.Error()})
	return true
}

// Clear takes the live line away, to make room for standard output where that is on the same
// terminal.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

// Write writes a line of the log above the live line.
func (c *Console) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	c.print(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Expect says how many documents there are to do, and how many bytes they have.
func (c *Console) Expect(documents int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress.total, c.progress.bytes = documents, bytes
}

// Observe counts an event of the client, and prints which requests have waited long for an answer,
// their own or another process's.
func (c *Console) Observe(e partition.Event) {
	name := wire.Printable(e.Document)
	if e.Pages.Len() > 0 {
		name += " pages " + e.Pages.String()
	}
	if e.Kind == partition.AttemptEvent && e.Attempt.Kind == retry.EventSilence {
		c.Remark("waiting: %s: no answer for %s", name, e.Attempt.Wait)
	}
	if e.Kind == partition.ClaimHeld && e.Err != nil {
		c.Remark("warning: %s: %s", name, e.Err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress.observe(e, time.Now())
}

// Concluded counts a document, and tells programs what became of it.
func (c *Console) Concluded(o *outcome.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress.concluded(o)
	if c.Progress == ProgressJSON {
		c.object(newDocumentEvent(o))
	}
}

// columns is the width of the terminal.
func (c *Console) columns() int {
	if file, ok := c.W.(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// InFlight is how many requests are in flight.
func (c *Console) InFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progress.inFlight
}

// Close takes the live line away. What is said after it is said without one.
func (c *Console) Close() {
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
