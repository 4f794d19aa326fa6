package partitiontest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Delay waits before the answer.
func Delay(d time.Duration) Action {
	return action("delay "+d.String(), func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		pause(r, d)
		real.ServeHTTP(w, r)
	})
}

// Until waits before the answer, until the test closes release.
func Until(release <-chan struct{}) Action {
	return action("wait", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		await(r, release)
		real.ServeHTTP(w, r)
	})
}

// Hang never answers: it waits until the client disconnects.
func Hang() Action {
	return action("hang", func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { await(r, nil) })
}

// Drip sends the header at once, then n bytes of the answer at a time, with a pause after each.
func Drip(n int, every time.Duration) Action {
	return action(fmt.Sprintf("drip %d bytes every %v", n, every), func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		body := begin(w, r, real)
		for len(body) > max(n, 1) {
			_, _ = w.Write(body[:max(n, 1)])
			flush(w)
			body = body[max(n, 1):]
			pause(r, every)
		}
		_, _ = w.Write(body) // without a flush, as every handler ends
	})
}

// Stall sends the header and n bytes of the answer, then nothing until the client disconnects.
func Stall(n int) Action {
	return action(fmt.Sprintf("stall after %d bytes", n), func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		beginWith(n, w, r, real)
		await(r, nil)
	})
}

// Truncate announces the whole answer, sends n bytes of its body, and closes the connection.
func Truncate(n int) Action {
	return action(fmt.Sprintf("truncate to %d bytes", n), func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		beginWith(n, w, r, real)
		panic(http.ErrAbortHandler)
	})
}

// ResetAfter announces the whole answer, sends n bytes of its body, and resets the connection. Over
// a pipe a reset is a close.
func ResetAfter(n int) Action {
	return action(fmt.Sprintf("reset after %d bytes", n), func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		beginWith(n, w, r, real)
		hangUp(w, true)
	})
}

// Reset resets the connection before anything is answered. Over a pipe a reset is a close.
func Reset() Action {
	return action("reset", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w, true) })
}

// Disconnect closes the connection before anything is answered.
func Disconnect() Action {
	return action("disconnect", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w, false) })
}

// begin sends the header of the real answer, with its length, and returns the body.
func begin(w http.ResponseWriter, r *http.Request, real http.Handler) []byte {
	status, body := capture(w, r, real)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	flush(w)
	return body
}

// beginWith sends the header of the real answer, with its length, and up to n bytes of the body.
func beginWith(n int, w http.ResponseWriter, r *http.Request, real http.Handler) {
	body := begin(w, r, real)
	_, _ = w.Write(body[:min(max(n, 0), len(body))])
	flush(w)
}

// flush sends what was written; the client that has gone shows elsewhere.
func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// hangUp ends the connection.
func hangUp(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(interface{ SetLinger(seconds int) error }); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func pause(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func await(r *http.Request, release <-chan struct{}) {
	select {
	case <-release:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}
