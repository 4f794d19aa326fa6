package cache

import "context"

// Has reports whether [Dir.Get] would find the entry of a key, as far as its size and its first bytes tell: damage further in
// shows only when it is read. Nothing is changed by asking: no run begins, the entry is not taken as used, and a damaged one is
// neither removed nor told of. What is in the way of an answer is a no.
func (d *Dir) Has(ctx context.Context, key [32]byte) bool {
	if ctx.Err() != nil {
		return false
	}
	f, info, err := d.openEntry(entryName(key))
	if f != nil {
		defer f.Close()
	}
	if err != nil || info.Size() < emptyLen {
		return false
	}
	head := make([]byte, headLen)
	return readFull(f, head, 0) == nil && string(head) == format+version+string(key[:])
}
