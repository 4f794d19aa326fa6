package split

import "slices"

// places is a cross-reference table: where each object lies. Numbers with a gap of millions between
// them cost no more than their neighbours do.
type places struct {
	blocks map[int]*block
	count  int
}

const blockSize = 256

type block [blockSize]place

// place says where an object lies.
type place struct {
	where int64  // an offset, or the number of an object stream
	index uint32 // the generation, or the index in the object stream
	kind  placeKind
}

type placeKind uint8

const (
	unknown placeKind = iota
	free
	direct // an object of its own, at an offset
	packed // in an object stream
)

// Above every number that is in use. Readers stop far below: Acrobat at 8,388,607.
const numberLimit = 1 << 28

func newPlaces() *places { return &places{blocks: map[int]*block{}} }

func (p *places) get(nr int) place {
	if b := p.blocks[nr/blockSize]; b != nil && nr >= 0 {
		return b[nr%blockSize]
	}
	return place{}
}

// set overwrites what the table says about an object.
func (p *places) set(nr int, at place) {
	if nr < 0 || nr >= numberLimit {
		return
	}
	b := p.blocks[nr/blockSize]
	if b == nil {
		b = &block{}
		p.blocks[nr/blockSize] = b
	}
	if b[nr%blockSize].kind == unknown {
		p.count++
	}
	b[nr%blockSize] = at
}

// add says where an object lies that the table does not know yet.
func (p *places) add(nr int, at place) {
	if p.get(nr).kind == unknown {
		p.set(nr, at)
	}
}

// numbers returns the numbers of all objects that are not free, in order.
func (p *places) numbers() []int {
	var all []int
	for _, i := range sortedKeys(p.blocks) {
		for j, at := range p.blocks[i] {
			if at.kind == direct || at.kind == packed {
				all = append(all, i*blockSize+j)
			}
		}
	}
	return all
}

// byOffset returns the numbers of the objects that lie at an offset of their own, in file order.
func (p *places) byOffset() []int {
	var all []int
	for i, b := range p.blocks {
		for j, at := range b {
			if at.kind == direct {
				all = append(all, i*blockSize+j)
			}
		}
	}
	slices.SortFunc(all, func(a, b int) int {
		if d := p.get(a).where - p.get(b).where; d != 0 {
			return int(max(-1, min(1, d)))
		}
		return a - b
	})
	return all
}
