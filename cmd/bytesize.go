package cmd

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// A byteSize is a flag's number of bytes, such as 50MB, 1.5GiB or 1000.
type byteSize int64

// byteUnits is the table of units, largest first.
var byteUnits = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40},
	{"TB", 1e12},
	{"GiB", 1 << 30},
	{"GB", 1e9},
	{"MiB", 1 << 20},
	{"MB", 1e6},
	{"KiB", 1 << 10},
	{"kB", 1e3},
	{"B", 1},
}

var errByteSize = errors.New("not a size such as 50MB, 1.5GiB or 1000 (bytes)")

// Set reads a number with or without a unit, in upper or lower case. Parts of a byte are dropped.
func (s *byteSize) Set(text string) error {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range byteUnits {
		if at := len(number) - len(u.name); at > 0 && strings.EqualFold(number[at:], u.name) {
			number, unit = strings.TrimSpace(number[:at]), u.bytes
			break
		}
	}
	if len(number) > 20 || strings.Trim(number, "0123456789.") != "" {
		return errByteSize
	}
	bytes, ok := new(big.Rat).SetString(number)
	if !ok {
		return errByteSize
	}
	bytes.Mul(bytes, new(big.Rat).SetInt64(unit))
	whole := new(big.Int).Quo(bytes.Num(), bytes.Denom())
	if !whole.IsInt64() {
		return errors.New("too large")
	}
	*s = byteSize(whole.Int64())
	return nil
}

// String is the size in the largest unit that it is a whole number of.
func (s *byteSize) String() string {
	if s == nil || *s == 0 {
		return "0"
	}
	for _, u := range byteUnits {
		if int64(*s)%u.bytes == 0 && u.bytes > 1 {
			return strconv.FormatInt(int64(*s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type is how the help text calls the value.
func (s *byteSize) Type() string { return "size" }
