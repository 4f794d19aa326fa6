package partition

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/jsonlist"
	"github.com/quire-dev/quire/partition/internal/secret"
	"github.com/quire-dev/quire/partition/internal/spool"
	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/retry"
)

// maxElement bounds an element, in bytes. An answer is bounded by [WithAnswerSpace].
const maxElement = 128 << 20

// An answer is the checked body of a 200, kept until its turn to be merged comes.
type answer struct {
	store    *spool.Store
	elements int   // in the list; 0 for CSV
	replaced int64 // bytes that were no UTF-8, for which U+FFFD is kept
	local    error // why it could not be kept: no fault of the server, so no reason to ask it again
}

// receive reads a 200 into the answer and checks that it is what was asked for. It may be called
// again for another attempt.
func (a *answer) receive(response *http.Response, want OutputFormat, secrets *secret.Redactor) error {
	if response.StatusCode != http.StatusOK {
		return retry.Decode(fmt.Errorf("status %d is not the answer to a partition request", response.StatusCode))
	}
	longest := a.store.Longest()
	body := &boundedReader{r: response.Body, left: longest, what: "the answer is longer than " + text.Bytes(longest)}
	err := a.keep(a.store.Create(), body, want, secrets, true)
	if err != nil {
		a.store.Remove() // its room is others'
	}
	if lost := (*spool.Error)(nil); errors.As(err, &lost) {
		a.local = err
		return nil
	}
	return err
}

// take copies a stored answer in, with the same check of a list. Earlier builds stored whatever came in place
// of a table: what was paid for is not sent again.
func (a *answer) take(stored io.Reader, want OutputFormat) error {
	return a.keep(a.store.Create(), stored, want, nil, false)
}

// keep writes an answer to w while it is checked. Elements are valid UTF-8 when they are kept, so
// that they are in every output. An answer that is fresh from the server must be a table where a
// table was asked for.
func (a *answer) keep(w io.Writer, body io.Reader, want OutputFormat, secrets *secret.Redactor, fresh bool) error {
	if want == OutputCSV {
		return checkTable(io.TeeReader(body, w), secrets, fresh)
	}
	valid := text.NewUTF8Reader(body)
	err := a.check(io.TeeReader(valid, w), secrets)
	a.replaced = valid.Replaced
	return err
}

// check reads a list of elements to its end.
func (a *answer) check(body io.Reader, secrets *secret.Redactor) error {
	buffered := bufio.NewReaderSize(body, 64<<10)
	if err := checkStart(buffered, secrets); err != nil {
		return err
	}
	a.elements = 0
	list := jsonlist.New(buffered, maxElement)
	for {
		v, err := list.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return listError(err)
		}
		a.elements++
		if v.Head[0] != '{' {
			start := v.Head[:min(len(v.Head), excerptBytes+secrets.Longest())]
			return fmt.Errorf("item %d of the list is not a JSON object: %s", a.elements, excerpt(start, secrets))
		}
	}
}

// all decodes the stored elements, one at a time. One that is large waits for its turn.
func (a *answer) all(ctx context.Context, turns elementTurns) iter.Seq2[element.Element, error] {
	return func(yield func(element.Element, error) bool) {
		stored := a.store.Open()
		list := jsonlist.New(bufio.NewReaderSize(stored, 64<<10), math.MaxInt64)
		for {
			v, err := list.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(element.Element{}, err)
				return
			}
			if !turns.decode(ctx, stored, v, yield) {
				return
			}
		}
	}
}

// checkTable reads a table to its end. It refuses a fresh answer that is JSON or HTML: a server that
// ignores output_format has sent no table. The first line of a table is its header, which begins
// with the name of a column.
func checkTable(body io.Reader, secrets *secret.Redactor, fresh bool) error {
	buffered := bufio.NewReaderSize(body, 64<<10)
	start, err := buffered.Peek(excerptBytes + secrets.Longest())
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case !fresh || len(first) == 0 || !bytes.ContainsAny(first[:1], "[{<"):
		_, err := io.Copy(io.Discard, buffered)
		return err
	case first[0] == '<':
		return notTable("an HTML page", start, secrets)
	default:
		return notTable("JSON", start, secrets)
	}
}

func notTable(what string, start []byte, secrets *secret.Redactor) error {
	return retry.Decode(fmt.Errorf("the body is %s, not the table that output_format %s asks for: %s", what, OutputCSV, excerpt(start, secrets)))
}

// checkStart says, by its first bytes, what an answer is that is no list.
func checkStart(r *bufio.Reader, secrets *secret.Redactor) error {
	for {
		c, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return retry.Decode(errors.New("the body is empty, not a list of elements"))
		case err != nil:
			return err
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			continue
		}
		if err := r.UnreadByte(); err != nil {
			return err
		}
		start, _ := r.Peek(excerptBytes + secrets.Longest())
		switch {
		case c == '[':
			return nil
		case c == '{':
			return retry.Decode(fmt.Errorf("the body is a JSON object, not a list of elements: %s", excerpt(start, secrets)))
		case c == '<':
			return retry.Decode(fmt.Errorf("the body is an HTML page, not a list of elements: %s", excerpt(start, secrets)))
		default:
			return retry.Decode(fmt.Errorf("the body is not a JSON list of elements: %s", excerpt(start, secrets)))
		}
	}
}

// excerptBytes is how much of a body is shown.
const excerptBytes = 80

// excerpt shows the beginning of a body, without a key that it may repeat: start reaches far enough
// for a key that begins in what is shown.
func excerpt(start []byte, secrets *secret.Redactor) string {
	return text.Printable(text.Shorten(secrets.Redact(string(start)), excerptBytes))
}

// listError distinguishes a list that broke off from one that is wrong, and leaves alone what went
// wrong on the way.
func listError(err error) error {
	syntax, long := (*jsonlist.SyntaxError)(nil), (*jsonlist.LengthError)(nil)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return retry.Truncated(fmt.Errorf("the list of elements breaks off: %w", io.ErrUnexpectedEOF))
	case errors.As(err, &syntax):
		return retry.Decode(fmt.Errorf("the body is not valid JSON at byte %d: %w", syntax.Offset, err))
	case errors.As(err, &long):
		return retry.Decode(err)
	default:
		return err
	}
}

// boundedReader fails when more than left bytes come.
type boundedReader struct {
	r    io.Reader
	left int64
	what string // to say then
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, retry.Decode(errors.New(b.what))
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
