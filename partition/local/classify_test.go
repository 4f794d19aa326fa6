package local

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

func TestClassify(t *testing.T) {
	tests := []struct {
		name, text string
		kind       element.ElementType
		rest       string // where it differs from text
	}{
		{"bullet", "• Hamburgers are delicious", element.TypeListItem, "Hamburgers are delicious"},
		{"hyphen as bullet", "- one", element.TypeListItem, "one"},
		{"dash as bullet without space", "–one", element.TypeListItem, "one"},
		{"private use bullet", "\uf0b7 one", element.TypeListItem, "one"},
		{"two bullets are none", "-- Chapter", element.TypeTitle, ""},
		{"email", "jane.doe+x@example.com", element.TypeEmailAddress, ""},
		{"email in a sentence", "write to jane@example.com", element.TypeNarrativeText, ""},
		{"address with abbreviation", "Doylestown, PA 18901", element.TypeAddress, ""},
		{"address with state and long code", "Salt Lake City, Utah 84101-1234", element.TypeAddress, ""},
		{"number with stop", "1. Programming", element.TypeListItem, ""},
		{"number with parenthesis", "12) Programming", element.TypeListItem, ""},
		{"number without space", "1.5 Litres", element.TypeTitle, ""},
		{"two sentences", "No dogs in here. Not even one cat.", element.TypeNarrativeText, ""},
		{"one sentence with a verb", "Attention is all you need.", element.TypeNarrativeText, ""},
		{"upper case is no narrative", "THE CREATURE FOUGHT HARDER", element.TypeTitle, ""},
		{"upper case with punctuation is no title", "THE CREATURE FOUGHT HARDER!", element.TypeUncategorizedText, ""},
		{"upper case in two sentences", "THE CREATURE FOUGHT. THE MAGE WAS DEAD.", element.TypeNarrativeText, ""},
		{"capitalised words are a title", "Understanding Deep Networks", element.TypeTitle, ""},
		{"half capitalised is not cap-heavy", "Lions eat raw Meat", element.TypeNarrativeText, ""},
		{"no verb", "Important points:", element.TypeTitle, ""},
		{"no verb and a comma", "important points,", element.TypeUncategorizedText, ""},
		{"number", "2021", element.TypeUncategorizedText, ""},
		{"few letters", "1,234 5,678 9,012 usd", element.TypeUncategorizedText, ""},
		{"twelve words", "a b c d e f g h i j k l", element.TypeTitle, ""},
		{"thirteen words", "a b c d e f g h i j k l m", element.TypeUncategorizedText, ""},
		{"empty", "", element.TypeUncategorizedText, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kind, rest := classify(test.text)
			if test.rest == "" {
				test.rest = test.text
			}
			require.Equal(t, test.kind, kind)
			require.Equal(t, test.rest, rest)
		})
	}
}

func TestLoneBulletHasNoText(t *testing.T) {
	kind, rest := classify("•")
	require.Equal(t, element.TypeListItem, kind)
	require.Empty(t, rest)
}

func TestSentences(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"One here. Two there! Three?", []string{"One here.", "Two there!", "Three?"}},
		{"Mr. Smith met Dr. No. They talked.", []string{"Mr. Smith met Dr. No.", "They talked."}},
		{"J. R. R. Tolkien wrote it. Yes.", []string{"J. R. R. Tolkien wrote it.", "Yes."}},
		{"the U.S. Senate voted", []string{"the U.S. Senate voted"}},
		{"about 3.5 per cent. of them", []string{"about 3.5 per cent. of them"}},
		{`He said "no." She left.`, []string{`He said "no."`, "She left."}},
		{"", nil},
	}
	for _, test := range tests {
		require.Equal(t, len(test.want), sentencesOf(test.text, 1), test.text)
	}
}

func TestSentencesOfCountsWordsWithoutPunctuation(t *testing.T) {
	require.Equal(t, 1, sentencesOf("Two words. Three words here.", 3))
	require.Equal(t, 0, sentencesOf("One - two.", 3))
}

func TestHasVerb(t *testing.T) {
	for _, text := range []string{
		"the results are in", "He said so", "it contains nothing", "models trained on data", "as we use it", "to book a table",
		"you should plan ahead", "may not fully apply", "THEY WERE HERE", "applies to all", "I don't", "we've two",
	} {
		require.True(t, hasVerb(text), text)
	}
	for _, text := range []string{
		"the morning of the king", "a hundred red beds", "to the station", "use of force", "report on the plan",
		"the building and its ceiling", "", "Table of Contents", "exchange rates",
	} {
		require.False(t, hasVerb(text), text)
	}
}

// The types that the API itself gave the same texts; the documents are English, or HTML taken for
// text.
func TestClassifyAgreesWithTheAPI(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "golden", "elements", "*", "*.json"))
	require.NoError(t, err)
	same, all := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var elements []element.Element
		require.NoError(t, json.Unmarshal(data, &elements))
		for _, e := range elements {
			fast := e.Metadata.Filetype == "text/plain" && !strings.Contains(file, "UDHR") || strings.Contains(file, "pdf-fast")
			switch e.Type {
			case element.TypeTitle, element.TypeNarrativeText, element.TypeUncategorizedText:
			default:
				fast = false
			}
			if !fast {
				continue
			}
			all++
			if kind, _ := classify(e.Text); kind == e.Type {
				same++
			}
		}
	}
	if all == 0 {
		t.Skip("no golden answers beside this checkout")
	}
	require.GreaterOrEqual(t, float64(same)/float64(all), 0.95, "%d of %d", same, all)
}
