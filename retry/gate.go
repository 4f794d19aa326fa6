package retry

import "time"

// The outage gate's numbers. A server that is dead for good sees closeAfter-1 failures beyond what
// is in flight, then one probe after 1, 2, 4, 8, 16 and every 30 s: 34 in 15 minutes. A probe that
// is still working after 30 s, as a long document is, does not keep the next one back.
const (
	closeAfter = 3 // failures in a row, of at least two calls
	firstProbe = time.Second
	lastProbe  = 30 * time.Second
	// While the gate has just reopened, admissions are spread: each follows the last by up to
	// spreadGap, for spreadFor.
	spreadGap = 100 * time.Millisecond
	spreadFor = time.Second
)

// gate holds back every call of a client: for the time a server asked for, and during an outage
// until a probe succeeds. It is a state machine on times that it is given; the caller locks.
type gate struct {
	until time.Time // asked for by the server

	row      int    // failures in a row that speak of the server as a whole
	first    uint64 // the call of the first of them
	several  bool   // another call was among them
	closedAt time.Time
	probeAt  time.Time     // when the next probe may start
	probeIn  time.Duration // the wait after it, should it fail

	held   bool      // someone may be waiting for until
	opened time.Time // the last reopening
	nextAt time.Time // spread: no admission before
}

func (g *gate) outage() bool { return !g.closedAt.IsZero() }

// delay returns how long an admission must wait from now.
func (g *gate) delay(now time.Time) time.Duration {
	d := max(g.until.Sub(now), 0)
	if g.outage() {
		return max(d, g.probeAt.Sub(now))
	}
	return max(d, g.nextAt.Sub(now))
}

// admitted notes an admission at now, with gap the spread drawn in 0..1. probe says that it is the
// outage's next probe, reopened that it is the first after a hold.
func (g *gate) admitted(now time.Time, gap float64) (probe, reopened bool) {
	if g.outage() {
		g.probeAt = now.Add(lastProbe)
		return true, false
	}
	if g.held {
		g.held, g.opened, reopened = false, now, true
	}
	if !g.opened.IsZero() && now.Sub(g.opened) < spreadFor {
		g.nextAt = now.Add(time.Duration(gap * float64(spreadGap)))
	}
	return false, reopened
}

// hold closes the gate until a time that the server asked for.
func (g *gate) hold(until time.Time) (closed bool) {
	if !until.After(g.until) {
		return false
	}
	g.until, g.held = until, true
	return true
}

// failed notes an outcome of a call that speaks of the server as a whole.
func (g *gate) failed(now time.Time, call uint64, probe bool) (closed bool) {
	if g.outage() {
		if probe {
			g.probeIn = min(2*g.probeIn, lastProbe)
			g.probeAt = now.Add(g.probeIn)
		}
		return false
	}
	if g.row++; g.row == 1 {
		g.first = call
	}
	g.several = g.several || call != g.first
	if g.row < closeAfter || !g.several {
		return false
	}
	g.closedAt, g.probeIn, g.probeAt = now, firstProbe, now.Add(firstProbe)
	return true
}

// alive notes an answer that shows that the server works.
func (g *gate) alive(now time.Time) (opened bool) {
	g.row, g.several = 0, false
	if !g.outage() {
		return false
	}
	g.closedAt, g.opened = time.Time{}, now
	return true
}

// abandoned notes that a probe ended without an outcome: another may start.
func (g *gate) abandoned(now time.Time) { g.probeAt = now }
