package partition_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// uncuttable is a PDF of 8 pages whose fifth page needs an object that nobody can read: it stands
// in an object stream, and is broken. That shows only when the page is cut.
func uncuttable() []byte {
	const pages, packed = 8, 3 + 2*8
	var b bytes.Buffer
	offsets := make([]int, packed+3)
	object := func(nr int, body string) {
		offsets[nr] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", nr, body)
	}
	b.WriteString("%PDF-1.7\n")
	object(1, "<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
	}
	object(2, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 300 300] >>", pages, kids.String()))
	for i := range pages {
		resources := "<< >>"
		if i == 4 {
			resources = fmt.Sprintf("<< /Font << /F1 %d 0 R >> >>", packed)
		}
		object(3+2*i, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R /Resources %s >>", 4+2*i, resources))
		object(4+2*i, "<< /Length 3 >>\nstream\nq Q\nendstream")
	}
	content := fmt.Sprintf("%d 0 << /Type /Font ", packed)
	object(packed+1, fmt.Sprintf("<< /Type /ObjStm /N 1 /First %d /Length %d >>\nstream\n%s\nendstream", strings.Index(content, "<<"), len(content), content))
	var table bytes.Buffer
	entry := func(kind byte, a uint32, c byte) {
		table.WriteByte(kind)
		_ = binary.Write(&table, binary.BigEndian, a)
		table.WriteByte(c)
	}
	start := b.Len()
	entry(0, 0, 255)
	for nr := 1; nr <= packed+2; nr++ {
		switch nr {
		case packed:
			entry(2, packed+1, 0)
		case packed + 2:
			entry(1, uint32(start), 0)
		default:
			entry(1, uint32(offsets[nr]), 0)
		}
	}
	fmt.Fprintf(&b, "%d 0 obj\n<< /Type /XRef /Size %d /W [1 4 1] /Root 1 0 R /Length %d >>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		packed+2, packed+3, table.Len(), table.Bytes(), start)
	return b.Bytes()
}

// TestWhatCannotBeCutGoesWhole has the pages before the broken one from their chunks, and the
// others from the document in one request, whatever the timing.
func TestWhatCannotBeCutGoesWhole(t *testing.T) {
	data := uncuttable()
	document := func() *partition.Document {
		return partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data)))
	}
	engine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		var elements []element.Element
		for page := request.Pages.First; page <= request.Pages.Last; page++ {
			elements = append(elements, element.Element{Type: element.TypeTitle, Text: "a", Metadata: element.Metadata{PageNumber: page}},
				element.Element{Type: element.TypePageBreak})
		}
		_ = json.NewEncoder(w).Encode(elements)
	})
	options := partitiontest.Options{Engine: engine}
	for _, width := range []int{1, 10} {
		bubble(t, options, func(t *testing.T, s *partitiontest.Server) {
			result, err := newClient(t, s, partition.WithMaxInFlight(width)).Partition(t.Context(), document(), partition.Params{StartingPageNumber: new(11)})
			require.NoError(t, err)
			require.Equal(t, []int{11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0}, numbers(result.Elements))
			require.Len(t, s.Requests(), 3)
			require.Equal(t, 8, result.Report.AnsweredPages())
			require.Len(t, result.Report.Warnings, 1)
			require.Contains(t, result.Report.Warnings[0], "pages 5-6 cannot be cut: ")
			require.Contains(t, result.Report.Warnings[0], ": sent whole, for the pages from 5 on")
		})
	}
	bubble(t, options, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{}
		for range 3 {
			_, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), document(), partition.Params{})
			require.NoError(t, err)
			require.Len(t, s.Requests(), 3, "what was answered is not sent again")
		}
	})
	bubble(t, options, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Match: func(r partitiontest.Request) bool { return r.Pages.Len() == 8 }, Do: partitiontest.Detail(400, "no")})
		_, err := newClient(t, s).Partition(t.Context(), document(), partition.Params{Split: partition.Split{AllowFailed: true}})
		require.ErrorContains(t, err, "a.pdf: missing pages 5-8: ")
	})
}
