package partitiontest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quire-dev/quire/partition/wire"
)

var windowsPath = regexp.MustCompile(`^([A-Za-z]:)?\\`)

// violations is the form check: what the real server would ignore or misread without a word.
func (f *form) violations(r *http.Request, allowed []string) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if r.ContentLength < 0 {
		add("no Content-Length")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" {
		add("request body with Content-Encoding %s", encoding)
	}
	kinds := map[string]wire.FieldKind{}
	for _, field := range wire.Fields() {
		kinds[field.Name] = field.Kind
	}
	for _, name := range allowed {
		kinds[name] = ""
	}
	seen := map[string]string{} // plain name -> name as sent
	files := 0
	for i, p := range f.parts {
		if p.isFile {
			files++
			found = append(found, p.fileViolations()...)
			if i < len(f.parts)-1 && files == 1 {
				add("the file is not the last part")
			}
			continue
		}
		plain := strings.TrimSuffix(p.name, "[]")
		kind, known := kinds[plain]
		before, again := seen[plain]
		seen[plain] = p.name
		switch {
		case strings.HasPrefix(plain, "split_pdf_"):
			add("%s is the client's own, not the server's", plain)
		case !known:
			add("unknown field %q", p.name)
		case kind == "":
		case kind == wire.KindList:
			if again && before != p.name {
				add("%s sent both with and without []", plain)
			}
		case again:
			add("%s sent more than once", plain)
		case p.name != plain:
			add("%s is not a list", p.name)
		}
		if value := string(p.content); known {
			if problem := valueViolation(kind, value); problem != "" {
				add("%s: %s", p.name, problem)
			}
		}
	}
	if files > 1 {
		add("%d files in one request", files)
	}
	return found
}

func valueViolation(kind wire.FieldKind, value string) string {
	switch {
	case kind == "":
		return ""
	case value == "":
		return "empty, which the server takes for not sent"
	case !utf8.ValidString(value):
		return "not UTF-8"
	case kind == wire.KindBool && value != "true" && value != "false":
		return fmt.Sprintf("boolean %q, neither true nor false", value)
	case kind == wire.KindList && strings.Contains(value, ","):
		return fmt.Sprintf("list in one value %q, which the server does not cut at commas", value)
	}
	return ""
}

func (p *part) fileViolations() []string {
	var found []string
	switch disposition := p.header.Get("Content-Disposition"); {
	case strings.Contains(strings.ToLower(disposition), "filename*="):
		found = append(found, "file name in filename*, which the server ignores")
	case p.filename == "":
		found = append(found, "file part without a file name")
	}
	switch {
	case strings.Contains(p.filename, "/") || windowsPath.MatchString(p.filename):
		found = append(found, fmt.Sprintf("file name %q with a directory", p.filename))
	case !utf8.ValidString(p.filename):
		found = append(found, fmt.Sprintf("file name %q is not UTF-8", p.filename))
	}
	if p.name != "files" && p.name != "files[]" {
		found = append(found, fmt.Sprintf("file in field %q, not files", p.name))
	}
	if p.mediaType() == "" {
		found = append(found, "file part without a Content-Type")
	}
	return found
}

// invalid is the real server's own form check, an entry for each wrong field.
func (f *form) invalid() []map[string]any {
	var found []map[string]any
	add := func(kind, message string, input any, location ...any) {
		found = append(found, map[string]any{"type": kind, "loc": append([]any{"body"}, location...), "msg": message, "input": input})
	}
	kinds := map[string]wire.FieldKind{}
	for _, field := range wire.Fields() {
		kinds[field.Name] = field.Kind
	}
	hasFile := false
	for _, p := range f.parts {
		value := string(p.content)
		switch plain := strings.TrimSuffix(p.name, "[]"); {
		case p.isFile && plain == "files" && p.filename == "":
			add("value_error", "Value error, Expected UploadFile, received: <class 'str'>", value, "files", 0)
			hasFile = true
		case p.isFile:
			hasFile = hasFile || plain == "files"
		case value == "":
		case kinds[plain] == wire.KindInt:
			if _, err := strconv.Atoi(value); err != nil {
				add("int_parsing", "Input should be a valid integer, unable to parse string as an integer", value, plain)
			}
		case kinds[plain] == wire.KindFloat:
			if _, err := strconv.ParseFloat(value, 64); err != nil {
				add("float_parsing", "Input should be a valid number, unable to parse string as a number", value, plain)
			}
		case plain == "output_format" && !slices.Contains([]string{"application/json", "text/csv"}, value):
			add("literal_error", "Input should be 'application/json' or 'text/csv'", value, plain)
		}
	}
	if !hasFile {
		add("missing", "Field required", nil, "files")
	}
	return found
}
