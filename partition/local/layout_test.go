package local

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

// at is a word of 10 points' height whose letters are 5 wide.
func at(left, top float64, text string) word {
	return word{text: text, chars: len(text), box: box{left, top, left + 5*float64(len(text)), top + 10}}
}

func TestLines(t *testing.T) {
	tests := []struct {
		name  string
		words []word
		want  []string
	}{
		{"a space between words", []word{at(0, 0, "two"), at(18, 0, "words")}, []string{"two words"}},
		{"13 points are the widest gap", []word{at(0, 0, "two"), at(27.9, 0, "words")}, []string{"two words"}},
		{"a wider one parts", []word{at(0, 0, "two"), at(28, 0, "words")}, []string{"two", "words"}},
		{"half the height is on the line", []word{at(0, 0, "a"), at(6, 5, "b")}, []string{"a b"}},
		{"less is not", []word{at(0, 0, "a"), at(6, 5.1, "b")}, []string{"a", "b"}},
		{
			"pieces of a word",
			[]word{at(0, 0, "pie"), {text: "ce", chars: 2, box: box{16, 0, 26, 10}, glued: true}},
			[]string{"piece"},
		},
		{
			"pieces too far apart",
			[]word{at(0, 0, "pie"), {text: "ce", chars: 2, box: box{17, 0, 27, 10}, glued: true}},
			[]string{"pie ce"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, l := range lines(test.words) {
				got = append(got, l.text.String())
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestParagraphs(t *testing.T) {
	tests := []struct {
		name  string
		words []word
		want  []string
	}{
		{"5 points below", []word{at(0, 0, "upper"), at(0, 15, "lower")}, []string{"upper lower"}},
		{"farther below", []word{at(0, 0, "upper"), at(0, 15.1, "lower")}, []string{"upper", "lower"}},
		{"common right edge", []word{at(0, 0, "abcdefgh"), at(20, 12, "efgh")}, []string{"abcdefgh efgh"}},
		{"common middle", []word{at(0, 0, "abcdefgh"), at(10, 12, "cdef")}, []string{"abcdefgh cdef"}},
		{"no common edge", []word{at(0, 0, "abcdefgh"), at(7, 12, "b")}, []string{"abcdefgh", "b"}},
		{"item of a list", []word{at(0, 0, "•"), at(8, 0, "one"), at(0, 12, "•"), at(8, 12, "two")}, []string{"• one", "• two"}},
		{"item with a number", []word{at(0, 0, "1."), at(13, 0, "one"), at(0, 12, "2."), at(13, 12, "two")}, []string{"1. one", "2. two"}},
		{"other height", []word{at(0, 0, "upper"), {text: "lower", chars: 5, box: box{0, 12, 50, 33}}}, []string{"upper", "lower"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := blocks(t.Context(), test.words)
			require.NoError(t, err)
			var got []string
			for _, b := range found {
				got = append(got, b.text)
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestReadingOrder(t *testing.T) {
	two := []block{ // a title over two columns whose paragraphs do not align, and a line below
		{"title", box{50, 50, 550, 70}},
		{"left 1", box{50, 100, 290, 200}},
		{"left 2", box{50, 230, 290, 300}},
		{"right 1", box{310, 100, 550, 260}},
		{"right 2", box{310, 270, 550, 300}},
		{"below", box{50, 400, 550, 420}},
	}
	want := []string{"title", "left 1", "left 2", "right 1", "right 2", "below"}
	for range 20 {
		rand.Shuffle(len(two), func(i, j int) { two[i], two[j] = two[j], two[i] })
		var got []string
		for _, b := range ordered(t, append([]block(nil), two...)) {
			got = append(got, b.text)
		}
		require.Equal(t, want, got)
	}
}

func TestHeaderAndFooter(t *testing.T) {
	p := &page{width: 600, height: 1000}
	for top, want := range map[float64]element.ElementType{
		64: element.TypeHeader, 65.1: element.TypeTitle, 924.9: element.TypeTitle, 926: element.TypeFooter,
	} {
		kind, _ := p.classify(block{"Some Words", box{0, top, 100, top + 10}})
		require.Equal(t, want, kind, "%v", top)
	}
}

// A text that starts inside the box of a list item, or nearly, belongs to the item.
func TestListItemTakesWhatFollowsInItsBox(t *testing.T) {
	item := box{100, 100, 200, 120}
	for name, test := range map[string]struct {
		b    box
		want bool
	}{
		"hanging below":  {box{110, 125, 200, 135}, true},
		"too far below":  {box{110, 127, 200, 135}, false},
		"left of it":     {box{99, 110, 150, 120}, false},
		"a little wider": {box{100, 110, 219, 120}, true},
		"much wider":     {box{100, 110, 220, 120}, false},
		"above":          {box{100, 93, 200, 99}, false},
	} {
		require.Equal(t, test.want, withinItem(item, test.b), name)
	}
	p := &page{width: 600, height: 1000, words: []word{
		at(100, 500, "1."), at(113, 500, "first"), at(140, 500, "words"), at(117, 517, "more"),
	}}
	e, err := p.elements(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []string{"ListItem: 1. first words"}, typesAndTexts(e[:1]))
}

func TestLayoutStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := blocks(ctx, []word{at(0, 0, "x")})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzLayout(f *testing.F) {
	f.Add(uint64(1), 10)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		random := rand.New(rand.NewPCG(seed, 0))
		var words []word
		for range min(max(n, 0), 300) {
			words = append(words, at(random.Float64()*600, random.Float64()*800, "word"))
		}
		found, err := blocks(t.Context(), words)
		require.NoError(t, err)
		require.Len(t, ordered(t, found), len(found), "nothing is lost")
	})
}

func ordered(t testing.TB, blocks []block) []block {
	t.Helper()
	blocks, err := readingOrder(t.Context(), blocks)
	require.NoError(t, err)
	return blocks
}
