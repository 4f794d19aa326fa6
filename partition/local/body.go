package local

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/semaphore"
)

// A request's body must come at slowestBody bytes a second on average; bodyGrace is added to the
// time for all of it.
const (
	slowestBody = 8 << 10
	bodyGrace   = 30 * time.Second
)

// refusedBody is how long the server goes on reading the body of a request that was refused before.
const refusedBody = 5 * time.Second

// bodies bounds the bytes of all bodies that are being read or worked on. What does not fit waits
// unread.
type bodies struct {
	most  int64 // of one body
	total *semaphore.Weighted
}

// hold waits until there is room for a request's body; one whose length is not known takes the room
// of the longest. The caller calls release once nothing of the body is held any more.
func (b *bodies) hold(ctx context.Context, r *http.Request) (release func(), err error) {
	room := r.ContentLength
	if room < 0 {
		room = b.most
	}
	if err := b.total.Acquire(ctx, room); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { b.total.Release(room) }, nil
}

// A pacedBody reads a body, and gives up on one that comes too slowly or takes longer than timeout.
// A body that does not come from a network connection comes as it likes.
type pacedBody struct {
	r       io.Reader
	conn    *http.ResponseController
	start   time.Time
	timeout time.Duration
	n       int64
}

func newPacedBody(w http.ResponseWriter, body io.Reader, timeout time.Duration) *pacedBody {
	return &pacedBody{r: body, conn: http.NewResponseController(w), start: time.Now(), timeout: timeout}
}

// Read implements [io.Reader].
func (b *pacedBody) Read(p []byte) (int, error) {
	patience := min(bodyGrace+time.Duration(b.n)*time.Second/slowestBody, b.timeout)
	b.conn.SetReadDeadline(b.start.Add(patience)) //nolint:errcheck // unsupported without a connection
	n, err := b.r.Read(p)
	b.n += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errSlowBody
	}
	return n, err
}

// end lets the connection live on after the body.
func (b *pacedBody) end() {
	b.conn.SetReadDeadline(time.Time{}) //nolint:errcheck // unsupported without a connection
}

var errSlowBody = &failure{status: http.StatusRequestTimeout, detail: "The request's body came too slowly."}

// refuseUnread answers a request whose body is not read.
func refuseUnread(w http.ResponseWriter, f *failure) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedBody)) //nolint:errcheck // unsupported without a connection
	writeFailure(w, f)
}
