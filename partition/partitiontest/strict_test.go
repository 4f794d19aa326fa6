package partitiontest_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

func TestStrict(t *testing.T) {
	named := func(disposition string) field {
		return field{"Content-Disposition: form-data; name=\"files\"; " + disposition + "\r\nContent-Type: text/plain\r\n", "some notes"}
	}
	for _, tc := range []struct {
		name   string
		fields []field
		want   string // "" passes
	}{
		{"bare file", []field{notes()}, ""},
		{"every kind of field", []field{
			plain("strategy", "fast"), plain("coordinates", "true"), plain("unique_element_ids", "false"), plain("max_characters", "100"),
			plain("similarity_threshold", "0.5"), plain("languages[]", "eng"), plain("languages[]", "deu"), notes(),
		}, ""},
		{"list without brackets", []field{plain("languages", "eng"), plain("languages", "deu"), notes()}, ""},
		{"strategy that only the hosted API knows", []field{plain("strategy", "vlm"), notes()}, ""},
		{"files[]", []field{{"Content-Disposition: form-data; name=\"files[]\"; filename=\"a\"\r\nContent-Type: text/plain\r\n", "x"}}, ""},
		{"name with odd characters", []field{file("a %22b%22 'c' ; d=e ü\\\\x 文.txt", "text/plain", nil)}, ""},
		{"allowed field", []field{plain("mine", "yes"), notes()}, ""},

		{"unknown field", []field{plain("stratgy", "fast"), notes()}, `unknown field "stratgy"`},
		{"another case", []field{plain("Strategy", "fast"), notes()}, `unknown field "Strategy"`},
		{"the client's own field", []field{plain("split_pdf_page", "false"), notes()}, `split_pdf_page is the client's own, not the server's`},
		{"boolean 1", []field{plain("coordinates", "1"), notes()}, `coordinates: boolean "1", neither true nor false`},
		{"boolean True", []field{plain("coordinates", "True"), notes()}, `coordinates: boolean "True", neither true nor false`},
		{"empty value", []field{plain("encoding", ""), notes()}, `encoding: empty, which the server takes for not sent`},
		{"value that is no text", []field{plain("encoding", "\xff"), notes()}, `encoding: not UTF-8`},
		{"list in one value", []field{plain("languages", "eng,deu"), notes()}, `languages: list in one value "eng,deu", which the server does not cut at commas`},
		{"list sent two ways", []field{plain("languages", "eng"), plain("languages[]", "deu"), notes()}, `languages sent both with and without []`},
		{"field twice", []field{plain("strategy", "fast"), plain("strategy", "fast"), notes()}, `strategy sent more than once`},
		{"list that is none", []field{plain("strategy[]", "fast"), notes()}, `strategy[] is not a list`},
		{"file first", []field{notes(), plain("strategy", "fast")}, `the file is not the last part`},
		{"two files", []field{notes(), notes()}, `the file is not the last part; 2 files in one request`},
		{"file of another field", []field{{"Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\nContent-Type: text/plain\r\n", "x"}}, `file in field "file", not files`},
		{"file without a type", []field{file("notes.txt", "", nil)}, `file part without a Content-Type`},
		{"file without a name", []field{file("", "text/plain", nil)}, `file part without a file name`},
		{"no name at all", []field{{"Content-Disposition: form-data; name=\"files\"\r\nContent-Type: text/plain\r\n", "x"}}, `file part without a file name`},
		{"name with a directory", []field{file("/home/me/notes.txt", "text/plain", nil)}, `file name "/home/me/notes.txt" with a directory`},
		{"name with a drive", []field{file(`C:\\me\\notes.txt`, "text/plain", nil)}, `file name "C:\\me\\notes.txt" with a directory`},
		{"name that is no text", []field{file("\xff.txt", "text/plain", nil)}, `file name "\xff.txt" is not UTF-8`},
		{"extended name", []field{named("filename*=UTF-8''%C3%BC.txt")}, `file name in filename*, which the server ignores`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Options{AllowFields: []string{"mine"}})
			srv.Script(partitiontest.Fault{Do: partitiontest.Reply(202, "taken by the fault")})
			resp, body := mustPost(t, srv, tc.fields...)
			if tc.want == "" {
				require.Equal(t, 202, resp.StatusCode, body)
				require.Empty(t, srv.Violations())
			} else {
				require.Equal(t, 400, resp.StatusCode, "before any fault")
				require.Equal(t, "strict: "+tc.want, detail(t, body))
				require.NotEmpty(t, srv.Violations())
			}

			lenient := newServer(t, partitiontest.Options{Lenient: true})
			resp, body = mustPost(t, lenient, tc.fields...)
			require.NotEqual(t, 400, resp.StatusCode, body)
			require.Empty(t, lenient.Violations())
		})
	}
}

func TestStrictHeaders(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	body := form(notes())
	req := newRequest(t.Context(), srv, io.MultiReader(bytes.NewReader(body))) // a reader whose length net/http cannot know
	req.Header.Set("Content-Encoding", "br")
	resp, err := srv.Client().Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 400, resp.StatusCode)
	require.Equal(t, []string{"notes.txt: no Content-Length", "notes.txt: request body with Content-Encoding br"}, srv.Violations())
	require.Equal(t, int64(-1), srv.Requests()[0].ContentLength)
}
