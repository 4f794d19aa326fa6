package inflate

import (
	"encoding/binary"
	"hash/adler32"
	"slices"
	"sync"
)

// Append decompresses the zlib stream at the start of data and appends the result to out. It is
// false for a stream that is not sound to its end, checksum included, or has more than limit bytes;
// the slice then has what was decompressed so far. Its memory is at most twice what it returns.
// Append never changes data, and is safe for concurrent use.
func Append(out, data []byte, limit int) ([]byte, bool) {
	data, ok := header(data)
	if !ok {
		return out, false
	}
	d := decoders.Get().(*decoder)
	defer d.putBack()
	d.in, d.out, d.start, d.limit = data, out, len(out), max(limit, 0)
	ok = d.blocks()
	rest := d.rest()
	return d.out, ok && len(rest) >= adler32.Size && binary.BigEndian.Uint32(rest) == checksum(d.out[d.start:])
}

// header skips the header of a stream. The only preset dictionary is one without a byte.
func header(data []byte) ([]byte, bool) {
	const deflate, largestWindow, preset, noBytes = 8, 7, 1 << 5, 1
	if len(data) < 2 || data[0]&15 != deflate || data[0]>>4 > largestWindow || binary.BigEndian.Uint16(data)%31 != 0 {
		return nil, false
	}
	if data[1]&preset == 0 {
		return data[2:], true
	}
	if len(data) < 6 || binary.BigEndian.Uint32(data[2:]) != noBytes {
		return nil, false
	}
	return data[6:], true
}

// decoder decompresses a deflate stream. It reads zeros after the end of the input: ended tells.
type decoder struct {
	in, out []byte
	pos     int    // of the next byte of in
	bits    uint64 // those before pos that are not used yet, the next one lowest
	count   uint   // of bits, at least
	beyond  uint   // how many of the bits that were read are after the end

	start int // of the stream's own bytes in out
	limit int // of their number

	lengths, literals, offsets code
}

var decoders = sync.Pool{New: func() any { return &decoder{} }}

func (d *decoder) putBack() {
	d.in, d.out = nil, nil
	d.pos, d.bits, d.count, d.beyond = 0, 0, 0, 0
	decoders.Put(d)
}

