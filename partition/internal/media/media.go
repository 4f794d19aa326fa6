// Package media says what kind of document a file is: by its content, its name, or both.
package media

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/quire-dev/quire/split"
)

// A Type is one row of the table of document types that the API knows.
type Type struct {
	Name       string   // canonical media type, such as application/pdf
	Extensions []string // lower case, with the dot; the first is the usual one
	magic      []string // the content starts with one of these
	entry      string   // a ZIP archive is this type if it has an entry whose name starts so
	mimetype   string   // or if its entry "mimetype" says so
}

// types is the table. To add a file type is to add a row. Names and extensions are those of the
// API's own list.
var types = []Type{
	{Name: PDF, Extensions: []string{".pdf"}}, // found by split.IsPDF: the header may stand behind other bytes
	{Name: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Extensions: []string{".docx"}, entry: "word/"},
	{Name: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Extensions: []string{".xlsx"}, entry: "xl/"},
	{Name: "application/vnd.openxmlformats-officedocument.presentationml.presentation", Extensions: []string{".pptx"}, entry: "ppt/"},
	{Name: "application/vnd.oasis.opendocument.text", Extensions: []string{".odt"}, mimetype: "application/vnd.oasis.opendocument.text"},
	{Name: "application/epub", Extensions: []string{".epub"}, mimetype: "application/epub+zip"},
	{Name: "application/msword", Extensions: []string{".doc"}},
	{Name: "application/vnd.ms-excel", Extensions: []string{".xls"}},
	{Name: "application/vnd.ms-powerpoint", Extensions: []string{".ppt"}},
	{Name: "application/vnd.ms-outlook", Extensions: []string{".msg"}},
	{Name: "message/rfc822", Extensions: []string{".eml", ".p7s"}},
	{Name: "text/rtf", Extensions: []string{".rtf"}, magic: []string{`{\rtf`}},
	{Name: "image/png", Extensions: []string{".png"}, magic: []string{"\x89PNG\r\n\x1a\n"}},
	{Name: "image/jpeg", Extensions: []string{".jpg", ".jpeg"}, magic: []string{"\xff\xd8\xff"}},
	{Name: "image/tiff", Extensions: []string{".tiff", ".tif"}, magic: []string{"II*\x00", "MM\x00*"}},
	{Name: "image/bmp", Extensions: []string{".bmp"}}, // its two magic letters begin ordinary texts as well
	{Name: "image/heic", Extensions: []string{".heic"}, magic: []string{"\x00\x00\x00\x18ftypheic", "\x00\x00\x00\x18ftypmif1"}},
	{Name: "application/gzip", Extensions: []string{".gz"}, magic: []string{"\x1f\x8b"}},
	{Name: "audio/flac", Extensions: []string{".flac"}, magic: []string{"fLaC"}},
	{Name: "audio/mpeg", Extensions: []string{".mp3"}},
	{Name: "audio/mp4", Extensions: []string{".m4a"}},
	{Name: "audio/ogg", Extensions: []string{".ogg", ".opus"}, magic: []string{"OggS"}},
	{Name: "audio/wav", Extensions: []string{".wav"}},
	{Name: "audio/webm", Extensions: []string{".webm"}},
	{Name: "text/html", Extensions: []string{".html", ".htm"}},
	{Name: "text/markdown", Extensions: []string{".md", ".markdown"}},
	{Name: "text/csv", Extensions: []string{".csv"}},
	{Name: "text/tsv", Extensions: []string{".tsv", ".tab"}},
	{Name: "text/x-rst", Extensions: []string{".rst"}},
	{Name: "text/org", Extensions: []string{".org"}},
	{Name: "application/xml", Extensions: []string{".xml"}},
	{Name: "application/json", Extensions: []string{".json"}},
	{Name: "application/x-ndjson", Extensions: []string{".ndjson", ".jsonl"}},
	{Name: "text/plain", Extensions: []string{
		".txt", ".text", ".log", ".c", ".cc", ".cpp", ".cs", ".cxx", ".go", ".h", ".java", ".js", ".php", ".py", ".rb",
		".swift", ".ts", ".yaml", ".yml",
	}},
}

const (
	// PDF is the media type of the documents that can be cut into chunks.
	PDF = "application/pdf"

	unknownType = "application/octet-stream"
	oleMagic    = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	zipMagic    = "PK\x03\x04"
	sniffBytes  = 1024 // a PDF header may stand anywhere in the first 1,024 bytes
)

// Detect says what a document is: by its content where that has a signature, else by the extension
// of its name, else by whether it reads as text. It returns application/octet-stream where nothing
// tells; the server then looks for itself.
func Detect(name string, r io.ReaderAt, size int64) (string, error) {
	head := make([]byte, min(sniffBytes, size))
	if n, err := r.ReadAt(head, 0); err != nil && (!errors.Is(err, io.EOF) || n < len(head)) {
		return "", err
	}
	if t := contentType(head, name, r, size); t != "" {
		return t, nil
	}
	if t := OfName(name); t != "" && t != PDF {
		return t, nil
	}
	sniffed, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return sniffed, nil
}

// contentType is the type that the content itself shows, "" where it shows none.
func contentType(head []byte, name string, r io.ReaderAt, size int64) string {
	if split.IsPDF(head) {
		return PDF
	}
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		return zipType(name, r, size)
	}
	if bytes.HasPrefix(head, []byte(oleMagic)) {
		if t := OfName(name); t != "" && t != PDF {
			return t // Word, Excel, PowerPoint and Outlook share the container; only the name tells them apart cheaply
		}
		return unknownType
	}
	for _, t := range types {
		for _, magic := range t.magic {
			if bytes.HasPrefix(head, []byte(magic)) {
				return t.Name
			}
		}
	}
	return ""
}

func zipType(name string, r io.ReaderAt, size int64) string {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return "application/zip"
	}
	for _, file := range archive.File {
		for _, t := range types {
			if t.entry != "" && strings.HasPrefix(file.Name, t.entry) {
				return t.Name
			}
		}
		if file.Name == "mimetype" {
			if t := mimetypeEntry(file); t != "" {
				return t
			}
		}
	}
	return "application/zip"
}

// mimetypeEntry reads the first, stored entry of an OpenDocument or EPUB archive.
func mimetypeEntry(file *zip.File) string {
	entry, err := file.Open()
	if err != nil {
		return ""
	}
	defer entry.Close()
	said, err := io.ReadAll(io.LimitReader(entry, 100))
	if err != nil {
		return ""
	}
	for _, t := range types {
		if t.mimetype != "" && t.mimetype == string(bytes.TrimSpace(said)) {
			return t.Name
		}
	}
	return ""
}

// Known returns the row of a media type.
func Known(name string) (Type, bool) {
	i := slices.IndexFunc(types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return types[i], true
}

// OfName returns the media type that the extension of a file's name says, "" where it says none.
func OfName(name string) string {
	extension := strings.ToLower(path.Ext(name))
	for _, t := range types {
		if slices.Contains(t.Extensions, extension) {
			return t.Name
		}
	}
	return ""
}
