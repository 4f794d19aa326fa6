package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
	"unicode/utf8"
)

//go:embed *.html *.css
var files embed.FS

// A head is what a page says before its body.
type head struct {
	Title  string
	Policy string // the Content-Security-Policy
	Style  template.CSS
}

// newHead makes the head of a page with base.css and the style sheets of its own.
func newHead(title string, sheets ...string) head {
	style := readFile("base.css") + strings.Join(sheets, "")
	sum := sha256.Sum256([]byte(style))
	return head{
		Title: title,
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; " +
			"base-uri 'none'; form-action 'none'",
		Style: template.CSS(style), // made here, of this package's own files
	}
}

func readFile(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is in the program
	}
	return string(data)
}

// newTemplate parses the templates of a page.
func newTemplate(name string) *template.Template {
	return template.Must(template.New(name).ParseFS(files, "head.html", name))
}

// shorten returns s, cut to about n bytes at a rune's boundary, in memory of its own.
func shorten(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