// fill makes sure of 56 bits.
func (d *decoder) fill() {
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

func (d *decoder) take(n uint) int {
	v := int(d.bits & (1<<n - 1))
	d.bits >>= n
	d.count -= n
	return v
}

// ended reports whether more was used than there is.
func (d *decoder) ended() bool { return d.beyond > d.count }

// rest returns what is left of the input from the next whole byte on.
func (d *decoder) rest() []byte {
	if d.ended() {
		return nil
	}
	return d.in[d.pos-int((d.count-d.beyond)/8):]
}

// left returns how many bytes the output may still grow by.
func (d *decoder) left() int { return d.limit - (len(d.out) - d.start) }

// blocks decompresses the stream. It is false where that is not sound, ended, or above its limit.
func (d *decoder) blocks() bool {
	const stored, fixed, dynamic = 0, 1, 2
	for {
		d.fill()
		last, kind := d.take(1), d.take(2)
		ok := false
		switch kind {
		case stored:
			ok = d.stored()
		case fixed:
			codes := fixedCodes()
			ok = d.block(&codes.literals, &codes.offsets)
		case dynamic:
			ok = d.codes() && d.block(&d.literals, &d.offsets)
		}
		if !ok || d.ended() {
			return false
		}
		if last == 1 {
			return true
		}
	}
}

// stored copies a block that is not compressed.
func (d *decoder) stored() bool {
	rest := d.rest()
	if len(rest) < 4 {
		return false
	}
	n := int(binary.LittleEndian.Uint16(rest))
	if n^int(binary.LittleEndian.Uint16(rest[2:])) != 0xffff || len(rest) < 4+n || n > d.left() {
		return false
	}
	d.out = append(d.out, rest[4:4+n]...)
	d.pos = len(d.in) - len(rest) + 4 + n
	d.bits, d.count, d.beyond = 0, 0, 0
	return true
}

// lengthOrder is the order of the lengths of the code that the lengths of the other codes are
// written in.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codes reads the codes that a dynamic block starts with.
func (d *decoder) codes() bool {
	literals, offsets, n := d.take(5)+257, d.take(5)+1, d.take(4)+4
	if literals > 286 || offsets > 30 {
		return false
	}
	var first [19]uint8
	for _, i := range lengthOrder[:n] {
		d.fill()
		first[i] = uint8(d.take(3))
	}
	if !d.lengths.set(first[:], lengthSymbols[:]) {
		return false
	}
	var lengths [286 + 30]uint8
	for i := 0; i < literals+offsets; {
		d.fill()
		s := d.next(&d.lengths)
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

// What a step of run may read and write.
const (
	wordSize     = 8
	longestRead  = 2 * wordSize
	longestCopy  = 258
	literalsRead = 3
	longestStep  = literalsRead + longestCopy + len(piece{})
)

// piece is what is copied at once.
type piece [16]byte

// block decompresses what comes after the codes: fast as long as nothing is near, neither the end
// of the input, nor that of the output's memory, nor the limit, and else a symbol at a time.
func (d *decoder) block(literals, offsets *code) bool {
	for {
		if cap(d.out)-len(d.out) < longestStep {
			d.out = slices.Grow(d.out, min(max(len(d.out)/2, 4<<10), d.left()+longestStep))
		}
		done, ok := d.run(literals, offsets)
		if ok && !done {
			done, ok = d.step(literals, offsets)
		}
		if done || !ok {
			return ok
		}
	}
}

// step decompresses one symbol.
func (d *decoder) step(literals, offsets *code) (done, ok bool) {
	d.fill()
	s := d.next(literals)
	switch {
	case s == 0, d.ended():
		return false, false
	case s.literal():
		if d.left() < 1 {
			return false, false
		}
		d.out = append(d.out, byte(s.base()))
		return false, true
	case s.base() == 0:
		return true, true
	}
	length := s.base() + d.take(s.extra())
	d.fill()
	o := d.next(offsets)
	offset := o.base() + d.take(o.extra())
	if o == 0 || offset > len(d.out)-d.start || length > d.left() {
		return false, false
	}
	for range length {
		d.out = append(d.out, d.out[len(d.out)-offset])
	}
	return false, true
}

// run decompresses symbols until the block is done, or something is near. Most of the time goes by
// here: so what changes with every symbol is in variables.
func (d *decoder) run(literals, offsets *code) (done, ok bool) {
	in, out := d.in, d.out[:cap(d.out)]
	pos, bits, count, n := d.pos, d.bits, d.count, len(d.out)
	lastIn, lastOut := len(in)-longestRead, len(d.out)+min(len(out)-len(d.out), d.left())-longestStep
	ok = true
	for pos <= lastIn && n <= lastOut {
		bits |= binary.LittleEndian.Uint64(in[pos:]) << (count & 63)
		pos += int(63-count) >> 3
		count |= 56
		s := literals.table[bits%tableSize]
		for range literalsRead { // of at most 30 bits
			if !s.literal() {
				break
			}
			out[n] = byte(s.base())
			n++
			bits, count = bits>>s.size(), count-s.size()
			s = literals.table[bits%tableSize]
		}
		if s.literal() {
			continue
		}
		bits |= binary.LittleEndian.Uint64(in[pos:]) << (count & 63)
		pos += int(63-count) >> 3
		count |= 56
		if s == 0 {
			s = literals.long(bits)
		}
		bits, count = bits>>s.size(), count-s.size()
		if s.literal() {
			out[n] = byte(s.base())
			n++
			continue
		}
		if s.base() == 0 {
			done, ok = s != 0, s != 0
			break
		}
		end := n + s.base() + int(bits&(1<<s.extra()-1))
		bits, count = bits>>s.extra(), count-s.extra()
		o := offsets.table[bits%tableSize]
		if o == 0 {
			o = offsets.long(bits)
		}
		bits, count = bits>>o.size(), count-o.size()
		offset := o.base() + int(bits&(1<<o.extra()-1))
		bits, count = bits>>o.extra(), count-o.extra()
		if o == 0 || offset > n-d.start {
			ok = false
			break
		}
		if offset < len(piece{}) {
			for ; n < end; n++ {
				out[n] = out[n-offset]
			}
			continue
		}
		for ; n < end; n += len(piece{}) { // mostly once; what is too much is written over
			*(*piece)(out[n:]) = *(*piece)(out[n-offset:])
		}
		n = end
	}
	d.pos, d.bits, d.count, d.out = pos, bits, count, out[:n]
	return done, ok
}
