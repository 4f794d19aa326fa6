package local

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

// The hashes were worked out with Python's hashlib from the formula.
func TestElementIDs(t *testing.T) {
	tests := []struct {
		filename, text string
		page, position int
		want           string
	}{
		{"report.pdf", "Introduction", 1, 0, "8cfcfbd0622e3cd86900f4fef5782e1a"},
		{"report.pdf", "Introduction", 1, 1, "b60b63d5d7c1a254a444d9d9d5f25a6f"},
		{"report.pdf", "Introduction", 2, 0, "f6804aaa3e20818b8e0c289675bf37de"},
		{"notes.txt", "Grüße", 0, 0, "df31f1f9a2f70eae9b20603153428dab"},
		{"", "x", 0, 3, "407304da2f85fce8098caae5594bc216"},
	}
	for _, test := range tests {
		require.Equal(t, test.want, elementID(test.filename, test.text, test.page, test.position))
	}
}

func TestIDsOfADocumentWithoutPagesCountThrough(t *testing.T) {
	e := elementsOf(t, filePart{"a.txt", "text/plain", []byte("First paragraph here.\n\nSecond paragraph here.\n")})
	require.Equal(t, "35a381de084093e8004e91f0e114b69a", e[0].ID)
	require.Equal(t, "9f0adf47a0b869b18a5898af3ad1a680", e[1].ID)
}

func TestUniqueIDs(t *testing.T) {
	const uuid4 = `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`
	e := elementsOf(t, filePart{"a.md", "text/markdown", []byte("# T\n\nWe are here.\n")}, "unique_element_ids", "true")
	require.Regexp(t, uuid4, e[0].ID)
	require.Regexp(t, uuid4, e[1].ID)
	require.NotEqual(t, e[0].ID, e[1].ID)
	require.Equal(t, e[0].ID, e[1].Metadata.ParentID)
}

// finished gives elements as an answer has them.
func finished(t *testing.T, elements []element.Element) (got []element.Element) {
	t.Helper()
	a := newAnswer(false)
	defer a.close()
	require.NoError(t, a.begin())
	f := &file{answer: a, request: &request{}, position: map[int]int{}}
	for _, e := range elements {
		require.NoError(t, f.add(e))
	}
	require.NoError(t, a.end(true))
	require.NoError(t, json.Unmarshal([]byte(readAll(t, a.json.Reader())), &got))
	return got
}

func TestParents(t *testing.T) {
	deep := func(kind element.ElementType, depth int) element.Element {
		return element.Element{Type: kind, Metadata: element.Metadata{CategoryDepth: &depth}}
	}
	plain := func(kind element.ElementType) element.Element { return element.Element{Type: kind} }
	elements := []element.Element{
		plain(element.TypeNarrativeText), // 0: nothing above
		plain(element.TypeHeader),        // 1
		plain(element.TypeTitle),         // 2: below the header
		plain(element.TypeNarrativeText), // 3: below 2
		plain(element.TypeTable),         // 4: below 2, not below a text
		deep(element.TypeTitle, 1),       // 5: below 2, which has depth 0
		deep(element.TypeListItem, 1),    // 6: below 5
		deep(element.TypeListItem, 2),    // 7: below 6
		deep(element.TypeListItem, 1),    // 8: below 5 again
		plain(element.TypeTitle),         // 9: below the header again
		plain(element.TypeFooter),        // 10: nothing stands above a footer
		plain(element.TypeNarrativeText), // 11: and it ends what came before
	}
	want := []int{-1, -1, 1, 2, 2, 2, 5, 6, 5, 1, -1, -1}
	got := finished(t, elements)
	for i, e := range got {
		parent := ""
		if want[i] >= 0 {
			parent = got[want[i]].ID
		}
		require.Equal(t, parent, e.Metadata.ParentID, "element %d", i)
	}
}
