package cmd

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// A console is what people see on standard error: lines, and below them, on a terminal, one live line.
type console struct {
	w     io.Writer
	quiet bool

	mu   sync.Mutex
	bar  *progressbar.ProgressBar // nil without a live line
	live struct{ documents, parts, partsDone, pages, inFlight, retries int }

	wholePages map[string]int // by document that goes whole
}

// The ways of showing progress.
const (
	progressAuto  = "auto"
	progressBar   = "bar"
	progressPlain = "plain"
	progressNone  = "none"
)

func newConsole(sh *shell, progress string, quiet bool) (*console, error) {
	c := &console{w: sh.stderr, quiet: quiet, wholePages: map[string]int{}}
	switch progress {
	case progressAuto:
		progress = progressNone
		if isTerminal(sh.stderr) && sh.env["TERM"] != "dumb" && sh.env["NO_COLOR"] == "" && !quiet {
			progress = progressBar
		}
	case progressBar, progressPlain, progressNone:
	default:
		return nil, usageError("progress %q: not one of %s, %s, %s, %s", progress, progressAuto, progressBar, progressPlain, progressNone)
	}
	if progress == progressBar {
		c.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(sh.stderr), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("requests"), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(10), progressbar.OptionSetPredictTime(true), progressbar.OptionShowElapsedTimeOnFinish(),
		)
	}
	return c, nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// say prints a line above the live line. Errors of standard error have nowhere to go.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
	}
	fmt.Fprintf(c.w, format+"\n", args...)
}

// remark is say for what -q leaves out.
func (c *console) remark(format string, args ...any) {
	if !c.quiet {
		c.say(format, args...)
	}
}

// observe moves the live line, and says which requests have been without an answer for long.
func (c *console) observe(e partition.Event) {
	if e.Kind == partition.AttemptEvent && e.Attempt.Kind == retry.EventSilence {
		pages := ""
		if e.Pages.Len() > 0 {
			pages = " pages " + e.Pages.String()
		}
		c.remark("waiting: %s%s: no answer for %s", partition.Printable(e.Document), pages, e.Attempt.Wait)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Kind {
	case partition.DocumentPlanned:
		c.live.parts += len(e.Plan.Requests)
		if e.Plan.Whole() {
			c.wholePages[e.Document] = e.Plan.Pages
		}
	case partition.PartEnd:
		c.live.partsDone++
		if e.Err == nil {
			c.live.pages += e.Pages.Len() + c.wholePages[e.Document]
			delete(c.wholePages, e.Document)
		}
	case partition.DocumentEnd:
		c.live.documents++
	case partition.AttemptEvent:
		switch e.Attempt.Kind {
		case retry.EventAttempt:
			c.live.inFlight++
		case retry.EventAnswer:
			c.live.inFlight--
		case retry.EventSleep:
			c.live.retries++
		}
	}
	if c.bar == nil {
		return
	}
	if c.live.parts > 0 {
		c.bar.ChangeMax(c.live.parts)
	}
	_ = c.bar.Set(c.live.partsDone)
	line := fmt.Sprintf("%d docs, %d pages, %d in flight, %d retries", c.live.documents, c.live.pages, c.live.inFlight, c.live.retries)
	c.bar.Describe(line[:min(len(line), max(c.columns()-barColumns, 0))])
}

// barColumns is what the live line needs beside its description.
const barColumns = 45

// columns is the width of the terminal.
func (c *console) columns() int {
	if file, ok := c.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	return 80
}

// underWay is how many requests are in flight.
func (c *console) underWay() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live.inFlight
}

// close takes the live line away.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}
