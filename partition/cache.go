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

	"github.com/quire-dev/quire/partition/internal/spool"
	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/split"
)

// A Key identifies a stored answer. It is the SHA-256 of everything that the answer depends on.
type Key = [sha256.Size]byte

// A Cache keeps answers, so that a page that was answered once is never sent again. Several
// goroutines use it at once. If the cache fails, the client reports it once, by a [CacheFailed]
// event, and goes on without it. A cache may also implement [HasCache], [ScratchCache] or [ClaimCache].
type Cache interface {
	// Get returns what was stored under the key. A miss wraps [fs.ErrNotExist].
	Get(ctx context.Context, k Key) (io.ReadCloser, error)
	// Put calls write and stores what it writes, whole or not at all.
	Put(ctx context.Context, k Key, write func(io.Writer) error) error
}

// A HasCache is a [Cache] that can cheaply tell whether it has an entry. With any other cache the
// client calls Get, which opens the entry: twice for a chunk that has no entry. For a range of pages
// that was narrowed it stores a small entry more, which says so.
type HasCache interface {
	Cache
	// Has reports whether there is an entry. It does not mark the entry as used. It may return true
	// for a damaged entry.
	Has(ctx context.Context, k Key) bool
}

// A ScratchCache is a [Cache] that has space for waiting chunks and answers: see [DiskCached].
type ScratchCache interface {
	Cache
	// Scratch returns a private directory. The cache empties it after the process has ended.
	Scratch() (string, error)
}

// newScratch is where the chunks and answers of a document wait in the given mode.
func (c *Client) newScratch(mode ChunkMode) *spool.Scratch {
	s := &spool.Scratch{Disk: mode == DiskCached, Space: c.space}
	if offers, ok := c.cache.(ScratchCache); ok {
		s.Base = offers.Scratch
	}
	return s
}

// keyFormat changes when the meaning of a stored answer does.
const keyFormat = 1

// A description is all that an answer depends on. What it does not say must not change an answer:
// not the chunk's bytes, a path, a time, or how a PDF was split.
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

// key is the key of a chunk's answer.
func (j *job) key(pages split.PageRange) Key {
	d := description{
		Format: keyFormat, Endpoint: j.client.endpoint.url.String(), Account: j.client.account, Headers: j.client.keyHeaders,
		Engine: j.client.engine, Document: j.sha256, Name: j.name, MediaType: j.mediaType(pages), Fields: [][]string{},
	}
	if pages != (split.PageRange{}) {
		d.Pages = pages.String()
	}
	for _, field := range j.fieldsOf(pages) {
		d.Fields = append(d.Fields, []string{field.Name, field.Value})
	}
	encoded, _ := json.Marshal(d) // texts and numbers always can be
	return sha256.Sum256(encoded)
}

// accountOf distinguishes accounts without showing the key.
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

// caches reports whether answers of this document are stored. Those to a document that needs a
// password are not, unless its chunks may go to disk as well.
func (j *job) caches() bool {
	s := j.params.Split
	return j.client.cache != nil && (s.Password == "" || s.Mode == DiskCached)
}

// recalls reports whether answers of this document may be taken from the cache.
func (j *job) recalls() bool { return j.caches() && !j.client.refresh }

// recall takes the answer of a chunk from the cache. Anything but a sound answer is a miss.
func (j *job) recall(ctx context.Context, key Key, c *chunk) bool {
	stored, err := j.client.cache.Get(ctx, key)
	if err != nil {
		j.cacheFailed(ctx, err)
		return false
	}
	defer stored.Close()
	if err := c.answer.take(ctx, stored, j.params.OutputFormat); err != nil {
		j.cacheFailed(ctx, err)
		return false
	}
	c.report.Cached, c.report.Elements, c.report.Err = true, c.answer.elements, nil
	c.report.Warnings = nil // of a cut that was for nothing
	j.event(ctx, Event{Kind: ChunkStart, Pages: c.pages, Cached: true})
	j.event(ctx, Event{Kind: ChunkEnd, Pages: c.pages, Cached: true, Elements: c.report.Elements})
	return true
}

