package split

import (
	"strings"
	"sync"
)

// packs holds the object streams of a document that were used last, inflated.
type packs struct {
	mu    sync.Mutex
	held  map[int]*pack // by the number of the stream
	size  int64         // of their texts in all
	clock int64
	known map[int]bool // streams that count to [Limits.DecodedBytes]
}

// mostPacked is what the texts of the held object streams may have in all. It is all that a manual
// of 1,300 pages has.
const mostPacked = 24 * mebi

// pack is an object stream. Objects are parsed from its text whenever they are needed: kept, they
// would take ten times the space.
type pack struct {
	once    sync.Once
	content string
	numbers []int32 // of the objects, in order
	offsets []int32 // of their texts in content
	err     error
	stopped bool // by the task that read it: another may have more luck

	used int64
}

func (ps *packs) get(t *table, src *source, nr int) (*pack, error) {
	for {
		p := ps.find(nr)
		p.once.Do(func() {
			p.err = p.decode(t, src, nr, ps.left(t, nr))
			p.stopped = src.err != nil
			ps.keep(t, nr, p)
		})
		switch {
		case src.err != nil:
			return nil, src.err
		case !p.stopped:
			return p, p.err
		}
	}
}

func (ps *packs) find(nr int) *pack {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.held == nil {
		ps.held, ps.known = map[int]*pack{}, map[int]bool{}
	}
	p := ps.held[nr]
	if p == nil {
		p = &pack{}
		ps.held[nr] = p
	}
	ps.clock++
	p.used = ps.clock
	return p
}

// left returns how many bytes an object stream may have, as far as others have left them.
func (ps *packs) left(t *table, nr int) int64 {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	left := t.limits.DecodedBytes
	if !ps.known[nr] {
		left -= t.decoded.Load()
	}
	return min(left, mostContent)
}

// keep holds a pack that was just decoded, and lets go of those that were not used for the longest
// time.
func (ps *packs) keep(t *table, nr int, p *pack) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p.stopped {
		delete(ps.held, nr)
		return
	}
	if !ps.known[nr] {
		ps.known[nr] = true
		if t.decoded.Add(int64(len(p.content))) > t.limits.DecodedBytes && p.err == nil {
			p.err, p.content = errInflates(), ""
		}
	}
	ps.size += int64(len(p.content))
	for ps.size > mostPacked {
		oldest := -1
		for other, q := range ps.held {
			if q != p && q.content != "" && (oldest < 0 || q.used < ps.held[oldest].used) {
				oldest = other
			}
		}
		if oldest < 0 {
			return
		}
		ps.size -= int64(len(ps.held[oldest].content))
		delete(ps.held, oldest)
	}
}

func (p *pack) decode(t *table, src *source, nr int, limit int64) error {
	src.unpacks = true
	defer func() { src.unpacks = false }()
	o, _, err := t.load(src, nr, 0)
	if err != nil {
		return err
	}
	s, ok := o.(*stream)
	if !ok {
		return refuse(ErrDamaged, "object %d is not the object stream that it should be", nr)
	}
	v := &view{table: t, src: src}
	first, ok := whole(v.follow(s.Dict["First"]))
	if !ok || first < 0 {
		return refuse(ErrDamaged, "object stream %d has no index", nr)
	}
	if v.grows(s, limit) { // found out without room for all of it
		return errInflates()
	}
	var text string
	err = v.inflate(s, limit, func(data []byte) { text = string(data) })
	if err != nil {
		return err
	}
	if !p.index(text, first) {
		return refuse(ErrDamaged, "object stream %d has a broken index", nr)
	}
	p.content = text
	return nil
}

// index reads the pairs of number and offset that a stream starts with.
func (p *pack) index(text string, first int) bool {
	prolog := text[:min(first, len(text))]
	if i := strings.IndexByte(prolog, '%'); i >= 0 {
		prolog = prolog[:i]
	}
	r := parser{text: prolog}
	for {
		r.blanks()
		nr, ok := r.digits()
		if !ok {
			return r.pos == len(prolog)
		}
		r.blanks()
		off, ok := r.digits()
		if !ok {
			return r.pos == len(prolog)
		}
		if nr < 0 || nr >= numberLimit || off < 0 || off > len(text)-first {
			return false
		}
		p.numbers = append(p.numbers, int32(nr))
		p.offsets = append(p.offsets, int32(first+off))
	}
}

// text returns an object's text, empty where the stream does not have it. The index is right in
// sound files; else the object's own number finds it.
func (p *pack) text(nr, index int) string {
	if index < 0 || index >= len(p.numbers) || int(p.numbers[index]) != nr {
		index = -1
		for i, n := range p.numbers {
			if int(n) == nr {
				index = i
			}
		}
		if index < 0 {
			return ""
		}
	}
	start, end := int(p.offsets[index]), len(p.content)
	if index+1 < len(p.offsets) && int(p.offsets[index+1]) >= start {
		end = int(p.offsets[index+1])
	}
	return p.content[start:end]
}
