package split

import (
	"encoding/binary"
	"hash/adler32"
	"math/bits"
	"slices"
)

// unzlib reads a sound zlib stream (RFC 1950, RFC 1951) that is in memory as a whole: this takes a
// third of the time of a decompressor that reads from anywhere. It appends to out, and returns
// false for a stream that is not sound, or grows beyond limit bytes.
func unzlib(out, data []byte, limit int) ([]byte, bool) {
	const deflate, preset = 8, 1 << 5
	if len(data) < 2 || data[0]&15 != deflate || data[0]>>4 > 7 || data[1]&preset != 0 ||
		binary.BigEndian.Uint16(data)%31 != 0 {
		return out, false
	}
	d := inflating{in: data[2:], out: out, limit: len(out) + limit}
	if !d.blocks() {
		return d.out, false
	}
	rest := d.rest()
	return d.out, len(rest) >= adler32.Size && binary.BigEndian.Uint32(rest) == adler32.Checksum(d.out[len(out):])
}

// inflating is a deflate stream on its way. Bits that are beyond its end are read as 0: ended tells.
type inflating struct {
	in, out  []byte
	pos      int    // of the next byte of in
	bits     uint64 // those before it that are not used yet, the next one lowest
	count    uint   // of bits, at least
	beyond   uint   // bits that were read after the end
	limit    int    // of out
	literals prefixCode
	offsets  prefixCode
}

// fill makes sure of 56 bits.
func (d *inflating) fill() {
	if d.pos+8 <= len(d.in) {
		d.bits |= binary.LittleEndian.Uint64(d.in[d.pos:]) << d.count
		d.pos += int(63-d.count) >> 3
		d.count |= 56
		return
	}
	for ; d.count < 56; d.count += 8 {
		if d.pos == len(d.in) {
			d.beyond += 8
			continue
		}
		d.bits |= uint64(d.in[d.pos]) << d.count
		d.pos++
	}
}

func (d *inflating) take(n uint) int {
	v := int(d.bits & (1<<n - 1))
	d.bits >>= n
	d.count -= n
	return v
}

// ended reports whether more was read than there is.
func (d *inflating) ended() bool { return d.beyond > d.count }

// rest returns what is left of the input from the next whole byte on.
func (d *inflating) rest() []byte {
	if d.ended() {
		return nil
	}
	return d.in[d.pos-int((d.count-d.beyond)/8):]
}

func (d *inflating) blocks() bool {
	for {
		d.fill()
		last, kind := d.take(1), d.take(2)
		ok := false
		switch kind {
		case 0:
			ok = d.stored()
		case 1:
			ok = d.fixed() && d.block()
		case 2:
			ok = d.dynamic() && d.block()
		}
		if !ok || d.ended() {
			return false
		}
		if last == 1 {
			return true
		}
	}
}

func (d *inflating) stored() bool {
	rest := d.rest()
	if len(rest) < 4 {
		return false
	}
	n := int(binary.LittleEndian.Uint16(rest))
	if n^int(binary.LittleEndian.Uint16(rest[2:])) != 0xffff || len(rest) < 4+n || len(d.out)+n > d.limit {
		return false
	}
	d.out = append(d.out, rest[4:4+n]...)
	d.pos = len(d.in) - len(rest) + 4 + n
	d.bits, d.count, d.beyond = 0, 0, 0
	return true
}

func (d *inflating) fixed() bool {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	return d.literals.set(lengths[:], literalSymbols[:]) && d.offsets.set(slices.Repeat([]uint8{5}, 32), offsetSymbols[:])
}

// lengthOrder is the order of the lengths of the code that the lengths of the other codes are
// written in.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block.
func (d *inflating) dynamic() bool {
	literals, offsets, n := d.take(5)+257, d.take(5)+1, d.take(4)+4
	if literals > 286 || offsets > 30 {
		return false
	}
	var first [19]uint8
	for _, i := range lengthOrder[:n] {
		d.fill()
		first[i] = uint8(d.take(3))
	}
	if !d.literals.set(first[:], lengthSymbols[:]) {
		return false
	}
	var lengths [286 + 30]uint8
	for i := 0; i < literals+offsets; {
		d.fill()
		s := d.literals.next(d)
		if s == 0 || d.ended() {
			return false
		}
		length, again := uint8(s.base()), 1
		switch length {
		case 16:
			if i == 0 {
				return false
			}
			length, again = lengths[i-1], 3+d.take(2)
		case 17:
			length, again = 0, 3+d.take(3)
		case 18:
			length, again = 0, 11+d.take(7)
		}
		if i+again > literals+offsets {
			return false
		}
		for range again {
			lengths[i] = length
			i++
		}
	}
	return d.literals.set(lengths[:literals], literalSymbols[:]) &&
		d.offsets.set(lengths[literals:literals+offsets], offsetSymbols[:])
}

