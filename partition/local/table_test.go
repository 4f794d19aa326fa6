package local

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
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
	var b bytes.Buffer
	require.NoError(t, writeCSV(&b, []partition.Element{
		{Type: partition.PageBreak, ID: "1"},
		{Type: partition.Title, ID: "2", Text: "T", Metadata: partition.Metadata{
			PageNumber: 3, CategoryDepth: &two, LinkTexts: []string{"it's", `"x"`}, LinkStartIndexes: []int{1, 2},
			Coordinates: &partition.Coordinates{Points: [][2]float64{{1, 2.5}}, System: "PixelSpace", LayoutWidth: 612, LayoutHeight: 792},
		}},
	}))
	require.Equal(t, "type,element_id,text,page_number,category_depth,coordinates_points,coordinates_system,coordinates_layout_width,"+
		"coordinates_layout_height,link_texts,link_start_indexes\n"+
		"PageBreak,1,,,,,,,,,\n"+
		`Title,2,T,3,2,"[[1, 2.5]]",PixelSpace,612,792,"[""it's"", '""x""']","[1, 2]"`+"\n", b.String())
}

func TestPythonBytes(t *testing.T) {
	require.Equal(t, `b'PK'`, pythonBytes([]byte("PK")))
	require.Equal(t, `b'\x00\\'`, pythonBytes([]byte("\x00\\")))
	require.Equal(t, `b''`, pythonBytes(nil))
}
