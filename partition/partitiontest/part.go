package partitiontest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/quire-dev/quire/split"
)

// part is one part of a form: a field, or a file.
type part struct {
	header   textproto.MIMEHeader
	name     string
	isFile   bool
	filename string
	content  []byte // of fields, and of the file while it is needed
	unread   io.Reader
	size     int64
	sum      string
}

func newPart(raw *multipart.Part) (*part, error) {
	_, params, err := mime.ParseMediaType(raw.Header.Get("Content-Disposition"))
	if err != nil || params["name"] == "" {
		return nil, errForm
	}
	p := &part{header: raw.Header, name: params["name"], filename: params["filename"], unread: raw}
	_, named := params["filename"]
	p.isFile = named || p.name == "files" || p.name == "files[]"
	return p, nil
}

// read reads the part's content, hashing it, and keeps it if keep is set or it turns out to be a
// PDF.
func (p *part) read(keep bool) error {
	content := bufio.NewReaderSize(p.unread, 1024)
	if p.isFile && !keep {
		head, _ := content.Peek(1024) // an error comes again
		keep = split.IsPDF(head)
	}
	var kept bytes.Buffer
	sum := sha256.New()
	to := io.Writer(sum)
	if keep {
		to = io.MultiWriter(sum, &kept)
	}
	from := io.Reader(content)
	if !p.isFile {
		from = io.LimitReader(content, maxFieldBytes+1)
	}
	n, err := io.Copy(to, from)
	switch {
	case err != nil:
		return errForm
	case !p.isFile && n > maxFieldBytes:
		return errLongField
	}
	p.unread, p.size, p.sum, p.content = nil, n, hex.EncodeToString(sum.Sum(nil)), kept.Bytes()
	return nil
}

func (p *part) mediaType() string {
	t, _, _ := strings.Cut(p.header.Get("Content-Type"), ";")
	return strings.TrimSpace(t)
}
