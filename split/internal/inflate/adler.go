package inflate

import "encoding/binary"

// checksum returns the Adler-32 checksum of data (RFC 1950), eight bytes at a time: in half the time
// of hash/adler32.
func checksum(data []byte) uint32 {
	const modulus = 65521
	const most = 1 << 20 // bytes until the sums are reduced
	const bytes, lanes, first, second = 0x00ff00ff00ff00ff, 0x0001000100010001, 0x0008000600040002, 0x0007000500030001
	a, b := uint64(1), uint64(0)
	for len(data) > 0 {
		part := data[:min(len(data), most)]
		data = data[len(part):]
		for ; len(part) >= 8; part = part[8:] {
			word := binary.LittleEndian.Uint64(part)
			even, odd := word&bytes, word>>8&bytes
			b += 8*a + (even*first+odd*second)>>48 // the sum of the lanes, each times its weight
			a += (even + odd) * lanes >> 48
		}
		for _, c := range part {
			a += uint64(c)
			b += a
		}
		a, b = a%modulus, b%modulus
	}
	return uint32(b<<16 | a)
}
