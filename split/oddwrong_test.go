package split_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrongToday are the files that are not treated right yet.
var wrongToday = []struct{ fault, files string }{
	{"what is named as a page and is none is taken from the pages that need it", `
		kid-annotation kid-catalog kid-content kid-font kid-image kid-resources`},
	{"damaged, and said to need a password", `
		aesv2-attachments-only aesv2-eof-gone aesv2-startxref-off aesv2-tail-cut aesv3-eof-gone aesv3-startxref-off aesv3-tail-cut
		aesv3-r5-eof-gone aesv3-r5-startxref-off aesv3-r5-tail-cut rc4-128-eof-gone rc4-128-startxref-off rc4-128-tail-cut
		rc4-named-eof-gone rc4-named-startxref-off rc4-named-tail-cut
		encryption-dictionary-empty encryption-dictionary-gone encryption-unknown`},
	{"cut into chunks of ciphertext, or of noise", `
		aesv2-linearized-tail-cut aesv2-streams-plain
		aesv2-trailer-cut aesv2-trailer-gone aesv3-trailer-cut aesv3-trailer-gone aesv3-r5-trailer-cut aesv3-r5-trailer-gone
		rc4-128-trailer-cut rc4-128-trailer-gone rc4-named-trailer-cut rc4-named-trailer-gone
		aesv2-eof-gone-plain aesv2-startxref-off-plain aesv2-tail-cut-plain aesv2-trailer-cut-plain aesv2-trailer-gone-plain
		aesv3-eof-gone-plain aesv3-startxref-off-plain aesv3-tail-cut-plain aesv3-trailer-cut-plain aesv3-trailer-gone-plain
		aesv3-r5-eof-gone-plain aesv3-r5-startxref-off-plain aesv3-r5-tail-cut-plain aesv3-r5-trailer-cut-plain
		aesv3-r5-trailer-gone-plain
		rc4-128-eof-gone-plain rc4-128-startxref-off-plain rc4-128-tail-cut-plain rc4-128-trailer-cut-plain rc4-128-trailer-gone-plain
		rc4-named-eof-gone-plain rc4-named-startxref-off-plain rc4-named-tail-cut-plain rc4-named-trailer-cut-plain
		rc4-named-trailer-gone-plain`},
	{"a page shows the content of another", "xref-one-off"},
}

func TestKnownFaultsAreOfFilesThatExist(t *testing.T) {
	var names []string
	for _, o := range odds() {
		names = append(names, o.name)
	}
	for _, wrong := range wrongToday {
		for file := range strings.FieldsSeq(wrong.files) {
			require.True(t, slices.Contains(names, file), file)
		}
	}
}
