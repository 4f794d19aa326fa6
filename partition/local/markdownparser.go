package local

import (
	"bytes"
	"context"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of the Markdown that is parsed as such; what is beyond them is plain text. Without them
// the time that goldmark takes grows with the square of a paragraph's marks and of the depth of
// lists and quotations.
const (
	maxMarkdownDepth = 16       // lists and quotations inside each other
	maxBlankRun      = 8        // blank lines inside a list
	maxParagraph     = 64 << 10 // bytes of a paragraph with marks
	maxMarks         = 1000     // characters of a paragraph that may be marks
	maxReferences    = 2000     // lines of a paragraph of link references
	maxSpareCells    = 1 << 14  // cells of a table that its text is too short for
	maxEscapedPipes  = 1000     // of the tables in a piece
)

// newMarkdownParser returns a parser of CommonMark with tables, for one text.
func newMarkdownParser(ctx context.Context) parser.Parser {
	marks := &markLimit{ctx: ctx}
	var inlines []util.PrioritizedValue
	for _, p := range parser.DefaultInlineParsers() {
		inlines = append(inlines, util.Prioritized(boundedInline{p.Value.(parser.InlineParser), marks}, p.Priority))
	}
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(&boundedContainer{BlockParser: parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(&boundedContainer{BlockParser: parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(
			util.Prioritized(boundedReferences{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(&boundedTable{ParagraphTransformer: extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// newMarkdownRenderer returns a renderer that stops where stop says so.
func newMarkdownRenderer(stop func() bool) renderer.Renderer {
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(stoppedRenderer{html.NewRenderer(html.WithUnsafe()), stop}, 1000),
		util.Prioritized(stoppedRenderer{extension.NewTableHTMLRenderer(), stop}, 500),
	))
}

// A stoppedRenderer stops before the next node. What is written to is not asked: it is behind a
// buffer.
type stoppedRenderer struct {
	renderer.NodeRenderer
	stop func() bool
}

// RegisterFuncs implements [renderer.NodeRenderer].
func (s stoppedRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	s.NodeRenderer.RegisterFuncs(stoppedFuncs{r, s.stop})
}

type stoppedFuncs struct {
	renderer.NodeRendererFuncRegisterer
	stop func() bool
}

func (s stoppedFuncs) Register(kind ast.NodeKind, render renderer.NodeRendererFunc) {
	s.NodeRendererFuncRegisterer.Register(kind,
		func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if s.stop() {
				return ast.WalkStop, nil
			}
			return render(w, source, n, entering)
		})
}

// A markLimit counts what is looked at in the block that is read.
type markLimit struct {
	ctx   context.Context
	block ast.Node
	left  int
}

// spend reports whether one more character of a block may be looked at as a mark.
func (b *markLimit) spend(block ast.Node) bool {
	if block != b.block {
		b.block, b.left = block, maxMarks
		size := 0
		for _, line := range block.Lines().Sliced(0, block.Lines().Len()) {
			size += line.Len()
		}
		if size > maxParagraph || b.ctx.Err() != nil {
			b.left = 0
		}
	}
	b.left--
	return b.left >= 0
}

// boundedInline is an inline parser that keeps to a limit.
type boundedInline struct {
	parser.InlineParser
	limit *markLimit
}

func (p boundedInline) Parse(block ast.Node, r text.Reader, pc parser.Context) ast.Node {
	if !p.limit.spend(block) {
		return nil
	}
	return p.InlineParser.Parse(block, r, pc)
}

// CloseBlock implements [parser.CloseBlocker].
func (p boundedInline) CloseBlock(block ast.Node, r text.Reader, pc parser.Context) {
	if closer, is := p.InlineParser.(parser.CloseBlocker); is {
		closer.CloseBlock(block, r, pc)
	}
}

// boundedContainer is the parser of lists or of quotations.
type boundedContainer struct {
	parser.BlockParser
	blank int // lines before this one
}

func (p *boundedContainer) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if kind := n.Kind(); kind == ast.KindList || kind == ast.KindBlockquote {
			depth++
		}
	}
	if depth >= maxMarkdownDepth {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

func (p *boundedContainer) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	if n.Parent().Kind() == ast.KindDocument { // the outermost one ends what is inside as well
		line, _ := r.PeekLine()
		p.blank++
		if !util.IsBlank(line) {
			p.blank = 0
		}
		if p.blank > maxBlankRun {
			return parser.Close
		}
	}
	return p.BlockParser.Continue(n, r, pc)
}

// boundedReferences reads link references, which takes time with the square of the lines.
type boundedReferences struct{ parser.ParagraphTransformer }

func (t boundedReferences) Transform(n *ast.Paragraph, r text.Reader, pc parser.Context) {
	if n.Lines().Len() <= maxReferences {
		t.ParagraphTransformer.Transform(n, r, pc)
	}
}

// boundedTable makes a table of a paragraph unless nearly all of its cells would have to be made
// up: every row gets as many as the widest line of hyphens has.
type boundedTable struct {
	parser.ParagraphTransformer
	escaped int
}

func (t *boundedTable) Transform(n *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines := n.Lines()
	size, columns, escaped := 0, 0, 0
	for _, segment := range lines.Sliced(0, lines.Len()) {
		line := segment.Value(r.Source())
		size += len(line)
		escaped += bytes.Count(line, []byte(`\|`))
		if len(bytes.Trim(line, "-|: \t\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|"))+1)
		}
	}
	if columns == 0 || columns*lines.Len() > max(maxSpareCells, size) || t.escaped+escaped > maxEscapedPipes {
		return
	}
	t.escaped += escaped
	t.ParagraphTransformer.Transform(n, r, pc)
}
