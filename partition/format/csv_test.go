package format

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

func TestDisarm(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "a=1": "a=1", "'=1": "'=1", "1-2": "1-2", " a": " a", "é": "é",
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta", "\ra": "'\ra", "\na": "'\na", "\x00a": "'\x00a",
		"＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a", "  =1": "'  =1",
		"\u00a0=1": "'\u00a0=1", "\ufeff=1": "'\ufeff=1", "=": "'=",
	} {
		require.Equal(t, want, disarm(cell), "%q", cell)
	}
}

// TestA8 writes a column for every member of the metadata that is asked for by name.
func TestA8(t *testing.T) {
	var elements []element.Element
	require.NoError(t, json.Unmarshal([]byte(`[
		{"type": "Title", "element_id": "1", "text": "A", "metadata": {"subject": "Hello, you", "sent_to": ["a@x", "b@x"], "page_number": 2,
			"coordinates": {"points": [[1, 2.50]]}, "text": "of the metadata", "is_continuation": true, "image_base64": "aGk="}},
		{"type": "Title", "element_id": "2", "text": "B", "metadata": {"subject": null}}]`), &elements))
	include := []string{"subject", "sent_to", "page_number", "coordinates", "text", "is_continuation", "new_one", "subject"}
	got, _ := formatted(t, "csv", Options{MetadataInclude: include}, elements...)
	require.Equal(t, `type,element_id,text,page_number,subject,sent_to,coordinates,metadata.text,is_continuation,new_one
Title,1,A,2,"Hello, you","[""a@x"",""b@x""]","{""points"":[[1,2.50]]}",of the metadata,true,
Title,2,B,,,,,,,
`, string(got))

	stored := func(string, []byte) (string, error) { return "a.png", nil }
	got, _ = formatted(t, "csv", Options{MetadataInclude: []string{"image_base64", "image_path"}, Images: stored}, elements[0])
	require.Equal(t, "type,element_id,text,image_path,image_base64\nTitle,1,A,a.png,\n", string(got))
}
