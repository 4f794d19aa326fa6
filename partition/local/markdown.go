package local

import (
	"context"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/quire-dev/quire/partition"
)

// readMarkdown renders CommonMark with tables to HTML, raw HTML included, and reads that.
func readMarkdown(ctx context.Context, _ *Engine, d *document) ([]partition.Element, error) {
	content, err := d.text(d.request.encoding)
	if err != nil {
		return nil, err
	}
	converter := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))
	var rendered strings.Builder
	if err := converter.Convert([]byte(content), &rendered); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return htmlElements(ctx, rendered.String())
}
