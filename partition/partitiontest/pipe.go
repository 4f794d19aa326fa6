package partitiontest

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// A PipeListener listens without a network: its connections are in-memory pipes ([net.Pipe]). A
// server on it works inside a testing/synctest bubble, if listener, server and client are all made
// there.
type PipeListener struct {
	host   string
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewPipeListener returns a listener for a host name that only it serves; empty means
// partition.test.
func NewPipeListener(host string) *PipeListener {
	if host == "" {
		host = "partition.test"
	}
	return &PipeListener{host: host, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for the next [PipeListener.DialContext].
func (l *PipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and DialContext. Connections stay open.
func (l *PipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns the listener's host name.
func (l *PipeListener) Addr() net.Addr { return pipeAddr(l.host) }

// DialContext is for [net/http.Transport]. It connects to the listener if addr has its host, with
// any port. Any other addr is an error, so that no request gets out by accident.
func (l *PipeListener) DialContext(ctx context.Context, _, addr string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(addr); addr != l.host && (err != nil || host != l.host) {
		return nil, fmt.Errorf("dial %s: not %s, the only host in this test", addr, l.host)
	}
	client, server := net.Pipe()
	var err error
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		err = net.ErrClosed
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	_, _ = client.Close(), server.Close()
	return nil, fmt.Errorf("dial %s: %w", addr, err)
}

type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }
