package inflate

import (
	"math/bits"
	"slices"
	"sync"
)

// symbol is what a code stands for: 4 bits for the length of the code, 4 for how many bits follow, a
// bit for a literal, a bit for any symbol, and from there on the value. 0 is no symbol.
type symbol uint32

const literalBit, symbolBit, baseShift = 1 << 8, 1 << 9, 10

func newSymbol(base, extra int) symbol {
	return symbol(base)<<baseShift | symbolBit | symbol(extra)<<4
}

func (s symbol) size() uint    { return uint(s & 15) }
func (s symbol) extra() uint   { return uint(s >> 4 & 15) }
func (s symbol) literal() bool { return s&literalBit != 0 }
func (s symbol) base() int     { return int(s >> baseShift) }

var (
	lengthSymbols  = makeLengthSymbols()
	literalSymbols = makeLiteralSymbols()
	offsetSymbols  = makeOffsetSymbols()
)

func makeLengthSymbols() (all [19]symbol) {
	for i := range all {
		all[i] = newSymbol(i, 0)
	}
	return all
}

// The lengths of copies start with 3; 0 is the end of the block. The last two symbols are in no
// sound stream.
func makeLiteralSymbols() (all [288]symbol) {
	for i := range 256 {
		all[i] = newSymbol(i, 0) | literalBit
	}
	all[256] = newSymbol(0, 0)
	base := 3
	for i := range 28 {
		extra := max(i/4-1, 0)
		all[257+i] = newSymbol(base, extra)
		base += 1 << extra
	}
	all[285] = newSymbol(longestCopy, 0)
	return all
}

// The last two symbols are in no sound stream.
func makeOffsetSymbols() (all [32]symbol) {
	base := 1
	for i := range 30 {
		extra := max(i/2-1, 0)
		all[i] = newSymbol(base, extra)
		base += 1 << extra
	}
	return all
}

// code is a Huffman code. The table has a code of up to tableBits bits wherever a number ends with
// it; longer ones are found a bit at a time.
type code struct {
	table   [tableSize]symbol
	counts  [maxCodeBits + 1]int // of the codes of each length
	symbols [288]symbol          // in the order of their codes
}

const (
	tableBits   = 10
	tableSize   = 1 << tableBits
	maxCodeBits = 15
)

// set makes a code from the lengths of the codes of symbols, 0 for one that does not occur. It is
// false where they are no code. One without symbols is, and one with half a symbol, as other readers
// have it.
func (c *code) set(lengths []uint8, symbols []symbol) bool {
	c.counts = [maxCodeBits + 1]int{}
	for _, n := range lengths {
		c.counts[n]++
	}
	c.counts[0] = 0
	var starts [maxCodeBits + 2]int
	longest, used := 0, 0 // used counts codes of the longest kind
	for n := 1; n <= maxCodeBits; n++ {
		starts[n+1] = starts[n] + c.counts[n]
		used += c.counts[n] << (maxCodeBits - n)
		if c.counts[n] > 0 {
			longest = n
		}
	}
	complete := used == 1<<maxCodeBits
	if longest > 0 && !complete && (longest > 1 || c.counts[1] > 1) {
		return false
	}
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		s := symbols[i]
		if s != 0 {
			s |= symbol(n)
		}
		c.symbols[starts[n]] = s
		starts[n]++
	}
	c.tabulate()
	return true
}

// tabulate fills the table: for each length of codes it doubles what the shorter ones have filled.
func (c *code) tabulate() {
	c.table[0] = 0
	next, index := 0, 0
	for n := 1; n <= tableBits; n++ {
		half := 1 << (n - 1)
		copy(c.table[half:2*half], c.table[:half])
		next <<= 1
		for _, s := range c.symbols[index : index+c.counts[n]] {
			c.table[bits.Reverse16(uint16(next))>>(16-n)] = s
			next++
		}
		index += c.counts[n]
	}
}

// next takes a code, and returns its symbol, 0 for none. There must be maxCodeBits bits.
func (d *decoder) next(c *code) symbol {
	s := c.table[d.bits%tableSize]
	if s == 0 {
		s = c.long(d.bits)
	}
	d.bits >>= s.size()
	d.count -= s.size()
	return s
}

// long finds the code that the given bits start with, of any length.
func (c *code) long(from uint64) symbol {
	code, first, index := 0, 0, 0
	for n := 1; n <= maxCodeBits; n++ {
		code |= int(from & 1)
		from >>= 1
		if code-first < c.counts[n] {
			return c.symbols[index+code-first]
		}
		index += c.counts[n]
		first = (first + c.counts[n]) << 1
		code <<= 1
	}
	return 0
}

// fixedCodes returns the codes of the blocks that bring none.
var fixedCodes = sync.OnceValue(func() *struct{ literals, offsets code } {
	lengths := slices.Concat(
		slices.Repeat([]uint8{8}, 144), slices.Repeat([]uint8{9}, 112), slices.Repeat([]uint8{7}, 24), slices.Repeat([]uint8{8}, 8),
	)
	var codes struct{ literals, offsets code }
	codes.literals.set(lengths, literalSymbols[:])
	codes.offsets.set(slices.Repeat([]uint8{5}, 32), offsetSymbols[:])
	return &codes
})
