package local

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/quire-dev/quire/partition/internal/media"
	"github.com/quire-dev/quire/partition/internal/spool"
)

const (
	pdfType  = "application/pdf"
	gzipType = "application/gzip"
)

// aliases are other names of the types that the API's table calls by one.
var aliases = map[string]string{
	"application/csv":               "text/csv",
	"application/x-csv":             "text/csv",
	"text/comma-separated-values":   "text/csv",
	"text/x-comma-separated-values": "text/csv",
	"text/x-csv":                    "text/csv",
	"text/x-markdown":               "text/markdown",
	"text/tab-separated-values":     "text/tsv",
	"text/xml":                      "application/xml",
	"application/yaml":              "text/plain",
	"application/x-yaml":            "text/plain",
	"text/x-yaml":                   "text/plain",
	"text/yaml":                     "text/plain",
	"application/rtf":               "text/rtf",
	"image/x-bmp":                   "image/bmp",
	"image/x-ms-bmp":                "image/bmp",
	"application/epub+zip":          "application/epub",
}

// mediaType is the type that the request names, if the API knows it; else content and name decide.
// An Office container under a text's name is what it is; under a PDF's, the PDF check refuses it.
func mediaType(u *upload, said string) (string, error) {
	if said == "" {
		said = u.contentType
	}
	said, _, _ = strings.Cut(said, ";")
	said = strings.ToLower(strings.TrimSpace(said))
	if canonical, is := aliases[said]; is {
		said = canonical
	}
	if knownType(said) && (said == pdfType || !u.isContainer()) {
		return said, nil
	}
	if u.size == 0 {
		return "inode/x-empty", nil
	}
	detected, err := media.Detect(u.name, u, u.size)
	if err != nil {
		return "", fmt.Errorf("stored upload: %w", err)
	}
	if canonical, is := aliases[detected]; is {
		return canonical, nil
	}
	return detected, nil
}

func knownType(name string) bool {
	_, known := media.Known(name)
	return known && name != gzipType
}

// isContainer reports whether an upload is one of the ZIP and OLE archives, which the library below
// the API recognises under any type.
func (u *upload) isContainer() bool {
	head := make([]byte, 8)
	n, _ := u.ReadAt(head, 0) // a shorter file is no container
	return bytes.HasPrefix(head[:n], []byte("PK\x03\x04")) || bytes.HasPrefix(head[:n], []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
}

// gunzip unpacks an upload that is a gzip file by its type or name, up to limit bytes; any other it
// returns as it is. The caller calls done once the upload has been read.
func gunzip(u *upload, uncompressedType string, limit int64) (unpacked *upload, done func(), err error) {
	announced, _, _ := strings.Cut(u.contentType, ";")
	if announced != gzipType && !strings.HasSuffix(u.name, ".gz") {
		return u, func() {}, nil
	}
	head := make([]byte, len(gzipMagic))
	n, _ := u.ReadAt(head, 0) // a shorter file is no gzip file
	if string(head[:n]) != gzipMagic {
		return nil, nil, brokenGzip(fmt.Sprintf("Not a gzipped file (%s)", pythonBytes(head[:n])))
	}
	stream, err := gzip.NewReader(io.NewSectionReader(u, 0, u.size))
	var content *spool.File
	if err == nil {
		content, err = spool.Read(io.LimitReader(stream, limit+1), spoolBytes)
	}
	if err != nil {
		return nil, nil, brokenGzip("Error while decompressing the file: " + err.Error())
	}
	if content.Size() > limit {
		_ = content.Close() // it was only read
		return nil, nil, inflatesTooFar(limit)
	}
	unpacked = &upload{
		SectionReader: content.Reader(), size: content.Size(),
		name: strings.TrimSuffix(u.name, ".gz"), contentType: uncompressedType,
	}
	if uncompressedType == "" {
		unpacked.contentType = media.OfName(unpacked.name)
	}
	return unpacked, func() { _ = content.Close() }, nil
}

func inflatesTooFar(limit int64) *failure {
	return &failure{
		status: http.StatusRequestEntityTooLarge,
		detail: fmt.Sprintf("The gzip file unpacks to more than the limit of %d bytes.", limit),
	}
}

const gzipMagic = "\x1f\x8b"

func brokenGzip(detail string) *failure {
	return &failure{status: http.StatusInternalServerError, detail: detail}
}

// pythonBytes writes bytes as Python's repr does.
func pythonBytes(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		switch {
		case c == '\\' || c == '\'':
			s.WriteString(`\` + string(rune(c)))
		case c == '\n':
			s.WriteString(`\n`)
		case c == '\r':
			s.WriteString(`\r`)
		case c == '\t':
			s.WriteString(`\t`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&s, `\x%02x`, c)
		default:
			s.WriteByte(c)
		}
	}
	return "b'" + s.String() + "'"
}
