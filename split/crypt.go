package split

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// crypt decrypts the strings and streams of a document.
type crypt struct {
	key               []byte
	strings, streams  method
	metadataEncrypted bool
	filters           map[string]method // by name, for streams that name theirs
}

// method is how strings or streams are encrypted.
type method uint8

const (
	plain   method = iota
	rc4V2          // RC4 with a key for each object
	aesV2          // AES in CBC mode with a key for each object
	aesV3          // AES in CBC mode with the document's key
	foreign        // of another security handler
)

// objectKey returns the key for an object, as algorithm 1 of ISO 32000 makes it.
func (c *crypt) objectKey(m method, nr, generation int) []byte {
	if m == aesV3 {
		return c.key
	}
	h := md5.New()
	h.Write(c.key)
	var id [8]byte
	binary.LittleEndian.PutUint32(id[:], uint32(nr))
	binary.LittleEndian.PutUint32(id[3:], uint32(generation))
	h.Write(id[:5])
	if m == aesV2 {
		h.Write([]byte("sAlT"))
	}
	return h.Sum(nil)[:min(len(c.key)+5, 16)]
}

// object decrypts the strings of an object in place, and returns it. It reports whether all could
// be decrypted.
func (c *crypt) object(o types.Object, nr, generation int) (types.Object, bool) {
	if c.strings == plain {
		return o, true
	}
	d := stringDecrypter{c.strings, c.objectKey(c.strings, nr, generation)}
	return d.object(o)
}

type stringDecrypter struct {
	method method
	key    []byte
}

func (d stringDecrypter) object(o types.Object) (types.Object, bool) {
	all := true
	switch o := o.(type) {
	case types.Dict:
		kind, _ := o["FT"].(types.Name)
		if o["FT"] == nil {
			kind, _ = o["Type"].(types.Name)
		}
		signature := kind == "Sig" || kind == "DocTimeStamp"
		for key, value := range o {
			if signature && key == "Contents" {
				continue // it is never encrypted
			}
			value, ok := d.object(value)
			o[key], all = value, all && ok
		}
	case types.Array:
		for i, value := range o {
			value, ok := d.object(value)
			o[i], all = value, all && ok
		}
	case types.StringLiteral:
		text, ok := d.bytes(unescapeString(string(o)))
		if !ok {
			return o, false
		}
		escaped, err := types.Escape(string(text))
		if err != nil {
			return o, false
		}
		return types.StringLiteral(*escaped), true
	case types.HexLiteral:
		raw, err := o.Bytes()
		text, ok := d.bytes(raw)
		if err != nil || !ok {
			return o, false
		}
		return types.NewHexLiteral(text), true
	}
	return o, all
}

func (d stringDecrypter) bytes(raw []byte) ([]byte, bool) {
	if len(raw) == 0 {
		return raw, true
	}
	if d.method == rc4V2 {
		c, err := rc4.NewCipher(d.key)
		if err != nil {
			return nil, false
		}
		text := make([]byte, len(raw))
		c.XORKeyStream(text, raw)
		return text, true
	}
	if len(raw)%aes.BlockSize != 0 {
		return nil, false // readers do not agree on what it says
	}
	block, err := aes.NewCipher(d.key)
	if err != nil {
		return nil, false
	}
	text := bytes.Clone(raw[aes.BlockSize:])
	if len(text) == 0 {
		return text, true // some writers give an empty string no padding
	}
	cipher.NewCBCDecrypter(block, raw[:aes.BlockSize]).CryptBlocks(text, text)
	return unpadded(text), true
}

// unpadded takes off the padding of the last block. Not all writers pad.
func unpadded(text []byte) []byte {
	if n := int(text[len(text)-1]); n <= aes.BlockSize {
		return text[:len(text)-n]
	}
	return text
}

// method returns how a stream is encrypted: by the filter that it names, or as all are.
func (c *crypt) method(d types.Dict) method {
	if name, _ := d["Type"].(types.Name); name == "XRef" || name == "Metadata" && !c.metadataEncrypted {
		return plain
	}
	filters, _ := d["Filter"].(types.Array)
	parms, _ := d["DecodeParms"].(types.Array)
	if filters == nil {
		filters, parms = types.Array{d["Filter"]}, types.Array{d["DecodeParms"]}
	}
	for i, name := range filters {
		if name != types.Name("Crypt") {
			continue
		}
		name := types.Name("Identity")
		if i < len(parms) {
			if p, ok := parms[i].(types.Dict); ok && p["Name"] != nil {
				name, _ = p["Name"].(types.Name)
			}
		}
		if m, ok := c.filters[string(name)]; ok {
			return m
		}
		return foreign
	}
	return c.streams
}
