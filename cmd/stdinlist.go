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

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
)

// A listSink answers the documents that standard input names, one a line, with one line each on
// standard output: this is how another program keeps quire running as one of its steps. A line is a
// path, or an object: see [asked].
type listSink struct {
	stdin     io.Reader
	params    partition.Params // of a document that sets none
	unordered bool
	hashes    bool // a failed list wants to know what a document was that failed
	out       *bufio.Writer
	lost      error // of out: nothing is written after it
	waiting   *waiting
}

func (l *listSink) ordered() bool               { return !l.unordered }
func (l *listSink) resumes() bool               { return false }
func (l *listSink) finish(_ *work, then func()) { then() }
func (l *listSink) streams() bool               { return false }
func (l *listSink) finished()                   { l.waiting.close() }

func (l *listSink) room(ctx context.Context) error { return l.waiting.room(ctx) }

// begin settles nothing: a program that asks again wants an answer again.
func (l *listSink) begin(context.Context, *partition.Document, *work) {}

func (l *listSink) output(ctx context.Context, d *partition.Document, w *work, write func(*bufio.Writer) error) {
	l.waiting.free(w)
	w.spool, w.Err = l.waiting.spooled(write)
	if w.spool != nil || l.hashes {
		w.SHA256, _ = d.SHA256(ctx) // without it, less is known of the document
	}
}

// An asked is what a line asks for. Only the path is needed.
type asked struct {
	Path   string          `json:"path"`
	Name   string          `json:"name"`   // what the server sees; the path's last element without it
	Params map[string]any  `json:"params"` // API fields by their names: a text, a number, a boolean or a list of texts
	ID     json.RawMessage `json:"id"`     // anything: the answer has it too

	params partition.Params // all of them
}

// answered is a line of standard output, but for its elements, which stand between.
type answered struct {
	Path   string          `json:"path"`
	Name   string          `json:"name,omitempty"`
	ID     json.RawMessage `json:"id,omitempty"`
	SHA256 string          `json:"sha256,omitempty"`
	Pages  int             `json:"pages,omitempty"` // answered; absent where pages are not known
	Empty  bool            `json:"empty,omitempty"` // there is nothing in the answer
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

// documents yields a document a line, as lines come. A line that cannot be understood is a document
// that fails.
func (l *listSink) documents(ctx context.Context) iter.Seq[*work] {
	return func(yield func(*work) bool) {
		in := interruptible(ctx, l.stdin)
		defer in.Close() // it was only read
		lines := bufio.NewReaderSize(walk.Decoded(in), listedLine)
		for n := 1; ; n++ {
			line, err := lines.ReadSlice('\n')
			w := &work{Outcome: outcome.Outcome{Path: fmt.Sprintf("line %d", n)}, asked: &asked{params: l.params}}
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				w.refuse(partition.KindBadRequest, fmt.Errorf("longer than %d bytes", listedLine))
				for errors.Is(err, bufio.ErrBufferFull) {
					_, err = lines.ReadSlice('\n')
				}
			case err != nil && !errors.Is(err, io.EOF):
				w.refuse(partition.KindBadRequest, err)
			case err == nil || len(line) > 0:
				wrong := w.asked.read(bytes.TrimSpace(line))
				if w.asked.Path != "" {
					w.Path, w.Name = w.asked.Path, w.asked.Path
				}
				if wrong != nil {
					w.refuse(partition.KindBadRequest, wrong)
				}
			default:
				return
			}
			if ctx.Err() != nil || !yield(w) || err != nil {
				return
			}
		}
	}
}

// read reads a line.
func (a *asked) read(line []byte) error {
	if !bytes.HasPrefix(line, []byte("{")) {
		a.Path = string(line)
	} else if err := decodeAsked(line, a); err != nil {
		a.Path = ""
		return fmt.Errorf("neither a path nor a JSON object: %w", err)
	}
	if a.Path == "" {
		return errors.New("no path")
	}
	for name, value := range a.Params {
		values, err := paramTexts(value)
		if err == nil {
			err = a.params.Set(name, values...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decodeAsked reads an object; numbers keep their spelling.
func decodeAsked(line []byte, a *asked) error {
	if !json.Valid(line) {
		return errors.New("invalid JSON")
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
			return nil, fmt.Errorf("params: %v is not a string, a number, a boolean or a list of these", v)
		}
	}
	return texts, nil
}

// show writes the line of a document.
func (l *listSink) show(w *work) error {
	defer l.waiting.free(w)
	if l.lost != nil {
		return l.lost
	}
	err := l.write(w)
	if err == nil {
		err = l.out.Flush() // whoever asked is waiting
	}
	if err != nil {
		l.lost = &folder.WriteError{Name: "standard output", Err: err}
	}
	return l.lost
}

func (l *listSink) write(w *work) error {
	head, err := json.Marshal(answered{
		Path: w.Path, Name: w.asked.Name, ID: w.asked.ID, SHA256: w.SHA256, Pages: w.Report.AnsweredPages(), Empty: w.Report.Empty,
		Notes: w.Report.Warnings,
	})
	if err != nil {
		return err
	}
	_, _ = l.out.Write(bytes.TrimSuffix(head, []byte("}"))) // an error comes back from Flush
	if w.spool != nil && w.Written {
		_, _ = l.out.WriteString(`,"elements":`)
		if err := copyStore(joinedLines{l.out}, w.spool); err != nil {
			return err
		}
	}
	if w.Err != nil {
		failure, err := json.Marshal(listedError{
			Kind: w.Kind(), Message: w.Message(), Status: w.Status(), Final: w.Final(), Missing: w.MissingPages(), Requests: w.Report.Requests(),
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
	for line := range bytes.SplitSeq(p, []byte("\n")) {
		if _, err := j.w.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
