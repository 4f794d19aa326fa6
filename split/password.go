package split

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/binary"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/unicode/norm"
)

// encryption is what an encryption dictionary says: the standard security handler of ISO 32000,
// revisions 2 to 6.
type encryption struct {
	revision     int
	keyLengths   []int // in bytes, the likely one first
	o, u, oe, ue []byte
	permissions  uint32
	id           []byte
	metadata     bool
}

// newCrypt returns what decrypts a document, nil where its pages are not encrypted. Only a password
// that was checked, and does not fit, is an [ErrEncrypted].
func newCrypt(d types.Dict, id []byte, password string) (*crypt, error) {
	if name, _ := d["Filter"].(types.Name); name != "Standard" {
		return nil, refuse(ErrDamaged, "the security handler %q of its encryption is not supported", string(name))
	}
	version, _ := whole(d["V"])
	c := &crypt{metadataEncrypted: d["EncryptMetadata"] != types.Boolean(false)}
	switch version {
	case 1, 2, 3:
		c.strings, c.streams = rc4V2, rc4V2
	case 4, 5:
		c.cryptFilters(d)
	default:
		return nil, refuse(ErrDamaged, "version %d of its encryption is not supported", version)
	}
	if c.strings == plain && c.streams == plain {
		return nil, nil // only attachments are encrypted
	}
	if c.strings == foreign || c.streams == foreign {
		return nil, refuse(ErrDamaged, "its encryption is not supported")
	}
	e, err := newEncryption(d, version, id, c)
	if err != nil {
		return nil, err
	}
	for _, p := range passwords(password) {
		if c.key = e.open(p); c.key != nil {
			return c, nil
		}
	}
	return nil, passwordError(password)
}

func passwordError(password string) error {
	if password == "" {
		return refuse(ErrEncrypted, "it needs a password")
	}
	return refuse(ErrEncrypted, "the password does not open it")
}

// passwords are the spellings to try: without one, and in the encodings that are in use.
func passwords(password string) [][]byte {
	all := [][]byte{nil}
	if password == "" {
		return all
	}
	all = append(all, []byte(password), norm.NFKC.Bytes([]byte(password)))
	var latin []byte
	for _, r := range password {
		if r > 0xff {
			return all
		}
		latin = append(latin, byte(r))
	}
	return append(all, latin)
}

func (c *crypt) cryptFilters(d types.Dict) {
	c.filters = map[string]method{"Identity": plain}
	filters, _ := d["CF"].(types.Dict)
	for name, o := range filters {
		filter, _ := o.(types.Dict)
		kind, _ := filter["CFM"].(types.Name)
		m, known := map[types.Name]method{"V2": rc4V2, "AESV2": aesV2, "AESV3": aesV3}[kind]
		if !known {
			m = foreign
		}
		c.filters[name] = m
	}
	byName := func(key string) method {
		name, named := d[key].(types.Name)
		if m, ok := c.filters[string(name)]; ok {
			return m
		}
		if !named {
			return plain
		}
		return foreign
	}
	c.strings, c.streams = byName("StrF"), byName("StmF")
}

func newEncryption(d types.Dict, version int, id []byte, c *crypt) (*encryption, error) {
	e := &encryption{id: id, metadata: c.metadataEncrypted}
	e.revision, _ = whole(d["R"])
	e.o, e.u, e.oe, e.ue = stringBytes(d["O"]), stringBytes(d["U"]), stringBytes(d["OE"]), stringBytes(d["UE"])
	digest := 32
	switch e.revision {
	case 2, 3, 4:
	case 5, 6:
		digest = 48
		if len(e.oe) < 32 || len(e.ue) < 32 {
			return nil, refuse(ErrDamaged, "its encryption dictionary is incomplete")
		}
		e.oe, e.ue = e.oe[:32], e.ue[:32]
	default:
		return nil, refuse(ErrDamaged, "revision %d of its encryption is not supported", e.revision)
	}
	if len(e.o) < digest || len(e.u) < digest || (version == 5) != (digest == 48) {
		return nil, refuse(ErrDamaged, "its encryption dictionary is incomplete")
	}
	e.o, e.u = e.o[:digest], e.u[:digest]
	switch p := d["P"].(type) {
	case types.Integer:
		e.permissions = uint32(p)
	case types.Float:
		e.permissions = uint32(int64(p))
	}
	e.keyLengths = keyLengths(d, version, e.revision, c)
	return e, nil
}

// keyLengths returns how long the document's key may be. Writers leave the length out, or give it
// in bytes; the check of the password shows which it is.
func keyLengths(d types.Dict, version, revision int, c *crypt) []int {
	if version == 1 || revision == 2 {
		return []int{5}
	}
	if c.streams == aesV2 || c.strings == aesV2 {
		return []int{16}
	}
	lengths := []int{5, 16}
	if version == 4 {
		lengths = []int{16, 5}
	}
	said, ok := whole(d["Length"])
	if said > 16 {
		said /= 8
	}
	if ok && said >= 5 && said <= 16 {
		lengths = append([]int{said}, lengths...)
	}
	return lengths
}

