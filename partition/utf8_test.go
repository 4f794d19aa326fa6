package partition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// Bytes of an answer that are not UTF-8 are replaced, and that is said: outputs and stored answers
// are valid JSON.
func TestA14InvalidUTF8(t *testing.T) {
	for name, test := range map[string]struct{ text, want, warning string }{
		"Latin-1":          {"Gr\xf6\xdfe", "Gr\ufffd\ufffde", "replaced by U+FFFD: 6"},
		"half a character": {"\xe8\xa1", "\ufffd\ufffd", "replaced by U+FFFD: 6"},
		"half a surrogate": {"\xed\xa0\x80", "\ufffd\ufffd\ufffd", "replaced by U+FFFD: 9"},
		"valid":            {"Größe 表 😀 \ufffd", "Größe 表 😀 \ufffd", ""},
	} {
		for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				server := partitiontest.NewServer(partitiontest.Options{})
				defer server.Close()
				body := `[{"type":"Title","element_id":"1","text":"` + test.text + `","metadata":{"f` + test.text + `":"` + test.text + `"}}]`
				server.Script(partitiontest.Fault{Do: partitiontest.Reply(200, body)})
				store, err := cache.Open(t.TempDir(), cache.Options{})
				require.NoError(t, err)
				client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithHTTPClient(server.Client()), partition.WithCache(store))
				require.NoError(t, err)
				for i := range 2 { // from the server, and from the cache
					result, err := client.Partition(t.Context(), partition.FromReaderAt("a.txt", strings.NewReader("text"), 4),
						partition.Params{Split: partition.Split{Mode: mode}})
					require.NoError(t, err)
					data, err := result.Elements[0].MarshalJSON()
					require.NoError(t, err)
					require.Equal(t, strings.ReplaceAll(body[1:len(body)-1], test.text, test.want), string(data))
					warnings := strings.Join(result.Report.Warnings, "; ")
					require.Equal(t, i == 0 && test.warning != "", strings.Contains(warnings, "UTF-8"), warnings)
					require.Contains(t, warnings, map[bool]string{true: test.warning}[i == 0])
				}
				require.Len(t, server.Requests(), 1)
			})
		}
	}
}

// Half of a surrogate pair is no character: strict parsers refuse it, Python cannot write it. It is
// replaced in the answer, so that all outputs say the same, and that is said.
func TestA14HalvesOfPairs(t *testing.T) {
	for name, test := range map[string]struct{ text, want, read, warning string }{
		"first half":  {`a\ud800b`, `a\ufffdb`, "a\ufffdb", "half of a surrogate pair, replaced by U+FFFD: 2"},
		"second half": {`\uDE00`, `\ufffd`, "\ufffd", "replaced by U+FFFD: 2"},
		"swapped":     {`\ude00\ud83d`, `\ufffd\ufffd`, "\ufffd\ufffd", "replaced by U+FFFD: 4"},
		"pair":        {`\ud83d\ude00`, `\ud83d\ude00`, "😀", ""},
		"no escape":   {`\\ud800`, `\\ud800`, `\ud800`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				body := `[{"type":"Title","text":"` + test.text + `","metadata":{"x` + test.text + `":1}}]`
				s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, body)})
				result, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
				require.NoError(t, err)
				require.Equal(t, test.read, result.Elements[0].Text)
				require.Equal(t, strings.ReplaceAll(body[1:len(body)-1], test.text, test.want), string(result.Elements[0].Raw()))
				warnings := strings.Join(result.Report.Warnings, "; ")
				require.Equal(t, test.warning != "", warnings != "", warnings)
				require.Contains(t, warnings, test.warning)
			})
		})
	}
}

// A byte order mark before the list is no part of it, from the server and from the cache.
func TestA14ByteOrderMark(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		store, err := cache.Open(t.TempDir(), cache.Options{})
		require.NoError(t, err)
		s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, "\ufeff[{\"type\":\"Title\",\"text\":\"\ufeffa\"}]\n")})
		for range 2 {
			result, err := newClient(t, s, partition.WithCache(store)).Partition(t.Context(), text("hello"), partition.Params{})
			require.NoError(t, err)
			require.Equal(t, "{\"type\":\"Title\",\"text\":\"\ufeffa\"}", string(result.Elements[0].Raw()))
			require.Empty(t, result.Report.Warnings)
		}
		require.Len(t, s.Requests(), 1)
	})
	for _, body := range []string{"\ufeff", "\ufeff<html>", "\ufeff\ufeff[]", "\xff\xfe[\x00]\x00"} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, body)})
			_, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
			require.Equal(t, partition.KindBadResponse, partition.KindOf(err), body)
		})
	}
}

// Names are exact, and of a repeated member the last counts with nothing of those before, as in
// Python and JavaScript. Numbers stay as they are spelled, however large.
func TestA14RepeatedMembersAndNumbers(t *testing.T) {
	const raw = `{"type":"Title","text":"a","text":"b","Text":"c","metadata":{"page_number":1,"filename":"x"},` +
		`"metadata":{"page_number":3.0,"parent_id":"p","parent_id":null,"Filename":"y","score":1e999,"big":123456789012345678901234567890}}`
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, "["+raw+"]")})
		result, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
		require.NoError(t, err)
		e := result.Elements[0]
		require.Equal(t, raw, string(e.Raw()))
		require.Equal(t, "b", e.Text)
		require.Equal(t, 3, e.Metadata.PageNumber)
		require.Empty(t, e.Metadata.ParentID)
		require.Empty(t, e.Metadata.Filename)
	})
}

// A table is valid UTF-8 too. One that is in another encoding from its header on is none.
func TestA14Tables(t *testing.T) {
	table := partition.Params{OutputFormat: partition.OutputCSV}
	for body, want := range map[string]struct{ table, warning, err string }{
		"type,text\nTitle,Gr\xf6\xdfe\n":    {"type,text\nTitle,Gr\ufffd\ufffde\n", "replaced by U+FFFD: 2", ""},
		"\ufefftype,text\nTitle,Größe\r\n":  {"\ufefftype,text\nTitle,Größe\r\n", "", ""},
		"type,text\nTitle,\\ud800 \x00\x1b": {"type,text\nTitle,\\ud800 \x00\x1b", "", ""},
		"\xff\xfet\x00y\x00p\x00e\x00":      {"", "", "the table is not in UTF-8"},
	} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, body)})
			result, err := newClient(t, s).Partition(t.Context(), text("hello"), table)
			require.Equal(t, want.table, string(result.CSV))
			if want.err != "" {
				require.ErrorContains(t, err, want.err)
				require.Equal(t, partition.KindBadResponse, partition.KindOf(err))
				return
			}
			require.NoError(t, err)
			require.Contains(t, strings.Join(result.Report.Warnings, ""), want.warning)
			require.Equal(t, want.warning == "", len(result.Report.Warnings) == 0)
		})
	}
}
