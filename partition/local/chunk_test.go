package local

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/split"
)

// Real documents give the same elements in page chunks as in one piece, whatever the chunks' files
// look like.
func TestChunksOfSamplesGiveTheSameElements(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"pdf/multi-column.pdf", "pdf/layout-parser-paper-fast.pdf", "pdf/reliance.pdf", "pdf/embedded-link.pdf",
	} {
		t.Run(path, func(t *testing.T) {
			file := sample(t, path)
			whole := elementsOf(t, file, "coordinates", "true")
			require.Equal(t, pageLocal(whole), pageLocal(inChunks(t, file)))
		})
	}
}

func inChunks(t *testing.T, file filePart) []element.Element {
	t.Helper()
	doc, err := split.Open(t.Context(), bytes.NewReader(file.data), int64(len(file.data)), split.Options{})
	require.NoError(t, err)
	defer doc.Close()
	var elements []element.Element
	for _, pages := range split.Plan(doc.Pages(), 10) {
		chunk, err := doc.Chunk(t.Context(), pages)
		require.NoError(t, err)
		var data bytes.Buffer
		_, err = chunk.WriteTo(&data)
		require.NoError(t, err)
		part := filePart{name: file.name, contentType: "application/pdf", data: data.Bytes()}
		elements = append(elements, elementsOf(t, part, "coordinates", "true", "starting_page_number", fmt.Sprint(pages.First))...)
	}
	return elements
}
