package retry

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// roundTripBuffer is the most that a round tripper copies of a request's body into memory: 1 MiB.
const roundTripBuffer = 1 << 20

// RoundTripper returns a transport for other SDKs. It sends every request by the policy p; nil
// means the client's. It leaves redirects and cookies to the HTTP client that uses it. The HTTP
// field of this client must not use it.
//
// To send a request again it calls GetBody. Without GetBody, a body of up to 1 MiB is copied; a
// longer one is refused with an error before anything is sent.
//
// It returns answers of any status; the error is an [*Error].
func (c *Client) RoundTripper(p *Policy) http.RoundTripper {
	return &roundTripper{client: c, policy: p}
}

type roundTripper struct {
	client *Client
	policy *Policy
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	replayable, err := withGetBody(req)
	if err != nil {
		return nil, err
	}
	resp, _, err := t.client.do(req.Context(), Call{Policy: t.policy, Request: replayable},
		&http.Client{Transport: t.client.base(), CheckRedirect: noRedirect})
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withGetBody returns the request, or a copy whose body can be opened again.
func withGetBody(req *http.Request) (*http.Request, error) {
	b := bodyOf(req)
	if !b.once {
		return req, nil
	}
	defer req.Body.Close()
	if b.length > roundTripBuffer {
		return nil, fmt.Errorf("retry: request body of %d bytes cannot be sent again: it has no GetBody, and a body of more than %d bytes is not copied", b.length, roundTripBuffer)
	}
	data, err := io.ReadAll(io.LimitReader(req.Body, roundTripBuffer+1))
	if err != nil {
		return nil, err
	}
	if len(data) > roundTripBuffer {
		return nil, fmt.Errorf("retry: request body cannot be sent again: it has no GetBody, and a body of more than %d bytes is not copied", roundTripBuffer)
	}
	if b.length >= 0 && b.length != int64(len(data)) {
		return nil, fmt.Errorf("retry: request body has %d bytes, but its ContentLength is %d", len(data), b.length)
	}
	replayable := *req
	replayable.Body, replayable.ContentLength = nil, int64(len(data))
	if len(data) > 0 {
		replayable.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	}
	return &replayable, nil
}
