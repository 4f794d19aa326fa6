package split

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePageRange(t *testing.T) {
	tests := []struct {
		text string
		want PageRange
		err  string
	}{
		{text: "3", want: PageRange{3, 3}},
		{text: "3-7", want: PageRange{3, 7}},
		{text: " 3 - 7 ", want: PageRange{3, 7}},
		{text: "1-1", want: PageRange{1, 1}},
		{text: "", err: `page range "": want a page, as "3", or first and last page, as "3-7"`},
		{text: "3-", err: `page range "3-": want a page, as "3", or first and last page, as "3-7"`},
		{text: "-3", err: `page range "-3": want a page, as "3", or first and last page, as "3-7"`},
		{text: "7-3", err: `page range "7-3": the first page is after the last`},
		{text: "0", err: `page range "0": pages are counted from 1`},
		{text: "1-2-3", err: `page range "1-2-3": "2-3" is not a page number`},
		{text: "+1", err: `page range "+1": "+1" is not a page number`},
		{text: "one", err: `page range "one": "one" is not a page number`},
		{text: "99999999999999999999", err: `page range "99999999999999999999": "99999999999999999999" is too large for a page number`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := ParsePageRange(tt.text)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			again, err := ParsePageRange(got.String())
			require.NoError(t, err)
			require.Equal(t, got, again)
		})
	}
}

func FuzzParsePageRange(f *testing.F) {
	for _, s := range []string{"3", "3-7", "3-", "-", " 1 - 2", "1-2-3", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParsePageRange(s)
		if err != nil {
			require.Zero(t, r)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.Positive(t, r.Len())
		again, err := ParsePageRange(r.String())
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}
