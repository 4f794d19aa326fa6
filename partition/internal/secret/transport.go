package secret

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Of returns what must not show in messages: the key, what headers and the URL carry for a
// gateway, and the proxy's credentials.
func Of(key string, header http.Header, where *url.URL) []string {
	all := append([]string{key}, credentials(where.User)...)
	for name, values := range header {
		if namesSecret(name) {
			for _, value := range values {
				all = append(all, headerSecrets(value)...)
			}
		}
	}
	for name, values := range where.Query() {
		if namesSecret(name) {
			all = append(all, values...)
		}
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		proxy := os.Getenv(name) // perhaps no URL, which is then quoted in an error
		if at := strings.LastIndexByte(proxy, '@'); at >= 0 {
			user, password, _ := strings.Cut(proxy[strings.LastIndexByte(proxy[:at], '/')+1:at], ":")
			all = append(all, credentials(url.UserPassword(user, password))...)
		}
	}
	return all
}

// namesSecret reports whether what a header or a URL's parameter of this name carries is a secret.
func namesSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "cookie", "cred", "key", "pass", "pwd", "secret", "session", "sig", "token"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "code"
}

// headerSecrets are the secrets in a header's value, which may begin with a scheme: "Bearer ...".
func headerSecrets(value string) []string {
	scheme, rest, schemed := strings.Cut(value, " ")
	if !schemed {
		return []string{value}
	}
	all := []string{value, rest}
	if decoded, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(decoded), ":")
		all = append(all, string(decoded), password)
	}
	return all
}

// credentials are a URL's user name, which may be a key, and password, by themselves and as the
// header Authorization has them.
func credentials(user *url.Userinfo) []string {
	if user == nil {
		return nil
	}
	password, _ := user.Password()
	return []string{user.Username(), password, user.Username() + ":" + password, user.String()}
}

// secretsKey is the context's key of the Redactor of a request.
type secretsKey struct{}

// WithContext returns a context whose requests have these secrets.
func WithContext(ctx context.Context, secrets *Redactor) context.Context {
	return context.WithValue(ctx, secretsKey{}, secrets)
}

// A discreetTransport takes secrets out of the errors of a transport and of its answers' bodies,
// before anybody sees them: net/http quotes what it cannot read of an answer.
type discreetTransport struct{ next http.RoundTripper }

// Discreet makes an HTTP client one that takes the secrets of the request's context out of errors.
func Discreet(hc *http.Client) {
	next := hc.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	hc.Transport = discreetTransport{next}
}

// RoundTrip sends a request.
func (t discreetTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	secrets, _ := request.Context().Value(secretsKey{}).(*Redactor)
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return response, secrets.conceal(err)
	}
	if response == nil {
		return nil, nil //nolint:nilnil // net/http's client says what is wrong with that transport
	}
	if _, err := response.Location(); err != nil {
		response.Header.Del("Location") // net/http's client quotes one that is no URL
	}
	if response.Body != nil {
		response.Body = discreetBody{response.Body, secrets}
	}
	return response, nil
}

type discreetBody struct {
	io.ReadCloser
	secrets *Redactor
}

// Read reads the answer.
func (b discreetBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // io.EOF is never wrapped
		err = b.secrets.conceal(err)
	}
	return n, err
}

// conceal returns an error without secrets: err itself if neither it nor what it wraps shows one.
func (r *Redactor) conceal(err error) error {
	if !r.shownBy(err) {
		return err
	}
	return &concealedError{shown: r.Redact(err.Error()), err: err}
}

// shownBy reports whether an error or what it wraps shows a secret, printed in whatever way.
func (r *Redactor) shownBy(err error) bool {
	if err == nil {
		return false
	}
	if text := fmt.Sprintf("%v %+v %#v", err, err, err); r.Redact(text) != text {
		return true
	}
	switch wraps := err.(type) { //nolint:errorlint // the tree is walked here
	case interface{ Unwrap() error }:
		return r.shownBy(wraps.Unwrap())
	case interface{ Unwrap() []error }:
		if slices.ContainsFunc(wraps.Unwrap(), r.shownBy) {
			return true
		}
	}
	return false
}

// A concealedError stands for an error that shows a secret. What that is can be asked, not had.
type concealedError struct {
	shown string
	err   error
}

func (e *concealedError) Error() string { return e.shown }

// Is reports whether the error in its place is target.
func (e *concealedError) Is(target error) bool { return errors.Is(e.err, target) }

// Timeout reports whether the error in its place is a time-out.
func (e *concealedError) Timeout() bool {
	var slow interface{ Timeout() bool }
	return errors.As(e.err, &slow) && slow.Timeout()
}

// Format prints the error without a secret, whatever the verb.
func (e *concealedError) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.shown) }
