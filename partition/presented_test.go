package partition_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// archive is a ZIP file with these entries, which say what they are called unless another content
// is given behind a colon.
func archive(t *testing.T, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, entry := range entries {
		name, content, given := strings.Cut(entry, ":")
		if !given {
			content = name
		}
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		require.NoError(t, err)
		_, err = file.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// What the server is told of a document: the last element of its name, and a media type that
// follows the content where that shows one, else the name.
func TestHowADocumentIsPresented(t *testing.T) {
	const office = "application/vnd.openxmlformats-officedocument."
	const ole = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on"
	for _, tt := range []struct {
		name, path, content  string
		options              []partition.DocumentOption
		wantFile, wantedType string
	}{
		{"Word", "a.bin", archive(t, "[Content_Types].xml", "word/document.xml"), nil, "", office + "wordprocessingml.document"},
		{"Excel", "a.bin", archive(t, "[Content_Types].xml", "xl/workbook.xml"), nil, "", office + "spreadsheetml.sheet"},
		{"PowerPoint", "a.bin", archive(t, "ppt/presentation.xml"), nil, "", office + "presentationml.presentation"},
		{
			"OpenDocument", "a.zip", archive(t, "mimetype:application/vnd.oasis.opendocument.text", "content.xml"), nil, "",
			"application/vnd.oasis.opendocument.text",
		},
		{"EPUB", "a.zip", archive(t, "mimetype:application/epub+zip\n"), nil, "", "application/epub"},
		{"an archive", "a.docx", archive(t, "mimetype:text/nothing", "letter.txt"), nil, "", "application/zip"},
		{"half an archive", "a.docx", archive(t, "word/document.xml")[:40], nil, "", "application/zip"},
		{"old Word", "a.doc", ole, nil, "", "application/msword"},
		{"old Excel", "A.XLS", ole, nil, "", "application/vnd.ms-excel"},
		{"an image called a text", "a.txt", "\x89PNG\r\n\x1a\n...", nil, "", "image/png"},
		{"a text called a PDF", "a.pdf", "Not a PDF.", nil, "", "text/plain"},
		{"nothing known", "noise", "\x00\x01\x02\x03", nil, "", "application/octet-stream"},
		{"a path", filepath.Join("deep", "er", "a.md"), "# Title", nil, "a.md", "text/markdown"},
		{"another name", "a.txt", "# Title", []partition.DocumentOption{partition.WithName("in/b.md")}, "b.md", "text/markdown"},
		{
			"another media type", "a.txt", "# Title", []partition.DocumentOption{partition.WithMediaType("text/x-rst")}, "a.txt", "text/x-rst",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := partitiontest.NewServer(partitiontest.Options{Lenient: true})
			defer server.Close()
			server.Script(partitiontest.Fault{Do: partitiontest.Reply(200, `[]`)})
			client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithHTTPClient(server.Client()))
			require.NoError(t, err)
			document := partition.FromReaderAt(tt.path, strings.NewReader(tt.content), int64(len(tt.content)), tt.options...)
			defer document.Close()
			_, err = client.Partition(t.Context(), document, partition.Params{})
			require.NoError(t, err)
			require.Len(t, server.Requests(), 1)
			request := server.Requests()[0]
			require.Equal(t, tt.wantedType, request.MediaType)
			require.EqualValues(t, len(tt.content), request.Size)
			if tt.wantFile != "" {
				require.Equal(t, tt.wantFile, request.File)
			}
		})
	}
}

// An answer says whose fault a failure is, and whether another time may help.
func TestWhoseFaultAnAnswerIs(t *testing.T) {
	for _, tt := range []struct {
		status    int
		kind      partition.Kind
		scope     partition.Scope
		transient bool
	}{
		{400, partition.KindBadRequest, partition.ScopeRequest, false},
		{401, partition.KindAuth, partition.ScopeAccount, false},
		{402, partition.KindQuota, partition.ScopeAccount, false},
		{403, partition.KindAuth, partition.ScopeAccount, false},
		{404, partition.KindBadRequest, partition.ScopeRequest, false},
		{408, partition.KindTimeout, partition.ScopeServer, true},
		{413, partition.KindTooLarge, partition.ScopeDocument, false},
		{415, partition.KindUnsupportedType, partition.ScopeDocument, false},
		{422, partition.KindBadDocument, partition.ScopeDocument, false},
		{429, partition.KindThrottled, partition.ScopeServer, true},
		{500, partition.KindServer, partition.ScopeServer, true},
		{503, partition.KindServer, partition.ScopeServer, true},
		{504, partition.KindTimeout, partition.ScopeServer, true},
	} {
		server := partitiontest.NewServer(partitiontest.Options{})
		server.Script(partitiontest.Fault{Do: partitiontest.Reply(tt.status, `{"detail":"no","retryable":false}`)})
		var log bytes.Buffer
		client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithHTTPClient(server.Client()),
			partition.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		require.NoError(t, err)
		document := partition.FromReaderAt("a.txt", strings.NewReader("A line."), 7)
		_, err = client.Partition(t.Context(), document, partition.Params{})
		require.NoError(t, document.Close())
		server.Close()
		kind := partition.KindOf(err)
		require.Equal(t, tt.kind, kind, tt.status)
		require.Equal(t, tt.scope, kind.Scope(), tt.status)
		require.Equal(t, tt.transient, kind.Transient(), tt.status)
		require.Contains(t, log.String(), "a.txt", "the log names the document")
	}
	require.Empty(t, partition.Kind("unheard of").Scope())
	require.False(t, partition.Kind("unheard of").Transient())
}

// Where no temporary file can be made, chunks and answers wait in memory, and a warning says so.
func TestDiskModeWithoutADisk(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "gone"))
	}
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithHTTPClient(server.Client()))
	require.NoError(t, err)
	data := partitiontest.NewPDF(4)
	document := partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data)))
	defer document.Close()
	result, err := client.Partition(t.Context(), document, partition.Params{Split: partition.Split{Mode: partition.DiskCached}})
	require.NoError(t, err)
	require.Equal(t, "page 1 of a.pdf page 2 of a.pdf page 3 of a.pdf page 4 of a.pdf", texts(result.Elements))
	require.Len(t, server.Requests(), 2)
	require.Len(t, result.Report.Warnings, 1)
	require.Regexp(t, "^temporary files cannot be written, kept in memory: ", result.Report.Warnings[0])
}

// What is no regular file is refused at once, with what it is.
func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	refused := map[string]string{dir: "a directory"}
	if runtime.GOOS != "windows" {
		socket := filepath.Join(dir, "s")
		listener, err := net.Listen("unix", socket)
		require.NoError(t, err)
		defer listener.Close()
		refused[socket], refused[os.DevNull] = "a socket", "a device"
	}
	for path, kind := range refused {
		_, err := partition.Open(path)
		require.ErrorContains(t, err, "not a regular file ("+kind+")")
		require.Equal(t, partition.KindLocalIO, partition.KindOf(err))
	}
	_, err := partition.Open(filepath.Join(dir, "nothing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
