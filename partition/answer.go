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
	turns    elementTurns
	elements int   // in the list; 0 for CSV
	replaced int64 // bytes that were no UTF-8, for which U+FFFD is kept
	halves   int64 // of surrogate pairs, for which U+FFFD is kept
	local    error // why it could not be kept: no fault of the server, so no reason to ask it again

	repairable bool // its elements may lack parents that stand in an earlier answer
	parents    parentProof
}

// receive reads a 200 into the answer and checks that it is what was asked for. It may be called
// again for another attempt.
func (a *answer) receive(ctx context.Context, response *http.Response, want OutputFormat, secrets *secret.Redactor) error {
	if response.StatusCode != http.StatusOK {
		return retry.Decode(fmt.Errorf("status %d is not the answer to a partition request", response.StatusCode))
	}
	longest := a.store.Longest()
	body := &boundedReader{r: response.Body, left: longest, what: "the answer is longer than " + text.Bytes(longest)}
	err := a.keep(ctx, a.store.Create(), body, want, secrets, true)
	if err != nil {
		a.store.Remove() // its room is others'
	}
	if lost := (*spool.Error)(nil); errors.As(err, &lost) {
		a.local = err
		return nil
	}
	return err
}

// take copies a stored answer in, with the same check of a list. Earlier builds stored whatever came
// in place of a table or of an element: what was paid for is not sent again.
func (a *answer) take(ctx context.Context, stored io.Reader, want OutputFormat) error {
	return a.keep(ctx, a.store.Create(), stored, want, nil, false)
}

// keep writes an answer to w while it is checked. What is kept is valid UTF-8 without half of a
// surrogate pair, so that every reader of every output takes it. An answer that is fresh from the
// server must be what was asked for: a table, or a list of elements.
func (a *answer) keep(ctx context.Context, w io.Writer, body io.Reader, want OutputFormat, secrets *secret.Redactor, fresh bool) error {
	valid := text.NewUTF8Reader(body)
	defer func() { a.replaced = valid.Replaced }()
	if want == OutputCSV {
		return checkTable(io.TeeReader(valid, w), secrets, fresh)
	}
	paired := text.NewPairReader(valid)
	defer func() { a.halves = paired.Replaced }()
	return a.check(ctx, io.TeeReader(withoutMark(paired), w), secrets, fresh)
}

// byteOrderMark says that a text is UTF-8. It is no part of it.
const byteOrderMark = "\ufeff"

// withoutMark leaves out a byte order mark at the beginning, which parsers of JSON refuse.
func withoutMark(r io.Reader) io.Reader {
	buffered := bufio.NewReaderSize(r, 16)
	if start, _ := buffered.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark)) // they are there
	}
	return buffered
}

// check reads a list of elements to its end.
func (a *answer) check(ctx context.Context, body io.Reader, secrets *secret.Redactor, fresh bool) error {
	buffered := bufio.NewReaderSize(body, 64<<10)
	blanks, err := checkStart(buffered, secrets)
	if err != nil {
		return err
	}
	a.elements, a.parents = 0, parentProof{}
	members := newElementMembers()
	list := jsonlist.New(buffered, maxElement)
	for {
		v, err := list.Next()
		v.At += blanks
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return listError(err)
		}
		a.elements++
		if v.Head[0] != '{' {
			return retry.Decode(fmt.Errorf("item %d of the list is not a JSON object: %s", a.elements, excerptOf(v.Head, secrets)))
		}
		if !fresh && !a.repairable {
			continue
		}
		if err := a.look(ctx, v, members, secrets, fresh); err != nil {
			return err
		}
	}
}

// look checks an element, and notes what it proves of parents. One that is large is read back from the
// store, in its turn.
func (a *answer) look(ctx context.Context, v jsonlist.Value, members *elementMembers, secrets *secret.Redactor, fresh bool) error {
	raw, leave, err := a.turns.bytes(ctx, a.store.Open(), v)
	if err != nil {
		return err
	}
	defer leave()
	members.read(raw)
	defer members.forget()
	if a.repairable {
		a.parents.note(members)
	}
	if !fresh {
		return nil
	}
	if err := members.check(raw, secrets); err != nil {
		return retry.Decode(fmt.Errorf("item %d of the list %w", a.elements, err))
	}
	return nil
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
// with the name of a column; where that is no UTF-8 the whole table is in another encoding.
func checkTable(body io.Reader, secrets *secret.Redactor, fresh bool) error {
	buffered := bufio.NewReaderSize(body, 64<<10)
	start, err := buffered.Peek(excerptBytes + secrets.Longest())
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first := bytes.TrimLeft(bytes.TrimPrefix(start, []byte(byteOrderMark)), " \t\r\n")
	switch {
	case fresh && bytes.HasPrefix(first, []byte("\ufffd\ufffd")):
		return retry.Decode(fmt.Errorf("the table is not in UTF-8: %s", excerpt(start, secrets)))
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

// checkStart says, by its first bytes, what an answer is that is no list. It takes the blanks before a
// list.
func checkStart(r *bufio.Reader, secrets *secret.Redactor) (blanks int64, err error) {
	for {
		c, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return blanks, retry.Decode(errors.New("the body is empty, not a list of elements"))
		case err != nil:
			return blanks, err
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			blanks++
			continue
		}
		if err := r.UnreadByte(); err != nil {
			return blanks, err
		}
		start, _ := r.Peek(excerptBytes + secrets.Longest())
		switch {
		case c == '[':
			return blanks, nil
		case c == '{':
			return blanks, retry.Decode(fmt.Errorf("the body is a JSON object, not a list of elements: %s", excerpt(start, secrets)))
		case c == '<':
			return blanks, retry.Decode(fmt.Errorf("the body is an HTML page, not a list of elements: %s", excerpt(start, secrets)))
		default:
			return blanks, retry.Decode(fmt.Errorf("the body is not a JSON list of elements: %s", excerpt(start, secrets)))
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
