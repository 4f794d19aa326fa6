package journal

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/quire-dev/quire/partition/wire"
)

// A State is how a document ended.
type State string

// The states of a document. What was interrupted has no record.
const (
	Done    State = "done"    // its output is whole
	Partial State = "partial" // its output lacks pages
	Failed  State = "failed"  // it has no output
)

// A Record is what is known of one document: what it was, what was asked for, and what came of it.
type Record struct {
	Name string `json:"name"` // its output, below the output folder, with slashes: what the record is found by
	Path string `json:"path"` // absolute
	Stat
	SHA256   string   `json:"sha256,omitempty"` // of its content; "" where it changed while it was read, or could not be
	Params   string   `json:"params"`           // a hash of all that the output depends on beside the content
	How      string   `json:"how,omitempty"`    // what else was tried, on which it depends whether there is an output
	State    State    `json:"state"`
	Attempts int      `json:"attempts"` // requests made for it by the run that wrote this
	Elements int      `json:"elements"`
	Empty    bool     `json:"empty,omitempty"`         // there is nothing in the answer; earlier builds did not note it
	Pages    int      `json:"pages"`                   // answered; 0 where pages are not known
	Missing  []string `json:"missing_pages,omitempty"` // page ranges
	Kind     string   `json:"error_kind,omitempty"`
	Status   int      `json:"status,omitempty"` // of the last answer
	Error    string   `json:"error,omitempty"`
	Final    bool     `json:"final,omitempty"`    // the server said that it would fail again
	Repaired bool     `json:"repaired,omitempty"` // its parents, where cutting had lost them
	Output   int64    `json:"output_size"`        // bytes; 0 without an output
	Engine   string   `json:"engine"`             // what produced the elements
	Version  string   `json:"version"`            // of quire
	// NameBytes and PathBytes are the name and the path where they are no valid UTF-8; Name and
	// Path then are only close.
	NameBytes []byte `json:"name_bytes,omitempty"`
	PathBytes []byte `json:"path_bytes,omitempty"`
}

// A Stat is what the file system says of a file, at a time.
type Stat = wire.Stat

// record has the fields of Record and not its methods.
type record Record

// MarshalJSON keeps names that are no valid UTF-8.
func (r Record) MarshalJSON() ([]byte, error) {
	r.NameBytes, r.PathBytes = rawText(r.Name), rawText(r.Path)
	return json.Marshal(record(r))
}

// UnmarshalJSON restores them.
func (r *Record) UnmarshalJSON(line []byte) error {
	if err := json.Unmarshal(line, (*record)(r)); err != nil {
		return err
	}
	r.Name, r.Path = whole(r.Name, r.NameBytes), whole(r.Path, r.PathBytes)
	r.NameBytes, r.PathBytes = nil, nil
	return nil
}

// rawText is a text's bytes where JSON could not hold it, else nil.
func rawText(text string) []byte {
	if utf8.ValidString(text) {
		return nil
	}
	return []byte(text)
}

func whole(text string, raw []byte) string {
	if len(raw) > 0 {
		return string(raw)
	}
	return text
}
