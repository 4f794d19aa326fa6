package split_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A crypt is the standard security handler of ISO 32000-2, 7.6: what encrypts a file. It is written
// here for a second time so that the reader is not tested against itself, and without chance so
// that files stay the same.
type crypt struct {
	revision     int
	aes          bool // not RC4
	number       int  // of the encryption dictionary
	key          []byte
	id           string
	plainStreams bool // the streams are not encrypted
	plainStrings bool
}

const (
	permissions = uint32(0xfffffffc) // everything
	userWord    = "reader"
	ownerWord   = "keeper"
)

// The kinds of encryption.
var (
	rc4Short = cryptKind{revision: 2, version: 1, length: 5}
	rc4Long  = cryptKind{revision: 3, version: 2, length: 16}
	aesShort = cryptKind{revision: 4, version: 4, length: 16, method: "AESV2"}
	aesFirst = cryptKind{revision: 5, version: 5, length: 32, method: "AESV3"} // Adobe's own, soon given up
	aesLong  = cryptKind{revision: 6, version: 5, length: 32, method: "AESV3"}
	rc4Named = cryptKind{revision: 4, version: 4, length: 16, method: "V2"}
)

type cryptKind struct {
	revision, version, length int
	method                    string // of the crypt filter
}

// lock encrypts a file with a user password, which may be empty.
func (p *pdf) lock(k cryptKind, user string) *pdf {
	return p.lockWith(k, user, "/StmF/StdCF/StrF/StdCF")
}

// lockWith says which crypt filters streams and strings have.
func (p *pdf) lockWith(k cryptKind, user, filters string) *pdf {
	c := &crypt{id: p.id, revision: k.revision, aes: strings.HasPrefix(k.method, "AES"), number: p.next}
	dict := fmt.Sprintf("/Filter/Standard/V %d/R %d/Length %d/P -4", k.version, k.revision, 8*k.length)
	if k.method != "" {
		dict += fmt.Sprintf("/CF<</StdCF<</CFM/%s/AuthEvent/DocOpen/Length %d>>>>%s", k.method, k.length, filters)
	}
	if k.revision >= 5 {
		dict += c.newKeys(user)
	} else {
		dict += c.oldKeys(k.length, user)
	}
	p.add("<<%s>>", dict)
	p.trailer += fmt.Sprintf("/Encrypt %d 0 R/ID[<%x><%x>]", c.number, p.id, p.id)
	p.crypt = c
	return p
}

const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

func padded(password string) []byte { return []byte((password + padding)[:len(padding)]) }

// oldKeys are the entries O and U up to revision 4: algorithms 2 to 5.
func (c *crypt) oldKeys(length int, user string) string {
	rounds, again := 0, 0
	if c.revision >= 3 {
		rounds, again = 19, 50
	}
	owner := md5.Sum(padded(ownerWord))
	for range again {
		owner = md5.Sum(owner[:length])
	}
	o := padded(user)
	for i := range rounds + 1 {
		o = rc4Of(xored(owner[:length], i), o)
	}
	sum := md5.Sum(slices.Concat(padded(user), o, binary.LittleEndian.AppendUint32(nil, permissions), []byte(c.id)))
	for range again {
		sum = md5.Sum(sum[:length])
	}
	c.key = sum[:length]
	u := []byte(padding)
	if c.revision >= 3 {
		sum := md5.Sum([]byte(padding + c.id))
		u = sum[:]
	}
	for i := range rounds + 1 {
		u = rc4Of(xored(c.key, i), u)
	}
	return fmt.Sprintf("/O<%x>/U<%x>", o, append(u, make([]byte, 32-len(u))...))
}

func xored(key []byte, i int) []byte {
	key = bytes.Clone(key)
	for j := range key {
		key[j] ^= byte(i)
	}
	return key
}

func rc4Of(key, data []byte) []byte {
	c, _ := rc4.NewCipher(key) // of 5 to 16 bytes
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// newKeys are the entries of revisions 5 and 6: algorithms 8 to 10.
func (c *crypt) newKeys(user string) string {
	sum := sha256.Sum256([]byte("the file's own key"))
	c.key = sum[:]
	entry := func(password, validation, key string, u []byte) (check, wrapped []byte) {
		check = append(c.hash(password, validation, u), validation+key...)
		return check, cbc(c.hash(password, key, u), make([]byte, aes.BlockSize), c.key)
	}
	u, ue := entry(user, "usersalt", "userkey.", nil)
	o, oe := entry(ownerWord, "ownrsalt", "ownrkey.", u)
	perms := binary.LittleEndian.AppendUint32(nil, permissions)
	perms = append(perms, "\xff\xff\xff\xffTadbsalt"...)
	block, _ := aes.NewCipher(c.key) // of 32 bytes
	block.Encrypt(perms, perms)
	return fmt.Sprintf("/O<%x>/U<%x>/OE<%x>/UE<%x>/Perms<%x>", o, u, oe, ue, perms)
}

// hash is algorithm 2.B, or what revision 5 had in its place.
func (c *crypt) hash(password, salt string, u []byte) []byte {
	sum := sha256.Sum256(slices.Concat([]byte(password+salt), u))
	k := sum[:]
	if c.revision == 5 {
		return k
	}
	for round := 1; ; round++ {
		e := cbc(k[:16], k[16:32], bytes.Repeat(slices.Concat([]byte(password), k, u), 64))
		mod := 0
		for _, b := range e[:16] {
			mod += int(b)
		}
		switch mod % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		case 2:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if round >= 64 && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}

// cbc encrypts whole blocks.
func cbc(key, iv, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, data)
	return out
}

// encrypt encrypts a string or a stream: algorithm 1 or 1.A.
func (c *crypt) encrypt(nr, gen int, data string) string {
	key := c.key
	if c.revision < 5 {
		salted := slices.Concat(key, binary.LittleEndian.AppendUint32(nil, uint32(nr))[:3], binary.LittleEndian.AppendUint16(nil, uint16(gen)))
		if c.aes {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(len(c.key)+5, 16)]
	}
	if !c.aes {
		return string(rc4Of(key, []byte(data)))
	}
	n := aes.BlockSize - len(data)%aes.BlockSize
	iv := sha256.Sum256(fmt.Append(nil, nr, data))
	return string(iv[:aes.BlockSize]) + string(cbc(key, iv[:aes.BlockSize], append([]byte(data), bytes.Repeat([]byte{byte(n)}, n)...)))
}
