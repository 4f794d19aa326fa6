package split

import (
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

func TestParseLeniently(t *testing.T) {
	for text, want := range map[string]types.Object{
		"":                               nil,
		" \n":                            nil,
		"% a comment\n[1 2]":             types.Array{types.Integer(1), types.Integer(2)},
		"<</A#20B 1/C[true(x\\))<0f>]>>": types.Dict{"A B": types.Integer(1), "C": types.Array{types.Boolean(true), types.StringLiteral("x\\)"), types.HexLiteral("0F")}},
		"<</A null/B +1>>":               types.Dict{"B": types.Integer(1)},
		"[/A 1 0 R %]\n]":                types.Array{types.Name("A"), types.IndirectRef{ObjectNumber: 1}},
	} {
		o, err := parseLeniently(text, 10)
		require.NoError(t, err, text)
		if d, ok := o.(types.Dict); ok {
			for key, value := range d {
				if value == nil {
					delete(d, key)
				}
			}
		}
		require.Equal(t, want, o, text)
	}
	for _, text := range []string{
		"<</A 1/B 2>\x01>/C 3>>", "<</A 1/A 2>>", "[1 \xeb2 3]", "<</A(no end>>", "<</A<0f>>", "<</A 1 /B", "<</A 1>>\nstream\n",
		"[/A#20b 99999999999999999999]",
	} {
		_, err := parseLeniently(text, 10)
		require.Error(t, err, "%q", text)
	}
}
