package split

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

func TestParser(t *testing.T) {
	ref := types.IndirectRef{ObjectNumber: 12, GenerationNumber: 3}
	tests := []struct {
		text string
		want types.Object
	}{
		{"null", nil},
		{" true\n", types.Boolean(true)},
		{"12", types.Integer(12)},
		{"-12", types.Integer(-12)},
		{"-.5", types.Float(-0.5)},
		{"4.", types.Float(4)},
		{"12 3 R", ref},
		{"[1 2 3 12 3 R 4]", types.Array{types.Integer(1), types.Integer(2), types.Integer(3), ref, types.Integer(4)}},
		{"[1 2]", types.Array{types.Integer(1), types.Integer(2)}},
		{"<</A/B/C<</D(x)>>/E null>>", types.Dict{"A": types.Name("B"), "C": types.Dict{"D": types.StringLiteral("x")}}},
		{`(a(b)\)c)`, types.StringLiteral(`a(b)\)c`)},
		{"<0aFF>", types.HexLiteral("0aFF")},
		{"[]", types.Array{}},
		{"/A#20B", types.Name("A B")},
		{"/S#adx", types.Name("S\xadx")},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, ok := parseStrictly(tt.text, 10)
			require.True(t, ok)
			require.Equal(t, tt.want, got)
		})
	}
	for _, text := range []string{
		"", "nul", "nullx", "1 2", "1-2", "--1", "+1", "1e5", "/A#2", "/A#zz", "/A#00", "<0>", "<0 1>", "(a", "[1", "<</A", "<</A>>", "<</A 1/A 2>>",
		"<< 1 2 >>", "% comment\n1", "12 3 Rx", "1234567890123456", "trueR", ">>", "]", "<</ 1>>", strings.Repeat("[", 11) + strings.Repeat("]", 11),
	} {
		t.Run("not "+text, func(t *testing.T) {
			_, ok := parseStrictly(text, 10)
			require.False(t, ok)
		})
	}
}

// Every name that a chunk may have is read back as it was.
func TestParserReadsWhatIsWritten(t *testing.T) {
	for c := 1; c < 256; c++ {
		name := "S" + string([]byte{byte(c)}) + "x"
		got, ok := parseStrictly(string(appendName(nil, name)), 10)
		require.True(t, ok, "%q", name)
		require.Equal(t, types.Name(name), got)
	}
}

// What it reads at all, it reads as pdfcpu does.
func requireSameObject(t *testing.T, text string) {
	t.Helper()
	fast, ok := parseStrictly(text, 50)
	if !ok {
		return
	}
	rest := text
	slow, err := model.ParseObjectContext(context.Background(), &rest, 0, 50)
	require.NoError(t, err, text)
	v := newView(&table{places: newPlaces()}, nil)
	require.Equal(t, strings.ToUpper(shown(v, slow)), strings.ToUpper(shown(v, fast)), text)
}

func TestParserAgrees(t *testing.T) {
	strict, all := 0, 0
	for _, name := range smallCorpus(t) {
		d, err := openFile(t, name, Options{})
		if err != nil {
			continue
		}
		v := viewOf(d)
		for _, nr := range v.table.places.numbers() {
			at := v.table.places.get(nr)
			if at.kind != packed {
				continue
			}
			p, err := v.table.packs.get(v.table, v.src, int(at.where))
			if err != nil {
				continue
			}
			text := p.text(nr, int(at.index))
			all++
			if _, ok := parseStrictly(text, 50); ok {
				strict++
				requireSameObject(t, text)
			}
		}
		if t.Failed() {
			t.Fatal(filepath.Base(name))
		}
	}
	t.Logf("%d of %d objects are written by the book", strict, all)
}
