package retry

import (
	"fmt"
	"io"
	"net/http"
)

// RoundTripBuffer is the most that a [Client.RoundTripper] copies of a request's
// body into memory: 1 MiB.
const RoundTripBuffer = 1 << 20

// RoundTripper returns a transport for SDKs of others: it sends every request by
// the policy, nil for the client's. It follows no redirects and keeps no cookies,
// those are left to the client above it. The client's own HTTP must not use it.
//
// A request is replayed by its GetBody. Where it has none, a body of up to
// [RoundTripBuffer] bytes is copied; a longer one is refused, before anything
// is sent, with an error that says so.
//
// An answer comes back whatever its status; the error is an *[Error].
func (c *Client) RoundTripper(p *Policy) http.RoundTripper {
	return &roundTripper{client: c, policy: p}
}

type roundTripper struct {
	client *Client
	policy *Policy
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := replayable(req)
	if err != nil {
		return nil, err
	}
	header := req.Header
	if req.Host != "" {
		header = header.Clone()
		if header == nil {
			header = make(http.Header)
		}
		header.Set("Host", req.Host)
	}
	resp, _, err := t.client.do(req.Context(), Call{
		Policy: t.policy, Method: req.Method, URL: req.URL.String(), Header: header, Body: body,
	}, &http.Client{Transport: t.client.base(), CheckRedirect: noRedirect})
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// replayable takes over the request's body.
func replayable(req *http.Request) (Body, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return Body{}, nil
	}
	defer req.Body.Close()
	length := req.ContentLength
	if length == 0 {
		length = -1
	}
	if req.GetBody != nil {
		return Body{Open: req.GetBody, Len: length}, nil
	}
	if length > RoundTripBuffer {
		return Body{}, fmt.Errorf("retry: request body of %d bytes cannot be replayed: it has no GetBody and more than %d bytes are not copied", length, RoundTripBuffer)
	}
	data, err := io.ReadAll(io.LimitReader(req.Body, RoundTripBuffer+1))
	if err != nil {
		return Body{}, err
	}
	if len(data) > RoundTripBuffer {
		return Body{}, fmt.Errorf("retry: request body cannot be replayed: it has no GetBody and more than %d bytes are not copied", RoundTripBuffer)
	}
	if length >= 0 && length != int64(len(data)) {
		return Body{}, fmt.Errorf("retry: request body has %d bytes, its ContentLength says %d", len(data), length)
	}
	return BytesBody(data), nil
}
