package partitiontest_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// newPipeServer makes a server that can live in a synctest bubble.
func newPipeServer(t *testing.T) *partitiontest.Server {
	t.Helper()
	return newServer(t, partitiontest.Options{Listener: partitiontest.NewPipeListener("")})
}

func TestDelayTakesNoTimeInABubble(t *testing.T) {
	outside := time.Now()
	synctest.Test(t, func(t *testing.T) {
		srv := newPipeServer(t)
		srv.Script(
			partitiontest.Fault{Attempt: 1, Do: partitiontest.Delay(2 * time.Minute)},
			partitiontest.Fault{Attempt: 2, Do: partitiontest.Drip(100, time.Minute)},
		)
		start := time.Now()
		resp, body := mustPost(t, srv, pdf(2))
		require.Equal(t, 200, resp.StatusCode)
		require.Equal(t, []string{"page 1 of report.pdf", "page 2 of report.pdf"}, texts(t, body))
		require.Equal(t, 2*time.Minute, time.Since(start))

		start = time.Now()
		_, again := mustPost(t, srv, pdf(2))
		require.Equal(t, body, again)
		pauses := (len(body) - 1) / 100
		require.Equal(t, time.Duration(pauses)*time.Minute, time.Since(start))
		require.Equal(t, start, srv.Requests()[1].Time)
	})
	require.Less(t, time.Since(outside), time.Minute)
}

func TestFaultsInABubble(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   partitiontest.Action
		is   error
	}{
		{"disconnect", partitiontest.Disconnect(), io.EOF},
		{"reset", partitiontest.Reset(), io.EOF},
		{"reset in the body", partitiontest.ResetAfter(5), io.ErrUnexpectedEOF},
		{"truncated", partitiontest.Truncate(5), io.ErrUnexpectedEOF},
		{"hang", partitiontest.Hang(), context.DeadlineExceeded},
		{"stall", partitiontest.Stall(5), context.DeadlineExceeded},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newPipeServer(t)
				srv.Script(partitiontest.Fault{Do: tc.do})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				_, _, err := post(ctx, srv, pdf(2))
				require.ErrorIs(t, err, tc.is)
				synctest.Wait()
				require.Zero(t, srv.InFlight())
			})
		})
	}
}

func TestCloseInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newPipeServer(t)
		srv.Script(partitiontest.Fault{Do: partitiontest.Hang()})
		failed := make(chan error, 1)
		go func() {
			_, _, err := post(t.Context(), srv, notes())
			failed <- err
		}()
		synctest.Wait()
		require.Equal(t, 1, srv.InFlight())
		srv.Close()
		require.Error(t, <-failed)
	})
}

func TestPipeListener(t *testing.T) {
	l := partitiontest.NewPipeListener("a.test")
	require.Equal(t, "a.test", l.Addr().String())
	require.Equal(t, "pipe", l.Addr().Network())
	_, err := l.DialContext(t.Context(), "tcp", "b.test:80")
	require.EqualError(t, err, "dial b.test:80: not a.test, the only host in this test")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.DialContext(ctx, "tcp", "a.test:80")
	require.ErrorIs(t, err, context.Canceled)

	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, _ = io.Copy(conn, bytes.NewReader([]byte("hello")))
			_ = conn.Close()
		}
	}()
	conn, err := l.DialContext(t.Context(), "tcp", "a.test:80")
	require.NoError(t, err)
	got, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
	require.NoError(t, conn.Close())

	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = l.DialContext(t.Context(), "tcp", "a.test:80")
	require.ErrorIs(t, err, net.ErrClosed)
}
