package partitiontest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// An Action is what a [Fault] does to a request: middleware around the real answer. Wrap may answer
// itself, call real and do something before or after it, or break the connection. The request's
// body has already been read; [FromContext] returns its content. The request's context ends when
// the client disconnects and when the server closes.
type Action struct {
	Name string
	Wrap func(real http.Handler) http.Handler // nil: the real answer
}

func action(name string, answer func(w http.ResponseWriter, r *http.Request, real http.Handler)) Action {
	return Action{Name: name, Wrap: func(real http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, real) })
	}}
}

// Chain combines actions: the first wraps the second, and so on. Put actions that change an answer
// before the one that gives it: Chain(Delay(time.Second), Gzip(), Reply(503, body)).
func Chain(actions ...Action) Action {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = a.Name
	}
	return Action{Name: strings.Join(names, ", "), Wrap: func(real http.Handler) http.Handler {
		for i := len(actions) - 1; i >= 0; i-- {
			if actions[i].Wrap != nil {
				real = actions[i].Wrap(real)
			}
		}
		return real
	}}
}

// Reply answers with a status and a body. The Content-Type follows from how the body begins, unless
// [Header] has set one.
func Reply(status int, body string) Action {
	return action("status "+strconv.Itoa(status), func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if mediaType := guessType(body); w.Header().Get("Content-Type") == "" && mediaType != "" {
			w.Header().Set("Content-Type", mediaType)
		}
		if len(body) > maxHeld {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func guessType(body string) string {
	switch start := strings.TrimSpace(body); {
	case start == "":
		return ""
	case start[0] == '{' || start[0] == '[':
		return "application/json"
	case start[0] == '<':
		return "text/html"
	default:
		return "text/plain; charset=utf-8"
	}
}

// Detail answers with a status and the API's error body, {"detail": text}.
func Detail(status int, text string) Action {
	return action("status "+strconv.Itoa(status), func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		writeDetail(w, status, text)
	})
}

// Header sets headers of the answer: name, value, name, value. It panics when the last value is
// missing.
func Header(namesAndValues ...string) Action {
	if len(namesAndValues)%2 != 0 {
		panic("partitiontest: header " + namesAndValues[len(namesAndValues)-1] + " without a value")
	}
	return action("header", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		for i := 0; i < len(namesAndValues); i += 2 {
			w.Header().Set(namesAndValues[i], namesAndValues[i+1])
		}
		real.ServeHTTP(w, r)
	})
}

// Redirect answers with a redirecting status and a Location.
func Redirect(status int, target string) Action {
	a := Chain(Header("Location", target), Reply(status, ""))
	a.Name = "redirect " + strconv.Itoa(status)
	return a
}

// HTMLPage answers with an error page like that of a gateway in front of an API that does not
// answer.
func HTMLPage(status int) Action {
	title := strconv.Itoa(status) + " " + http.StatusText(status)
	a := Reply(status, "<html>\r\n<head><title>"+title+"</title></head>\r\n<body>\r\n<h1>"+title+"</h1>\r\n"+
		"<p>The gateway has no answer from the service behind it.</p>\r\n</body>\r\n</html>\r\n")
	a.Name = "HTML page " + strconv.Itoa(status)
	return a
}

// Empty answers 200 with nothing in the body.
func Empty() Action {
	a := Chain(Header("Content-Type", "application/json"), Reply(http.StatusOK, ""))
	a.Name = "empty answer"
	return a
}

// InvalidJSON answers 200 with JSON that breaks off in the middle of an element, in an HTTP answer
// that is complete.
func InvalidJSON() Action {
	a := Reply(http.StatusOK, `[{"type": "Title", "element_id": "0123", "text": "broken o`)
	a.Name = "invalid JSON"
	return a
}

// Gzip compresses the answer, whether the client has asked for it or not.
func Gzip() Action {
	return action("gzip", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		status, body := capture(w, r, real)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body) // into memory: cannot fail
		_ = z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Del("Content-Length")
		w.WriteHeader(status)
		_, _ = w.Write(packed.Bytes())
	})
}

// capture runs h and returns its answer. Headers go to w.
func capture(w http.ResponseWriter, r *http.Request, h http.Handler) (status int, body []byte) {
	c := &captured{header: w.Header()}
	h.ServeHTTP(c, r)
	c.WriteHeader(http.StatusOK)
	return c.status, c.body.Bytes()
}

type captured struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (c *captured) Header() http.Header { return c.header }

func (c *captured) WriteHeader(status int) {
	if c.status == 0 && status >= 200 {
		c.status = status
	}
}

func (c *captured) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	return c.body.Write(p)
}
