package retry_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

const (
	chatFull    = `{"messages":[],"chat_template_kwargs":{"enable_thinking":false}}`
	chatDropped = `{"messages":[]}`
	chatOK      = `{"choices":[{"message":{"content":"ok"}}]}`
)

// chat is seed 2's request: it offers to drop the field where it has it.
func chat() retry.Call {
	call := post(chatFull)
	call.Patches = map[string]func(*http.Request) error{
		"drop_chat_template_kwargs": func(r *http.Request) error {
			r.GetBody, r.ContentLength = opener(chatDropped), int64(len(chatDropped))
			return nil
		},
	}
	return call
}

func TestOpenAICompatible(t *testing.T) {
	ok := reply{status: 200, body: chatOK}
	for _, c := range []struct {
		name   string
		script []reply
		times  []float64
		bodies []string // nil: all full
		stop   string
	}{
		// The four tests of the seed.
		{"401 is not retried", []reply{{status: 401, body: "bad key"}}, []float64{0}, nil, "client error"},
		{"500 is retried", []reply{{status: 500}}, []float64{0, 1, 3}, nil, "attempts"},
		{"400 drops the field once", []reply{{status: 400, body: "unknown field chat_template_kwargs"}, ok}, []float64{0, 0}, []string{chatFull, chatDropped}, "success"},
		{"429 is retried then succeeds", []reply{{status: 429}, ok}, []float64{0, 1}, nil, "success"},
		// Its six rules.
		{"refused raises at once", []reply{{fault: "dial"}}, []float64{0}, []string{""}, "connection error"},
		{"400 twice raises", []reply{{status: 400}}, []float64{0, 0}, []string{chatFull, chatDropped}, "client error"},
		{"the fallback is not charged", []reply{{status: 400}, {status: 500}}, []float64{0, 0, 1, 3}, []string{chatFull, chatDropped, chatDropped, chatDropped}, "attempts"},
		{"403", []reply{{status: 403}}, []float64{0}, nil, "client error"},
		{"404", []reply{{status: 404}}, []float64{0}, nil, "client error"},
		{"422", []reply{{status: 422}}, []float64{0}, nil, "client error"},
		{"408", []reply{{status: 408}}, []float64{0}, nil, "client error"},
		{"503 then ok", []reply{{status: 503}, ok}, []float64{0, 1}, nil, "success"},
		{"reset then ok", []reply{{fault: "reset"}, ok}, []float64{0, 1}, nil, "success"},
		{"truncated then ok", []reply{{status: 200, body: `{"cho`, fault: "truncate"}, ok}, []float64{0, 1}, nil, "success"},
		{"bad JSON then ok", []reply{{status: 200, body: `{"choices":`}, ok}, []float64{0, 1}, nil, "success"},
		{"HTML then ok", []reply{{status: 200, body: `<html>`}, ok}, []float64{0, 1}, nil, "success"},
		{"bad JSON to the end", []reply{{status: 200, body: `nope`}}, []float64{0, 1, 3}, nil, "attempts"},
		{"not an object", []reply{{status: 200, body: `[]`}}, []float64{0}, nil, "not an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.script, func(t *testing.T, s *server) {
				o := s.do(t.Context(), s.client("openai-compatible", 0.5), chat())
				require.Equal(t, c.times, s.seconds())
				require.Equal(t, c.stop, o.trace.Stop)
				for i, r := range s.sent {
					want := chatFull
					if c.bodies != nil {
						want = c.bodies[i]
					}
					require.Equal(t, want, r.body)
				}
				if last := c.script[min(len(s.sent), len(c.script))-1]; last.fault == "" {
					require.NoError(t, o.err)
					require.Equal(t, last.status, o.status)
					require.Equal(t, last.body, o.body)
				} else {
					require.Error(t, o.err)
				}
			})
		})
	}
}

// The rules on a field that the payload does not have.
func TestOpenAICompatibleWithoutField(t *testing.T) {
	bubble(t, []reply{{status: 400}}, func(t *testing.T, s *server) {
		o := s.do(t.Context(), s.client("openai-compatible", 0.5), post(chatDropped))
		require.Equal(t, []float64{0}, s.seconds())
		require.Equal(t, "client error", o.trace.Stop)
	})
}

// A caller that checks answers itself marks what was wrong with them.
func TestAcceptDecides(t *testing.T) {
	script := []reply{{status: 200, body: `{"choices":`}, {status: 200, body: `{"choices":[`, fault: "truncate"}, {status: 200, body: chatOK}}
	bubble(t, script, func(t *testing.T, s *server) {
		var got map[string]any
		call := chat()
		call.Accept = func(r *http.Response) error {
			got = nil
			b, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(b, &got); err != nil {
				return retry.Decode(err)
			}
			return nil
		}
		p, _ := retry.Preset("openai-compatible")
		p.Rules = p.Rules[:len(p.Rules)-1] // without the row that looks at the body itself
		p.Rules[6].When.Any = p.Rules[6].When.Any[1:]
		require.NoError(t, p.Validate())
		c := s.client("openai-compatible", 0.5)
		c.Policy = p
		o := s.do(t.Context(), c, call)
		require.NoError(t, o.err)
		require.Equal(t, 200, o.status)
		require.Empty(t, o.body)
		require.Contains(t, got, "choices")
		require.Equal(t, []float64{0, 1, 3}, s.seconds())
		require.Equal(t, []retry.Kind{retry.KindDecode, retry.KindTruncated, ""}, kinds(o.trace))
	})
}

// What Accept says of an answer.
func TestAcceptKinds(t *testing.T) {
	for _, c := range []struct {
		err  error
		want retry.Kind
		text string
	}{
		{retry.Truncated(errors.New("half")), retry.KindTruncated, "half"},
		{retry.Decode(errors.New("odd")), retry.KindDecode, "odd"},
		{retry.Truncated(nil), retry.KindTruncated, "truncated"},
		{io.ErrUnexpectedEOF, retry.KindTruncated, "unexpected EOF"},
		{errors.New("plain"), retry.KindDecode, "plain"},
	} {
		bubble(t, []reply{{status: 200, body: "x"}}, func(t *testing.T, s *server) {
			call := post("x")
			call.Accept = func(*http.Response) error { return c.err }
			o := s.do(t.Context(), s.client("agent", 1), call)
			require.ErrorIs(t, o.err, c.err)
			require.Equal(t, []retry.Kind{c.want}, kinds(o.trace))
			require.EqualError(t, o.err, "1 attempt in 0s, stopped by default, last status 200: "+c.text)
		})
	}
}

// An Accept that fails to the end is an error with its cause.
func TestAcceptFailsFinally(t *testing.T) {
	bubble(t, []reply{{status: 200, body: "<html>"}}, func(t *testing.T, s *server) {
		cause := errors.New("not a list")
		call := post("x")
		call.Accept = func(*http.Response) error { return retry.Decode(cause) }
		o := s.do(t.Context(), s.client("unstructured", 1), call)
		require.ErrorIs(t, o.err, cause)
		var e *retry.Error
		require.ErrorAs(t, o.err, &e)
		require.Equal(t, 200, e.Last.Status)
		require.Equal(t, "2 attempts in 1s, stopped by no partition answer again, last status 200: not a list", e.Error())
		require.Equal(t, []float64{0, 1}, s.seconds())
		require.Equal(t, 1, o.trace.MaybeBilledTwice())
	})
}

func kinds(t retry.Trace) []retry.Kind {
	var out []retry.Kind
	for _, a := range t.Attempts {
		out = append(out, a.Error)
	}
	return out
}