// block reads what comes after the codes. Most of the time goes by here: so what changes with every
// symbol is in variables of its own, and there is always room for the longest copy.
func (d *inflating) block() bool {
	const mask, literals, longest, wordSize = 1<<tableBits - 1, 4, 258, 8 // the last literal after a long code
	out, n := d.out[:cap(d.out)], len(d.out)
	for {
		if len(out)-n < literals+longest+wordSize {
			out = slices.Grow(out[:n], max(n, 4<<10))
			out = out[:cap(out)]
		}
		d.fill()
		bits, count := d.bits, d.count
		s := d.literals.table[bits&mask]
		for range literals - 1 { // of at most 30 bits
			if !s.literal() {
				break
			}
			out[n] = byte(s.base())
			n++
			bits, count = bits>>s.size(), count-s.size()
			s = d.literals.table[bits&mask]
		}
		d.bits, d.count = bits, count
		if s.literal() {
			if d.ended() || n > d.limit {
				return false
			}
			continue
		}
		d.fill()
		s = d.literals.next(d)
		switch {
		case s.literal():
			out[n] = byte(s.base())
			n++
			continue
		case s == 0, d.ended(), n > d.limit:
			return false
		case s.base() == 0:
			d.out = out[:n]
			return true
		}
		length := s.base() + d.take(s.extra())
		d.fill()
		o := d.offsets.next(d)
		offset := o.base() + d.take(o.extra())
		if o == 0 || offset > n || n+length > d.limit {
			return false
		}
		end := n + length
		if offset < wordSize {
			for ; n < end; n++ {
				out[n] = out[n-offset]
			}
			continue
		}
		for ; n < end; n += wordSize { // mostly once or twice; what is too much is written over
			binary.LittleEndian.PutUint64(out[n:], binary.LittleEndian.Uint64(out[n-offset:]))
		}
		n = end
	}
}

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
	base := 3
	all[256] = newSymbol(0, 0)
	for i := range 28 {
		extra := max(i/4-1, 0)
		all[257+i] = newSymbol(base, extra)
		base += 1 << extra
	}
	all[285] = newSymbol(258, 0)
	return all
}

func makeOffsetSymbols() (all [32]symbol) {
	base := 1
	for i := range 30 {
		extra := max(i/2-1, 0)
		all[i] = newSymbol(base, extra)
		base += 1 << extra
	}
	return all
}

// prefixCode is a Huffman code. The table has the codes of up to tableBits bits at all numbers that
// end with them; the longer ones are found a bit at a time.
type prefixCode struct {
	table   [1 << tableBits]symbol
	counts  [maxCodeBits + 1]int // of the codes of each length
	symbols [288]symbol          // in the order of their codes
}

const tableBits, maxCodeBits = 10, 15

// set makes a code from the lengths of the codes of symbols. It is false where they are no code.
func (c *prefixCode) set(lengths []uint8, symbols []symbol) bool {
	c.counts = [maxCodeBits + 1]int{}
	longest := 0
	for _, n := range lengths {
		c.counts[n]++
		longest = max(longest, int(n))
	}
	c.counts[0] = 0
	clear(c.table[:])
	var starts, codes [maxCodeBits + 2]int
	for n := 1; n <= maxCodeBits; n++ {
		starts[n+1] = starts[n] + c.counts[n]
		codes[n+1] = (codes[n] + c.counts[n]) << 1
	}
	full := 0
	for n := 1; n <= longest; n++ {
		full = full<<1 + c.counts[n]
	}
	if longest > 0 && full != 1<<longest && (full != 1 || longest != 1) {
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
		code := codes[n]
		codes[n]++
		if n > tableBits {
			continue
		}
		for at := int(bits.Reverse16(uint16(code)) >> (16 - n)); at < len(c.table); at += 1 << n {
			c.table[at] = s
		}
	}
	return true
}

// next takes a code, and returns its symbol, 0 for none.
func (c *prefixCode) next(d *inflating) symbol {
	s := c.table[d.bits&(1<<tableBits-1)]
	if s == 0 {
		s = c.long(d.bits)
	}
	d.bits >>= s.size()
	d.count -= s.size()
	return s
}

func (c *prefixCode) long(from uint64) symbol {
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
