package retry

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
)

// open is the body of the attempt that is about to be sent. The library opens it once too often,
// before the first attempt, which costs nothing.
func (l *loop) open() (io.Reader, error) {
	if l.sending == nil || l.body.open == nil {
		return http.NoBody, nil
	}
	if l.unreplayable() {
		return nil, errTwice
	}
	l.sending.body = &sentBody{body: l.body, barred: &l.sending.barred}
	return l.sending.body, nil
}

func (l *loop) unreplayable() bool {
	return l.body.once && l.sending.body != nil && l.sending.body.progress().opened
}

// begin readies the library's request for an attempt that has its slot.
func (l *loop) begin(req *http.Request) {
	if l.slot.reopened {
		l.emit(Event{Kind: EventOpened})
	}
	before := l.sending
	l.sending = &sending{start: time.Now()}
	if l.body.once && before != nil {
		l.sending.body = before.body
	}
	l.state.attempt++
	url := *l.request.URL
	req.Method, req.URL, req.Host, req.Header = l.request.Method, &url, l.request.Host, make(http.Header)
	maps.Copy(req.Header, l.request.Header.Clone())
	req.ContentLength = l.body.length
	if l.call.NewHeader != nil {
		maps.Copy(req.Header, l.call.NewHeader(l.state.attempt))
	}
	l.emit(Event{Kind: EventAttempt, Attempt: l.state.attempt})
}

// patch changes the request for the next attempt, if the policy asked for it.
func (l *loop) patch() error {
	name := l.decision.patch
	if name == "" {
		return nil
	}
	if err := l.call.Patches[name](l.request); err != nil {
		return fmt.Errorf("patch %s: %w", name, err)
	}
	l.body = bodyOf(l.request)
	return nil
}
