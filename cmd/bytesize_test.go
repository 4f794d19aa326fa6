package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]struct {
		bytes int64
		back  string
	}{
		"0":                   {0, "0"},
		"1000":                {1000, "1kB"},
		"1001":                {1001, "1001"},
		"12B":                 {12, "12"},
		"50MB":                {50_000_000, "50MB"},
		"50 mb":               {50_000_000, "50MB"},
		"1.5GiB":              {1_610_612_736, "1536MiB"},
		"1kib":                {1024, "1KiB"},
		"0.1kB":               {100, "100"},
		"1.3KiB":              {1331, "1331"},
		".5TB":                {500_000_000_000, "500GB"},
		"2TiB":                {2 << 40, "2TiB"},
		"9223372036854775807": {1<<63 - 1, "9223372036854775807"},
	} {
		var s byteSize
		require.NoError(t, s.Set(text), text)
		require.EqualValues(t, want.bytes, s, text)
		require.Equal(t, want.back, s.String(), text)
		var again byteSize
		require.NoError(t, again.Set(s.String()))
		require.Equal(t, s, again, "what is printed can be read")
	}
	for _, text := range []string{
		"", "MB", "B", "-1", "+1", "1e3", "1/2", "50M", "1.2.3", ".", "1,5MB", "ten", "0x10", "1_000", "9223372036854775808", "9999999999TiB",
		"1 000", "1GBB", "111111111111111111111111111111", "NaN", "Inf",
	} {
		s := byteSize(7)
		require.Error(t, s.Set(text), text)
		require.EqualValues(t, 7, s)
	}
}
