package retry

import (
	"net/http"
	"time"
)

// paceMargin keeps the pace a hundredth below the published rate, so that answers and requests that
// jitter by up to 0.6 s on their way do not put one too many into a window of a minute.
const paceMargin = 1.01

// pacer spaces admissions evenly at the rate that the server publishes. Until the first answer
// names one, calls go out singly. It is a state machine on times that it is given; the caller
// locks.
type pacer struct {
	on       bool // some call's policy asks for pacing
	answered bool // an answer came: the rate is known, or that there is none
	out      int  // admissions before the first answer that are still in flight

	interval time.Duration // 0 is no pace
	window   time.Duration
	next     time.Time   // no admission before
	sends    []time.Time // own admissions within the last window
	ends     time.Time   // when a window of the server ended or ends; zero is unknown
}

// delay returns how long an admission must wait from now; a negative result means until the first
// answer.
func (p *pacer) delay(now time.Time) time.Duration {
	switch {
	case !p.on:
		return 0
	case !p.answered:
		return time.Duration(-min(p.out, 1))
	}
	return max(p.next.Sub(now), 0)
}

// admitted notes an admission at now.
func (p *pacer) admitted(now time.Time) {
	if !p.on {
		return
	}
	if !p.answered {
		p.out++
	}
	if p.answered && p.interval == 0 {
		return
	}
	p.trim(now)
	p.sends = append(p.sends, now)
	if p.interval > 0 {
		p.next = later(p.next, now).Add(p.interval)
	}
}

// ended notes that an attempt ended without an answer.
func (p *pacer) ended() { p.out = max(p.out-1, 0) }

// learn notes what an answer publishes. asked is the Retry-After of a refusal, which says exactly
// when the window ends; 0 is none.
func (p *pacer) learn(now time.Time, h http.Header, asked time.Duration) {
	if !p.on {
		return
	}
	p.ended()
	r, known := parseRateLimit(h, now)
	if !known {
		p.answered = p.answered || asked == 0
		return
	}
	p.answered = true
	if asked > 0 {
		p.ends = now.Add(asked)
	} else if r.reset >= 0 {
		p.ends = now.Add(r.reset)
	}
	interval := time.Duration(float64(r.window) / float64(r.limit) * paceMargin)
	fresh := interval != p.interval
	p.interval, p.window = interval, r.window
	p.trim(now)
	if fresh && len(p.sends) > 0 {
		p.next = later(p.next, p.sends[0].Add(time.Duration(len(p.sends))*interval))
	}
	// Own sends of the last window are at least those of the server's window: what is missing beyond
	// them was used by another client on the key.
	if r.remaining < 0 || r.limit-r.remaining <= int64(len(p.sends)) {
		return
	}
	left := p.left(now)
	gap := left / time.Duration(max(r.remaining, 1))
	if r.remaining == 0 {
		p.next = later(p.next, now.Add(left))
	} else if gap > interval {
		p.next = later(p.next, now.Add(gap))
	}
}

// left is the time to the end of the server's window, the whole window where its phase is unknown.
func (p *pacer) left(now time.Time) time.Duration {
	if p.ends.IsZero() {
		return p.window
	}
	d := p.ends.Sub(now)
	if d <= 0 {
		d = p.window - (-d)%p.window
	}
	return min(d, p.window)
}

// trim forgets sends that are older than the window and a twentieth of it, which is for their way
// to the server and back.
func (p *pacer) trim(now time.Time) {
	window := p.window
	if window == 0 {
		window = time.Minute
	}
	window += window / 20
	n := 0
	for n < len(p.sends) && now.Sub(p.sends[n]) >= window {
		n++
	}
	p.sends = append(p.sends[:0], p.sends[n:]...)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
