package local

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// elementID is the API's id: the first 32 hex digits of the SHA-256 of file name, text, page number
// and position among the elements of the same page. What is missing counts as Python's None.
func elementID(filename, text string, page, position int) string {
	if filename == "" {
		filename = "None"
	}
	number := "None"
	if page != 0 {
		number = strconv.Itoa(page)
	}
	sum := sha256.Sum256([]byte(filename + text + number + strconv.Itoa(position)))
	return hex.EncodeToString(sum[:])[:32]
}

// randomUUID is a version 4 UUID.
func randomUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
