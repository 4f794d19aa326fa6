package local

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
)

// markdownPiece is how much Markdown is converted at once: work that cannot be stopped is short,
// and memory comes back.
const markdownPiece = 1 << 20

// readMarkdown renders CommonMark with tables to HTML, raw HTML included, and reads that.
func readMarkdown(ctx context.Context, _ *Engine, d *document) error {
	content, err := d.text(d.request.encoding)
	if err != nil {
		return err
	}
	var rendered boundedText
	for content != "" {
		var piece string
		piece, content = cutMarkdown(content, markdownPiece)
		if err := renderMarkdown(ctx, piece, &rendered); err != nil {
			return err
		}
	}
	return htmlElements(ctx, rendered.String(), d.add)
}

// maxRendered is how many bytes of HTML a document of Markdown may become: a reference may stand
// for a long link, many times.
const maxRendered = 32 << 20

// A boundedText takes as much HTML as is read of a document.
type boundedText struct {
	strings.Builder
	full bool
}

// Write implements [io.Writer].
func (t *boundedText) Write(p []byte) (int, error) {
	if t.Len()+len(p) > maxRendered {
		t.full = true
		return 0, &failure{
			status: http.StatusUnprocessableEntity,
			detail: fmt.Sprintf("The Markdown becomes more than %d MiB of HTML.", maxRendered>>20),
		}
	}
	return t.Builder.Write(p)
}

func renderMarkdown(ctx context.Context, piece string, w *boundedText) error {
	converter := goldmark.New(
		goldmark.WithParser(newMarkdownParser(ctx)),
		goldmark.WithRenderer(newMarkdownRenderer(func() bool { return w.full || ctx.Err() != nil })),
	)
	if err := converter.Convert([]byte(piece), w); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// cutMarkdown cuts off a piece of a text, which is valid UTF-8: before the last paragraph that
// begins in its second half and is not indented, else at the end of a line, else anywhere.
func cutMarkdown(text string, size int) (piece, rest string) {
	if len(text) <= size {
		return text, ""
	}
	half := size / 2
	for end := size; ; {
		at := strings.LastIndex(text[half:end], "\n\n")
		if at < 0 {
			break
		}
		end = half + at + 1
		if next := text[end+1]; next != ' ' && next != '\t' && next != '\n' {
			return text[:end+1], text[end+1:]
		}
	}
	if at := strings.LastIndexByte(text[half:size], '\n'); at >= 0 {
		return text[:half+at+1], text[half+at+1:]
	}
	for !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size], text[size:]
}
