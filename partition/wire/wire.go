package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/internal/filestat"
	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/partition/internal/secret"
	"github.com/quire-dev/quire/partition/internal/settings"
	"github.com/quire-dev/quire/partition/internal/spool"
	"github.com/quire-dev/quire/partition/internal/text"
)

// A Field describes one form field of [partition.Params].
type Field = form.Field

// FieldKind is the type of a form field's value.
type FieldKind = form.Kind

// The kinds of form fields.
const (
	KindString = form.String
	KindSecret = form.Secret // a string that must not be shown
	KindBool   = form.Bool
	KindInt    = form.Int
	KindFloat  = form.Float
	KindList   = form.List
)

// A Stat is what the file system says of a file, at a time.
type Stat = filestat.Stat

// StatOf is what info, looked up at the given time, says.
func StatOf(info fs.FileInfo, taken time.Time) Stat { return filestat.Of(info, taken) }

// A Scratch is where what has to wait is kept: in one private file without a name, however much there
// is of it. What cannot be written there is kept in memory, with a warning, as far as its space allows.
type Scratch = spool.Scratch

// NewSpace returns the bounds of all stores of a [Scratch] together, in bytes: in its file and in
// memory. Its method Wait waits while more than half of either is taken.
func NewSpace(files, memory int64) *spool.Space { return spool.NewSpace(files, memory) }

// A Store holds one thing that waits in a [Scratch].
type Store = spool.Store

// DefaultGrace is the default of [partition.WithGrace], for a flag that shows it.
const DefaultGrace = settings.Grace

// Fields returns every form field that [partition.Params.Set] knows, in the order in which they are
// sent.
func Fields() []Field { return form.Fields() }

// Printable makes untrusted text, such as a file name or a server's message, safe to print on one
// line of a terminal. It escapes control characters, line and paragraph separators, characters that
// change the direction of text, and bytes that are not UTF-8.
func Printable(s string) string { return text.Printable(s) }

// WithEngine sets the name and version of an engine that runs in this process. The client then
// takes no answers of another version from the cache. It is not needed for a server.
func WithEngine(name string) partition.Option {
	return partition.WithSettings(settings.Settings{Engine: name})
}

// WithHeldElements is for a program whose loops over elements wait for nothing that another loop holds:
// what a large element takes of memory is held until the loop goes on, so that few of them are
// formatted at once.
func WithHeldElements() partition.Option {
	return partition.WithSettings(settings.Settings{HoldElements: true})
}

// WithAPIKeySource names the source of the API key, such as a file. The message that a key was
// refused shows it.
func WithAPIKeySource(source string) partition.Option {
	return partition.WithSettings(settings.Settings{KeySource: source})
}

// Do sends a request that is no partition request with an HTTP client. Errors do not show the secrets
// in its headers and its URL, also where they quote an answer.
func Do(hc *http.Client, request *http.Request) (*http.Response, error) {
	discreet := *hc
	secret.Discreet(&discreet)
	secrets := secret.New(secret.Of("", request.Header, request.URL)...)
	return discreet.Do(request.WithContext(secret.WithContext(request.Context(), secrets)))
}

// repairWord is how parents are repaired. What version 0.1.0 did by default, without a repair, or
// because it was asked to, with one, is not done again.
func repairWord(asked *bool) string {
	switch {
	case asked == nil:
		return "false"
	case *asked:
		return "true"
	default:
		return "off"
	}
}

// Key returns a key that identifies the parameters, for programs that remember their work:
// parameters with equal keys give the same elements. It covers the form fields and, of
// [partition.Split], the pages, how finely a PDF is cut, the scope of text chunking and whether
// parents are repaired. It does not cover what only decides whether there is a result, or how it is
// obtained: mode, limits, password, AllowFailed and Narrow.
func Key(p partition.Params) (partition.Key, error) {
	fields, err := form.Encode(p, p.Extra)
	if err != nil {
		return partition.Key{}, err
	}
	scope := cmp.Or(p.Split.Scope, partition.ChunkingWhole)
	if scope == partition.ChunkingPerChunk {
		scope = "per-chunk" // the spelling of the records of version 0.1.0
	}
	described := [][]string{
		{"pages", p.Split.Pages.String()},
		{"concurrency", strconv.Itoa(form.Concurrency(p.Split.Concurrency))},
		{"off", strconv.FormatBool(p.Split.Off)},
		{"scope", string(scope)},
		{"repair_parents", repairWord(p.Split.RepairParents)},
	}
	for _, field := range fields {
		described = append(described, []string{"field", field.Name, field.Value})
	}
	encoded, err := json.Marshal(described)
	return sha256.Sum256(encoded), err
}
