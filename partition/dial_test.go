package partition_test

import (
	"context"
	"errors"
	"net"
)

// nobody is a dialer that reaches nothing, and counts.
func nobody(dialed *int) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		*dialed++
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("nobody is there")}
	}
}
