package retry

import (
	"context"
	"crypto/sha256"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// sameAnswerSpread is the time from the first to the last of the same answers that end a call: a
// server that hiccups gives the same answer twice within a second.
const sameAnswerSpread = 5 * time.Second

// sameAnswers counts the attempts in a row that brought the same 500.
type sameAnswers struct {
	body  [sha256.Size]byte // without what differs in every answer
	n     int
	first time.Time // when the first of them came
}

// note counts an answer, and returns how many there are in a row with the time since the first.
func (s *sameAnswers) note(o *observation, now time.Time) (n int, spread time.Duration) {
	if !o.comparable() {
		*s = sameAnswers{}
		return 0, 0
	}
	body := sha256.Sum256(lasting(o.Body))
	if s.n == 0 || body != s.body {
		*s = sameAnswers{body: body, first: now}
	}
	s.n++
	return s.n, now.Sub(s.first)
}

// comparable reports whether the outcome is one that [Budget.SameAnswer] counts: the server's own
// failure, in words that were seen to their end, without a word on whether it lasts.
func (o *observation) comparable() bool {
	if o.Kind != "" || o.Status != http.StatusInternalServerError || !o.seen || !o.whole ||
		hasHeader(o.Header, "Retry-After") || hasHeader(o.Header, "Retry-After-Ms") {
		return false
	}
	doc := parseDocument(o.Body)
	_, verdict := doc.boolean(verdictMember)
	return !verdict
}

// verdictMember is the member of an error's body with which the server says whether to repeat.
const verdictMember = "retryable"

// passing matches what differs from one answer to the next although they say the same: ids, times,
// and numbers of attempts.
var passing = regexp.MustCompile(`(?i)` +
	// JSON members that hold one
	`"(?:(?:[a-z0-9]+[_-])*|request|trace|span|error|event|correlation)(?:id|uuid|time|timestamp|date|at|elapsed|duration|took|attempts?|retries|retry_count|nonce)"\s*:\s*(?:"[^"]*"|[-+.0-9e]+)` +
	// dates and times of day
	`|\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[-+]\d\d:?\d\d)?)?` +
	`|\d\d:\d\d:\d\d(?:[.,]\d+)?` +
	`|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*, )?\d\d?[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]\d{4}` +
	`|\b1\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b` + // seconds since 1970, and fractions of them
	// spans of time
	`|\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|milliseconds?|minutes?|mins?)\b` +
	// numbers of attempts
	`|\b(?:attempts?|tries|try|retry|retries)\b[ :=#]*(?:no\.? ?|number )?\d+(?: ?(?:of|/) ?\d+)?` +
	`|\b\d+(?:st|nd|rd|th)? (?:attempts?|tries|try|retry|retries)\b` +
	// ids
	`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b` +
	`|\b0x[0-9a-f]+\b` +
	`|\b(?:request|req|trace|span|correlation|job|task|process|pid|thread|worker)[ _-]?(?:id)?[ :=#_-]+[0-9a-z_-]*\d[0-9a-z_-]*` +
	`|\btmp[a-z0-9_]{8}\b` + // Python's temporary files
	`|\b[0-9a-z_-]*\d[0-9a-z_-]{15,}\b|\b[0-9a-z_-]{15,}\d[0-9a-z_-]*\b` +
	`|\b[0-9a-f]{16,}\b`)

// lasting is a body without what differs in every answer.
func lasting(body []byte) []byte { return passing.ReplaceAll(body, []byte("*")) }

// sameAnswerDue reports whether the same answer has come often enough, over long enough, to end a
// call on a server that works.
func (b *Budget) sameAnswerDue(s *state) bool {
	return b.SameAnswer > 0 && s.same >= b.SameAnswer && s.spread >= sameAnswerSpread
}

// spread lengthens the wait before the last of the same answers to what is left of their spread. It
// leaves a wait as it is where the call has no time for a longer one.
func (b *Budget) spread(s *state, wait interval) interval {
	if b.SameAnswer == 0 || s.same != b.SameAnswer-1 {
		return wait
	}
	left := sameAnswerSpread - s.spread
	if left <= wait.min || b.HardElapsed > 0 && left >= b.HardElapsed-s.elapsed || s.timeLeft != nil && left >= *s.timeLeft/2 {
		return wait
	}
	return interval{left, left + wait.max - wait.min}
}

// works reports whether the server has shown that it works since the first of the same answers: by
// a success of another call, or to the call's own question.
func (l *loop) works() bool {
	if l.client.successes.since(l.same.first, l.id) {
		return true
	}
	if l.call.Alive == nil {
		return false
	}
	ctx, cancel := context.WithCancel(l.life.ctx)
	defer cancel()
	if l.life.stop != nil {
		defer context.AfterFunc(l.life.stop, cancel)()
	}
	return l.call.Alive(ctx) && ctx.Err() == nil
}

// successes remembers when calls of a client succeeded last.
type successes struct {
	mu   sync.Mutex
	last [2]success // of different calls, the later one first
}

type success struct {
	call uint64 // from 1
	at   time.Time
}

func (s *successes) note(call uint64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last[0].call != call {
		s.last[1] = s.last[0]
	}
	s.last[0] = success{call, at}
}

// since reports whether a call other than this one has succeeded since then.
func (s *successes) since(then time.Time, call uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, last := range s.last {
		if last.call != 0 && last.call != call && !last.at.Before(then) {
			return true
		}
	}
	return false
}
