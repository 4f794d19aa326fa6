package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// A diagnosis prints what the steps of quire doctor find, one line each, and has the exit code of
// the last step that failed.
type diagnosis struct {
	w    io.Writer
	code int
	lost error // of the writer
}

// The beginnings of the lines.
const (
	stepOK   = "ok"
	stepWarn = "warn"
	stepFail = "FAIL"
)

func (d *diagnosis) say(level, what, format string, args ...any) {
	line := fmt.Sprintf("%-4s  %s: %s", level, what, fmt.Sprintf(format, args...))
	if _, err := fmt.Fprintln(d.w, wire.Printable(line)); err != nil {
		d.lost = err
	}
}

func (d *diagnosis) fail(code int, what, format string, args ...any) {
	d.code = code
	d.say(stepFail, what, format, args...)
}

// err returns the command's error. What failed has been printed already.
func (d *diagnosis) err(ctx context.Context) error {
	switch {
	case interruption(ctx) != nil:
		return interruption(ctx)
	case errors.Is(d.lost, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
	case d.lost != nil:
		return d.lost
	case d.code != exitOK:
		return &exitError{d.code, nil}
	default:
		return nil
	}
}

// hints is the table of hints by error; the first that fits is printed.
var hints = []struct {
	fits func(error) bool
	text string
}{
	{isA[x509.UnknownAuthorityError], "trust the authority of the certificate with --ca-file"},
	{isA[x509.HostnameError], "the certificate is for another host: check the URL"},
	{isA[x509.CertificateInvalidError], "check the certificate's dates and this machine's clock"},
	{isA[tls.RecordHeaderError], "the server does not use TLS: should the URL be http:// instead of https://?"},
	{says("HTTP response to HTTPS client"), "the server does not use TLS: should the URL be http:// instead of https://?"},
	{says("malformed HTTP response"), "the answer is not HTTP: should the URL be https:// instead of http://, or is the port wrong?"},
	{says("proxyconnect"), "the proxy could not be reached"},
	{isA[*net.DNSError], "the host name is not known: is it misspelt, or is a proxy needed?"},
	{says("connection refused"), "no server listens there: is the server running, and is the port right?"},
	{isA[*outcome.TimeLimit], "does a firewall or a proxy block it?"},
	{isQuota, "the account has no quota left"},
}

// hint returns the hint for an error, with a separator before it, or "" if there is none.
func hint(err error) string {
	for _, row := range hints {
		if row.fits(err) {
			return "; " + row.text
		}
	}
	return ""
}

func isA[E error](err error) bool {
	var kind E
	return errors.As(err, &kind)
}

func isQuota(err error) bool { return partition.KindOf(err) == partition.KindQuota }

func says(text string) func(error) bool {
	return func(err error) bool { return strings.Contains(err.Error(), text) }
}
