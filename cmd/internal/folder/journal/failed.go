package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FailedName is the failed list's usual place in the output folder.
const FailedName = Folder + "/failed.jsonl"

// A Failure is one line of a failed list: a document that has no output, or an incomplete one, and
// why.
type Failure struct {
	Path     string   `json:"path"` // absolute, but for standard input (-)
	Name     string   `json:"name"` // of its output, below the output folder, without the format's extension
	SHA256   string   `json:"sha256,omitempty"`
	Kind     string   `json:"kind"`
	Status   int      `json:"status,omitempty"` // of the last answer, where there was one
	Final    bool     `json:"final"`            // the server said that it would fail again
	Attempts int      `json:"attempts"`
	Missing  []string `json:"pages,omitempty"` // of an incomplete output, the page ranges that it lacks
	Message  string   `json:"message"`
	// NameBytes and PathBytes are as in a [Record].
	NameBytes []byte `json:"name_bytes,omitempty"`
	PathBytes []byte `json:"path_bytes,omitempty"`
}

// FailureOf is what a record says of a failure.
func FailureOf(r Record, name string) Failure {
	return Failure{
		Path: r.Path, Name: name, SHA256: r.SHA256, Kind: r.Kind, Status: r.Status, Final: r.Final, Attempts: r.Attempts, Missing: r.Missing,
		Message: r.Error,
	}
}

// Write appends f to a failed list.
func (f Failure) Write(w io.Writer) error {
	f.NameBytes, f.PathBytes = rawText(f.Name), rawText(f.Path)
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// failedLine is how long a line of a failed list may be.
const failedLine = 1 << 20

// ReadFailed reads a failed list; it is never nil beside a nil error. A line needs no more than a
// path.
func ReadFailed(r io.Reader) ([]Failure, error) {
	failures := []Failure{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, failedLine)
	n := 1
	for ; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var f Failure
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, fmt.Errorf("line %d: not a JSON object with a path", n)
		}
		f.Name, f.Path = whole(f.Name, f.NameBytes), whole(f.Path, f.PathBytes)
		f.NameBytes, f.PathBytes = nil, nil
		if f.Path == "" {
			return nil, fmt.Errorf("line %d: no path", n)
		}
		failures = append(failures, f)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: longer than %d bytes", n, failedLine)
	}
	return failures, lines.Err()
}