// recallUnsent takes from the cache what it has of a chunk that is not sent any more.
func (j *job) recallUnsent(c *chunk) {
	for leaf := range c.leaves() {
		if leaf.report.Err != nil && len(leaf.report.Trace.Attempts) == 0 && j.recalls() && j.paid.Err() == nil {
			j.recallAny(leaf)
		}
	}
}

// recallAny takes the answer of a chunk from the cache, or what is there of its halves.
func (j *job) recallAny(c *chunk) {
	if j.recall(j.paid, j.key(c.pages), c) || c.from > 0 || !j.hasHalves(j.paid, c.pages) {
		return
	}
	c.report.Err = errNarrowedBefore
	for _, pages := range halves(j.span(c.pages)) {
		half := j.newChunk(pages)
		j.recallAny(half)
		c.halves = append(c.halves, half)
	}
}

// has reports whether the answer to a range of pages is in the cache.
func (j *job) has(ctx context.Context, pages split.PageRange) bool {
	return j.recalls() && j.hasEntry(ctx, j.key(pages))
}

func (j *job) hasEntry(ctx context.Context, key Key) bool {
	if quick, ok := j.client.cache.(HasCache); ok {
		return quick.Has(ctx, key)
	}
	stored, err := j.client.cache.Get(ctx, key)
	if err == nil {
		_ = stored.Close() // it was only looked for
	}
	return err == nil
}

// hasHalves reports whether a range was narrowed in an earlier run: something below it is in the
// cache.
func (j *job) hasHalves(ctx context.Context, pages split.PageRange) bool {
	if !j.recalls() || !j.canHalve(pages) || j.params.Split.Off && !j.params.Split.Narrow {
		return false
	}
	if _, quick := j.client.cache.(HasCache); !quick && !j.hasEntry(ctx, j.halvesKey(pages)) {
		return false // a look-up in place of one for each half, and for the halves of that
	}
	for _, half := range halves(j.span(pages)) {
		if j.has(ctx, half) || j.hasHalves(ctx, half) {
			return true
		}
	}
	return false
}

// halvesKey is the key of the entry that says that a range was narrowed.
func (j *job) halvesKey(pages split.PageRange) Key {
	key := j.key(pages)
	return sha256.Sum256(append(key[:], "halves"...))
}

// noteNarrowed stores that a range is narrowed, where [job.hasHalves] looks for that, before any of
// the halves has an answer: what is paid for is found, whenever the run ends.
func (j *job) noteNarrowed(ctx context.Context, pages split.PageRange) {
	if _, quick := j.client.cache.(HasCache); quick || !j.caches() {
		return
	}
	err := j.client.cache.Put(context.WithoutCancel(ctx), j.halvesKey(pages), func(w io.Writer) error {
		_, err := io.WriteString(w, "halves")
		return err
	})
	if err != nil {
		j.cacheFailed(ctx, err)
	}
}

// remember stores a chunk's answer, also when the document has ended meanwhile. It reports whether
// the answer is in the cache.
func (j *job) remember(ctx context.Context, key Key, c *chunk) bool {
	if !j.caches() {
		j.unkept.Store(true)
		return false
	}
	ctx = context.WithoutCancel(ctx)
	err := j.client.cache.Put(ctx, key, func(w io.Writer) error {
		_, err := io.Copy(w, c.answer.store.Open())
		return err
	})
	if err != nil {
		j.unkept.Store(true)
		j.cacheFailed(ctx, err)
	}
	return err == nil
}

// cacheFailed says once that the cache does not work. A miss is no failure.
func (j *job) cacheFailed(ctx context.Context, err error) {
	if errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return
	}
	j.client.cacheOnce.Do(func() {
		j.client.logger.WarnContext(ctx, "the cache does not work, going on without it", "error", text.Printable(err.Error()))
		j.event(ctx, Event{Kind: CacheFailed, Err: err})
	})
}
