package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
)

// A stdinList is the documents that standard input names, one a line, each answered with one line on standard output: how another
// program keeps quire running as a step of its own. A line is a path, or an object: see [asked].
type stdinList struct {
	in        io.Reader
	params    partition.Params // of a document that sets none
	unordered bool

	mu  sync.Mutex
	out *bufio.Writer
	err error // of writing
}

// asked is what a line asks for. Only the path is needed.
type asked struct {
	Path   string          `json:"path"`
	Name   string          `json:"name"`   // what the server sees; the path's last element without it
	Params map[string]any  `json:"params"` // API fields by their names: a text, a number, a boolean or a list of texts
	ID     json.RawMessage `json:"id"`     // anything: the answer has it too
}

// answered is a line of standard output, but for its elements, which stand between.
type answered struct {
	Path   string          `json:"path"`
	Name   string          `json:"name,omitempty"`
	ID     json.RawMessage `json:"id,omitempty"`
	SHA256 string          `json:"sha256,omitempty"`
	Pages  int             `json:"pages,omitempty"` // answered; absent where pages are not known
	Notes  []string        `json:"warnings,omitempty"`
}

// listedError is why a document has no elements, or not all.
type listedError struct {
	Kind     partition.Kind `json:"kind"`
	Message  string         `json:"message"`
	Status   int            `json:"status,omitempty"` // of the last answer
	Final    bool           `json:"final"`            // the server said that it would fail again
	Missing  []string       `json:"missing_pages,omitempty"`
	Requests int            `json:"requests"`
}

// listedLine is how long a line may be.
const listedLine = 1 << 20

// works yields a document a line, as lines come. A line that cannot be understood is a document that fails.
func (l *stdinList) works(ctx context.Context) iter.Seq[*work] {
	return func(yield func(*work) bool) {
		in := interruptible(ctx, l.in)
		defer in.Close() // it was only read
		lines := bufio.NewReaderSize(in, listedLine)
		for n := 1; ; n++ {
			line, err := lines.ReadSlice('\n')
			w := &work{entry: walk.Entry{Path: fmt.Sprintf("line %d", n)}, asked: &askedFor{}}
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				w.entry.Err = fmt.Errorf("longer than %d bytes", listedLine)
				for errors.Is(err, bufio.ErrBufferFull) {
					_, err = lines.ReadSlice('\n')
				}
			case err != nil && !errors.Is(err, io.EOF):
				w.entry.Err = err
			case err == nil || len(line) > 0:
				l.read(bytes.TrimSpace(line), w)
			default:
				return
			}
			if ctx.Err() != nil || !yield(w) || err != nil {
				return
			}
		}
	}
}

// askedFor is what a document of a list carries beside its path.
type askedFor struct {
	asked
	params partition.Params
}

// read fills in the document that a line asks for.
func (l *stdinList) read(line []byte, w *work) {
	a, e := w.asked, &w.entry
	a.params = l.params
	if !bytes.HasPrefix(line, []byte("{")) {
		a.Path = string(line)
	} else if err := decodeAsked(line, &a.asked); err != nil {
		e.Err = fmt.Errorf("no path and no object: %w", err)
		return
	}
	if a.Path == "" {
		e.Err = errors.New("no path")
		return
	}
	e.Path, e.Name = a.Path, a.Path
	for name, value := range a.Params {
		values, err := paramTexts(value)
		if err == nil {
			err = a.params.Set(name, values...)
		}
		if err != nil {
			e.Err = err
			return
		}
	}
}

// decodeAsked reads an object; numbers keep their spelling.
func decodeAsked(line []byte, a *asked) error {
	if !json.Valid(line) {
		return errors.New("no JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	return dec.Decode(a)
}

// paramTexts are the texts of a parameter's value.
func paramTexts(value any) ([]string, error) {
	list, several := value.([]any)
	if !several {
		list = []any{value}
	}
	var texts []string
	for _, v := range list {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case bool, json.Number:
			texts = append(texts, fmt.Sprint(v))
		default:
			return nil, fmt.Errorf("params: %v is neither a text, a number, a boolean nor a list of those", v)
		}
	}
	return texts, nil
}

// answer writes the line of a document.
func (l *stdinList) answer(w *work) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.err = l.write(w)
	if l.err == nil {
		l.err = l.out.Flush() // whoever asked is waiting
	}
	if l.err != nil {
		l.err = &outputError{"standard output", l.err}
	}
	return l.err
}

func (l *stdinList) write(w *work) error {
	head, err := json.Marshal(answered{
		Path: w.entry.Path, Name: w.asked.Name, ID: w.asked.ID, SHA256: w.record.SHA256, Pages: w.report.AnsweredPages(),
		Notes: w.report.Warnings,
	})
	if err != nil {
		return err
	}
	_, _ = l.out.Write(bytes.TrimSuffix(head, []byte("}"))) // an error comes back from Flush
	if w.spool != nil && w.output {
		_, _ = l.out.WriteString(`,"elements":`)
		if err := w.spool.copyTo(joinedLines{l.out}); err != nil {
			return err
		}
	}
	if w.err != nil {
		failure, err := json.Marshal(listedError{
			Kind: w.kind(), Message: w.message(), Status: statusOf(w.err), Final: declaredFinal(w.err), Missing: missingPages(w.report),
			Requests: w.report.Requests(),
		})
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(l.out, `,"error":%s`, failure)
	}
	_, err = l.out.WriteString("}\n")
	return err
}

// joinedLines leaves out the line ends of what is written to it: JSON has none inside its texts.
type joinedLines struct{ w io.Writer }

// Write writes everything else.
func (j joinedLines) Write(p []byte) (int, error) {
	for part := range bytes.SplitSeq(p, []byte("\n")) {
		if _, err := j.w.Write(part); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