// open returns the document's key, nil where neither the user's nor the owner's password is pw.
func (e *encryption) open(pw []byte) []byte {
	if e.revision >= 5 {
		return e.open256(pw)
	}
	for _, length := range e.keyLengths {
		if key := e.userKey(pw, length); key != nil {
			return key
		}
		if key := e.userKey(e.userPassword(pw, length), length); key != nil {
			return key
		}
	}
	return nil
}

var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

func padded(pw []byte) []byte {
	return append(bytes.Clone(pw), padding...)[:32]
}

// userKey returns the key that the user's password makes, nil where /U says that it is another: the
// algorithms 2, 4 and 5.
func (e *encryption) userKey(pw []byte, length int) []byte {
	h := md5.New()
	h.Write(padded(pw))
	h.Write(e.o)
	h.Write(binary.LittleEndian.AppendUint32(nil, e.permissions))
	h.Write(e.id)
	if e.revision == 4 && !e.metadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if e.revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			key = sum[:]
		}
	}
	key = key[:length]
	want := bytes.Clone(padding)
	rounds := 1
	if e.revision >= 3 {
		sum := md5.Sum(append(bytes.Clone(padding), e.id...))
		want, rounds = sum[:], 20
	}
	for i := range rounds {
		xorRC4(want, key, byte(i))
	}
	if subtle.ConstantTimeCompare(want, e.u[:len(want)]) != 1 {
		return nil
	}
	return key
}

// userPassword returns the user's password that /O has for the owner's: algorithm 7.
func (e *encryption) userPassword(owner []byte, length int) []byte {
	sum := md5.Sum(padded(owner))
	key := sum[:]
	rounds := 1
	if e.revision >= 3 {
		for range 50 {
			sum = md5.Sum(key)
			key = sum[:]
		}
		rounds = 20
	}
	pw := bytes.Clone(e.o)
	for i := rounds - 1; i >= 0; i-- {
		xorRC4(pw, key[:length], byte(i))
	}
	return pw
}

func xorRC4(data, key []byte, with byte) {
	k := bytes.Clone(key)
	for i := range k {
		k[i] ^= with
	}
	if c, err := rc4.NewCipher(k); err == nil { // it fails for an empty key alone
		c.XORKeyStream(data, data)
	}
}

// open256 is algorithm 2.A: the digests are followed by eight bytes to check, and eight to make the
// key.
func (e *encryption) open256(pw []byte) []byte {
	pw = pw[:min(len(pw), 127)]
	key := func(digest, more, sealed []byte) []byte {
		if subtle.ConstantTimeCompare(e.hash(pw, digest[32:40], more), digest[:32]) != 1 {
			return nil
		}
		block, err := aes.NewCipher(e.hash(pw, digest[40:48], more))
		if err != nil {
			return nil
		}
		opened := make([]byte, len(sealed))
		cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(opened, sealed)
		return opened
	}
	if k := key(e.u, nil, e.ue); k != nil {
		return k
	}
	return key(e.o, e.u, e.oe)
}

// hash is algorithm 2.B; of revision 5 it is its first step.
func (e *encryption) hash(pw, salt, more []byte) []byte {
	first := sha256.Sum256(bytes.Join([][]byte{pw, salt, more}, nil))
	k := first[:]
	if e.revision == 5 {
		return k
	}
	last := byte(0)
	for round := 0; round < 64 || int(last) > round-32; round++ {
		text := bytes.Repeat(bytes.Join([][]byte{pw, k, more}, nil), 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(text, text)
		sum := 0
		for _, b := range text[:16] {
			sum += int(b) // 256 leaves 1 by 3, so that the digits' sum does for the number
		}
		switch sum % 3 {
		case 0:
			s := sha256.Sum256(text)
			k = s[:]
		case 1:
			s := sha512.Sum384(text)
			k = s[:]
		default:
			s := sha512.Sum512(text)
			k = s[:]
		}
		last = text[len(text)-1]
	}
	return k[:32]
}

// whole returns a number as one, and whether it is one.
func whole(o types.Object) (int, bool) {
	n, ok := o.(types.Integer)
	return int(n), ok
}

// stringBytes returns what a string says, nil for anything else.
func stringBytes(o types.Object) []byte {
	switch o := o.(type) {
	case types.StringLiteral:
		return unescapeString(string(o))
	case types.HexLiteral:
		text, err := o.Bytes()
		if err != nil {
			return nil
		}
		return text
	}
	return nil
}

// unescapeString returns the bytes that a string between brackets stands for.
func unescapeString(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\r': // a line end of any kind is a line feed
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			out = append(out, '\n')
			continue
		case c != '\\' || i+1 == len(s):
			out = append(out, c)
			continue
		}
		i++
		switch c = s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case '\n': // the line goes on
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			value := int(c - '0')
			for n := 1; n < 3 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '7'; n++ {
				i++
				value = 8*value + int(s[i]-'0')
			}
			out = append(out, byte(value))
		default:
			out = append(out, c)
		}
	}
	return out
}
