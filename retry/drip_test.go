package retry_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/retry"
)

// A dripping body gives so many bytes at a time, each time after a pause.
type dripping struct {
	ctx   interface{ Done() <-chan struct{} }
	cause func() error
	pause time.Duration
	bytes int
	left  int
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(d.pause):
	case <-d.ctx.Done():
		return 0, d.cause()
	}
	n := min(d.bytes, d.left, len(p))
	copy(p, strings.Repeat("x", n))
	d.left -= n
	return n, nil
}

func (d *dripping) Close() error { return nil }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A body of a byte now and then is ended as one that stalls is. A slow one that gets on is not, nor
// one whose reader takes its time.
func TestE9DrippingBody(t *testing.T) {
	for name, test := range map[string]struct {
		pause   time.Duration // before each read
		bytes   int           // each read
		all     int
		reader  time.Duration // of the caller, after each read
		ends    time.Duration // 0: the whole body comes
		message string
	}{
		"a byte a second":           {time.Second, 1, 1 << 20, 0, 3 * time.Second, "less than 1 KiB of the answer's body within the idle limit of 3s"},
		"a KiB in 4 s":              {time.Second, 256, 1 << 20, 0, 3 * time.Second, "less than 1 KiB of the answer's body within the idle limit of 3s"},
		"a KiB in 2 s":              {time.Second, 512, 1 << 20, 0, 0, ""},
		"a short one":               {time.Second, 1, 2, 0, 0, ""},
		"a slow reader":             {0, 1, 4096, time.Second, 0, ""},
		"a slow reader of a drip":   {time.Second, 1, 1 << 20, 10 * time.Second, 33 * time.Second, "less than 1 KiB"},
		"a byte just within limits": {2900 * time.Millisecond, 1, 10, 0, 3 * time.Second, "less than 1 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				policy, ok := retry.Preset("unstructured")
				require.True(t, ok)
				policy.Budget.BodyIdle = 3 * time.Second
				policy.Budget.HardElapsed = 10 * time.Second
				client := retry.Client{Policy: policy, HTTP: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					body := &dripping{ctx: r.Context(), cause: r.Context().Err, pause: test.pause, bytes: test.bytes, left: test.all}
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
				})}}
				start := time.Now()
				response, _, err := client.Do(t.Context(), post("x"))
				require.NoError(t, err)
				defer response.Body.Close()
				var all int
				buf := make([]byte, 4096)
				for err == nil {
					var n int
					n, err = response.Body.Read(buf)
					all += n
					if n > 0 {
						time.Sleep(test.reader)
					}
				}
				if test.ends == 0 {
					require.Equal(t, io.EOF, err)
					require.Equal(t, test.all, all)
					return
				}
				require.ErrorContains(t, err, test.message)
				require.InDelta(t, test.ends.Seconds(), time.Since(start).Seconds(), 1)
			})
		})
	}
}

// An attempt ends after its whole time, however fast the answer drips; what the reader takes does not
// count, and neither does an attempt that was quick.
func TestE9WholeAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		header          time.Duration
		pause           time.Duration // before each read
		all             int
		reader          time.Duration
		toHeaders, idle time.Duration
		ends            time.Duration // 0: the whole body comes
	}{
		"a pace above the idle limit's": {time.Second, time.Second, 1 << 30, 0, 0, 3 * time.Second, 20 * time.Second},
		"no idle limit":                 {time.Second, time.Second, 1 << 30, 0, 0, 0, 20 * time.Second},
		"one long wait":                 {time.Second, time.Minute, 1 << 30, 0, 0, 0, 20 * time.Second},
		"no header":                     {time.Minute, 0, 1 << 10, 0, 0, 0, 20 * time.Second},
		"no header, a longer limit":     {time.Minute, 0, 1 << 10, 0, 30 * time.Second, 0, 20 * time.Second},
		"a slow header counts":          {15 * time.Second, 4 * time.Second, 1 << 30, 0, 0, 5 * time.Second, 20 * time.Second},
		"a slow reader":                 {time.Second, time.Second, 10 << 10, time.Minute, 0, 3 * time.Second, 0},
		"in time":                       {time.Second, time.Second, 10 << 10, 0, 0, 3 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				policy, ok := retry.Preset("unstructured")
				require.True(t, ok)
				policy.Budget.ToHeaders, policy.Budget.BodyIdle, policy.Budget.WholeAttempt = test.toHeaders, test.idle, 20*time.Second
				policy.Budget.Attempts = 1
				client := retry.Client{Policy: policy, HTTP: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					select {
					case <-time.After(test.header):
					case <-r.Context().Done():
						return nil, context.Cause(r.Context())
					}
					body := &dripping{ctx: r.Context(), cause: r.Context().Err, pause: test.pause, bytes: 1 << 10, left: test.all}
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
				})}}
				start := time.Now()
				response, _, err := client.Do(t.Context(), post("x"))
				if err == nil {
					defer response.Body.Close()
				}
				buf, all := make([]byte, 4096), 0
				for err == nil {
					var n int
					n, err = response.Body.Read(buf)
					all += n
					if n > 0 {
						time.Sleep(test.reader)
					}
				}
				if test.ends == 0 {
					require.Equal(t, io.EOF, err)
					require.Equal(t, test.all, all)
					return
				}
				require.ErrorContains(t, err, "no whole answer within the attempt's limit of 20s")
				require.Equal(t, test.ends, time.Since(start))
			})
		})
	}
}
