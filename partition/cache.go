package partition

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/split"
)

// A Key names a stored answer: the SHA-256 of everything that produced it.
type Key = [sha256.Size]byte

// A Cache keeps answers, so that a page that was answered once is never sent again. It is used by several goroutines at once. What
// it fails at is said once, and the run goes on without it.
type Cache interface {
	// Get returns what was stored under the key. A miss wraps [fs.ErrNotExist].
	Get(ctx context.Context, k Key) (io.ReadCloser, error)
	// Put stores what write writes, whole or not at all.
	Put(ctx context.Context, k Key, write func(io.Writer) error) error
}

// A cache with a Scratch method offers a private directory for what is in transit, which is swept once its process is gone.
type scratcher interface{ Scratch() (string, error) }

// newScratch is where the chunks and answers of a document wait in the given mode.
func (c *Client) newScratch(mode ChunkMode) *scratch {
	s := &scratch{disk: mode == DiskCached}
	if offers, ok := c.cache.(scratcher); ok {
		s.base = offers.Scratch
	}
	return s
}

// keyFormat changes when the meaning of a stored answer does.
const keyFormat = 1

// A description is all that an answer depends on. What it does not say must not change an answer: not the chunk's bytes, a path, a
// time, or how a PDF was split.
type description struct {
	Format    int        `json:"format"`
	Endpoint  string     `json:"endpoint"`
	Account   string     `json:"account"` // a salted hash of the key
	Headers   [][]string `json:"headers"` // that the caller set: name, values
	Engine    string     `json:"engine"`  // the embedded engine's version, "" with a server
	Document  string     `json:"document"`
	Name      string     `json:"name"` // as sent
	MediaType string     `json:"media_type"`
	Pages     string     `json:"pages"` // "" where the document goes whole
	Fields    [][]string `json:"fields"`
}

// key is the key of a part's answer.
func (f *fanout) key(pages split.PageRange) Key {
	d := description{
		Format: keyFormat, Endpoint: f.client.endpoint.url.String(), Account: f.client.account, Headers: f.client.keyHeaders,
		Engine: f.client.engine, Document: f.job.sha256, Name: f.job.name, MediaType: f.mediaType(pages), Fields: [][]string{},
	}
	if pages != (split.PageRange{}) {
		d.Pages = pages.String()
	}
	for _, field := range f.fields(pages) {
		d.Fields = append(d.Fields, []string{field.Name, field.Value})
	}
	encoded, _ := json.Marshal(d) // texts and numbers always can be
	return sha256.Sum256(encoded)
}

// accountOf tells accounts apart without telling the key.
func accountOf(key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("quire account\x00" + key))
	return hex.EncodeToString(sum[:])
}

// headersOf lists what the caller set, sorted by name.
func (c *config) headersOf() [][]string {
	headers := [][]string{}
	for _, name := range slices.Sorted(maps.Keys(c.header)) {
		headers = append(headers, append([]string{name}, c.header[name]...))
	}
	return headers
}

// caches tells whether answers of this document are stored. Those to a document that needs a password are not, unless its chunks
// may go to disk as well.
func (f *fanout) caches() bool {
	s := f.job.params.Split
	return f.client.cache != nil && (s.Password == "" || s.Mode == DiskCached)
}

// recall takes the answer of a part from the cache. Anything but a sound answer is a miss.
func (f *fanout) recall(ctx context.Context, p *part) bool {
	if !f.caches() || f.client.refresh {
		return false
	}
	stored, err := f.client.cache.Get(ctx, f.key(p.pages))
	if err != nil {
		f.client.cacheFailed(ctx, err)
		return false
	}
	defer stored.Close()
	if err := p.answer.take(stored, f.job.params.OutputFormat); err != nil {
		f.client.cacheFailed(ctx, err)
		return false
	}
	p.report.Err, p.report.Cached, p.report.Elements = nil, true, p.answer.elements
	document := f.job.plan.Document
	f.client.event(ctx, Event{Kind: ChunkStart, Document: document, Pages: p.pages, Cached: true})
	f.client.event(ctx, Event{Kind: ChunkEnd, Document: document, Pages: p.pages, Cached: true, Elements: p.report.Elements})
	return true
}

// knowsHalves tells whether a part was narrowed in an earlier run: something below it is in the cache.
func (f *fanout) knowsHalves(ctx context.Context, pages split.PageRange) bool {
	if !f.caches() || f.client.refresh || !f.canHalve(pages) || f.job.params.Split.Off && !f.job.params.Split.Narrow {
		return false
	}
	for _, half := range halves(f.span(pages)) {
		if f.has(ctx, half) || f.knowsHalves(ctx, half) {
			return true
		}
	}
	return false
}

// remember stores a part's answer, also when the document has ended meanwhile.
func (f *fanout) remember(ctx context.Context, p *part) {
	if !f.caches() {
		f.unkept.Store(true)
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := f.client.cache.Put(ctx, f.key(p.pages), func(w io.Writer) error {
		stored, err := p.answer.store.open()
		if err != nil {
			return err
		}
		defer stored.Close()
		_, err = io.Copy(w, stored)
		return err
	})
	if err != nil {
		f.unkept.Store(true)
		f.client.cacheFailed(ctx, err)
	}
}

// cacheFailed says once that the cache does not work. A miss is no failure.
func (c *Client) cacheFailed(ctx context.Context, err error) {
	if errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return
	}
	c.cacheOnce.Do(func() {
		c.logger.WarnContext(ctx, "the cache does not work, going on without it", "error", text.Printable(err.Error()))
		c.event(ctx, Event{Kind: CacheFailed, Err: err})
	})
}
