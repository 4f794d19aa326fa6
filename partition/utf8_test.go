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
