package local

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/spool"
)

func TestSeparatedValues(t *testing.T) {
	e := elementsOf(t, filePart{"a.csv", "", []byte("Team,Cups\n\"Blues, St\",1\n,<2>\nragged\n")})
	require.Equal(t, []string{"Table: Team Cups Blues, St 1 <2> ragged"}, typesAndTexts(e))
	require.Equal(t, "<table><tr><td>Team</td><td>Cups</td></tr><tr><td>Blues, St</td><td>1</td></tr>"+
		"<tr><td/><td>&lt;2&gt;</td></tr><tr><td>ragged</td></tr></table>", e[0].Metadata.TextAsHTML)
	require.Equal(t, "text/csv", e[0].Metadata.Filetype)

	e = elementsOf(t, filePart{"a.tsv", "", []byte("a\tb\n1\t2\n")})
	require.Equal(t, []string{"Table: a b 1 2"}, typesAndTexts(e))
	require.Empty(t, elementsOf(t, filePart{"a.csv", "text/csv", nil}))
}

func TestCSVAnswer(t *testing.T) {
	r := multipartRequest(t, []string{"output_format", "text/csv"}, filePart{"a.txt", "text/plain", []byte("First paragraph here.\n\nSecond \"paragraph\" here.\n")})
	w := httptest.NewRecorder()
	sharedEngine().ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	want := "type,element_id,text,filename,filetype,languages\n" +
		"Title,35a381de084093e8004e91f0e114b69a,First paragraph here.,a.txt,text/plain,['eng']\n" +
		"Title," + elementID("a.txt", `Second "paragraph" here.`, 0, 1) + `,"Second ""paragraph"" here.",a.txt,text/plain,['eng']` + "\n"
	require.Equal(t, want, w.Body.String())

	_, body := answerOf(sharedEngine(), multipartRequest(t, []string{"output_format", "text/csv"}, filePart{"a.txt", "text/plain", nil}))
	require.Equal(t, "\n", body, "no elements")
}

func TestCSVFlattensWhatIsNested(t *testing.T) {
	two := 2
	b := spool.New(spoolBytes)
	require.NoError(t, writeCSV(b, rowsOf(t,
		element.Element{Type: element.TypePageBreak, ID: "1"},
		element.Element{Type: element.TypeTitle, ID: "2", Text: "T", Metadata: element.Metadata{
			PageNumber: 3, CategoryDepth: &two, LinkTexts: []string{"it's", `"x"`}, LinkStartIndexes: []int{1, 2},
			Coordinates: &element.Coordinates{Points: [][2]float64{{1, 2.5}}, System: "PixelSpace", LayoutWidth: 612, LayoutHeight: 792},
		}},
	)))
	require.Equal(t, "type,element_id,text,page_number,category_depth,coordinates_points,coordinates_system,coordinates_layout_width,"+
		"coordinates_layout_height,link_texts,link_start_indexes\n"+
		"PageBreak,1,,,,,,,,,\n"+
		`Title,2,T,3,2,"[[1, 2.5]]",PixelSpace,612,792,"[""it's"", '""x""']","[1, 2]"`+"\n", readAll(t, b.Reader()))
}

// rowsOf gives elements as rows, as an answer holds them.
func rowsOf(t *testing.T, elements ...element.Element) func(yield func(row) error) error {
	t.Helper()
	return func(yield func(row) error) error {
		for _, e := range elements {
			data, err := e.MarshalJSON()
			require.NoError(t, err)
			var r row
			require.NoError(t, json.Unmarshal(data, &r))
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestPythonBytes(t *testing.T) {
	require.Equal(t, `b'PK'`, pythonBytes([]byte("PK")))
	require.Equal(t, `b'\x00\\'`, pythonBytes([]byte("\x00\\")))
	require.Equal(t, `b''`, pythonBytes(nil))
}

// Cells are those of Go's own reader when it is lenient.
func FuzzCells(f *testing.F) {
	for _, text := range []string{
		"a,b\nc", "\"a\",b\n", "\"a\"\"b\",\n\n,\n", "a\"b,\"c\"d\",e", "\"open,\n", "\"", "\"\"", ",", "\n", "a,", "\"a\"\n\"b\"", "ü,\"ü\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "\r", "")
		lenient := csv.NewReader(strings.NewReader(text))
		lenient.FieldsPerRecord, lenient.LazyQuotes = -1, true
		want, err := lenient.ReadAll()
		require.NoError(t, err)
		var got [][]string
		for rest := text; rest != ""; {
			if rest[0] == '\n' {
				rest = rest[1:]
				continue
			}
			var row []string
			for more := true; more; {
				var cell string
				cell, rest, more = cutCell(rest, ',')
				row = append(row, cell)
			}
			got = append(got, row)
		}
		require.Equal(t, want, got)
	})
}

func TestTableThatIsTooLarge(t *testing.T) {
	const want = `{"detail":"The table has more than 4000000 cells."}`
	status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"a.csv", "text/csv", bytes.Repeat([]byte(","), 5<<20)}))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, want, body)
	err := htmlElements(t.Context(), "<table><tr>"+strings.Repeat("<td>", 10)+"</table>", ignore)
	require.NoError(t, err)
}

// The cells of a table are not held all at once.
func TestTableIsBuiltFromItsText(t *testing.T) {
	const cells = 1 << 20
	content, err := spool.Read(bytes.NewReader(bytes.Repeat([]byte(","), cells)), spoolBytes)
	require.NoError(t, err)
	d := &document{request: &request{}, upload: &upload{SectionReader: content.Reader(), size: content.Size()}, add: refuseAll(t)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = readTable(',')(t.Context(), sharedEngine(), d)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(60*cells))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = readTable(',')(ctx, sharedEngine(), d)
	require.ErrorIs(t, err, context.Canceled)
}
