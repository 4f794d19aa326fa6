package local

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

func TestMarkdownIsGoldmarks(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, text := range []string{
		string(readme),
		"Setext\n===\n\n> quoted *text*\n> - a\n>   1. b\n\n\n- loose\n\n- list\n\n      code\n",
		"[a] [b][a] ![i](u \"t\") <http://x> `c` **b** _i_ \\* <b>raw</b> &amp;\n\n[a]: /url 'title'\n",
		"| a | b\\|c |\n|:-|-:|\n| `x\\|y` | 2 |\n| short\n\n<div>\n*raw*\n</div>\n\n```go\n\n\n\n\n\n\n\n\n\n\nx\n```\n",
	} {
		var got boundedText
		var want strings.Builder
		require.NoError(t, renderMarkdown(t.Context(), text, &got))
		plain := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))
		require.NoError(t, plain.Convert([]byte(text), &want))
		require.Equal(t, want.String(), got.String())
	}
}

// Each of these takes goldmark by itself from seconds to hours, or gigabytes.
func TestMarkdownTakesTimeWithItsLength(t *testing.T) {
	repeat := strings.Repeat
	half := func(s string) string { return repeat(s, 1<<19/len(s)) }
	tests := []struct{ name, text, want string }{
		{"emphasis", repeat("*a_ ", 60_000), "*a_ *a_"},
		{"quotations", repeat("> ", 50_000) + "x", "> > > >"},
		{"lists", repeat("- ", 250_000) + "x", ""},
		{"brackets", half("[a]("), "[a]([a]("},
		{"references", half("[a]:b\n"), "[a]:b"},
		{"cells", "|" + repeat("a|", 5000) + "\n|" + repeat("-|", 5000) + "\n" + half("|\n"), "|a|a|"},
		{"escaped pipes", "|a|\n|-|\n" + half("|`\\|`|\n"), "|a|"},
		{"blank lines in a list", repeat("- ", 16) + "a\n" + half("\n") + "x", "ListItem"},
		{"code", half("`a``b```c "), "a"},
		{"emphasis in paragraphs", half(repeat("*a_ ", 900) + "\n\n"), "a_"},
	}
	e, err := New(Options{Timeout: 10 * time.Second})
	require.NoError(t, err)
	defer e.Close()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, body := answerOf(e, multipartRequest(t, nil, filePart{"a.md", "text/markdown", []byte(test.text)}))
			require.Equal(t, http.StatusOK, status, "%.200s", body)
			require.True(t, strings.Contains(body, test.want), "%.200s", body)
		})
	}
}

func TestMarksBeyondTheLimitAreText(t *testing.T) {
	e := elementsOf(t, filePart{"a.md", "", []byte(strings.Repeat("We are *here* now. ", 1200))})
	require.Len(t, e, 1)
	require.True(t, strings.HasPrefix(e[0].Text, "We are here now."))
	require.True(t, strings.HasSuffix(e[0].Text, "We are *here* now."))

	e = elementsOf(t, filePart{"a.md", "", []byte(strings.Repeat("We are *here* now. ", 4000))})
	require.True(t, strings.HasPrefix(e[0].Text, "We are *here* now."), "a paragraph of more than 64 KiB")
}

func TestMarkdownStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, renderMarkdown(ctx, "*a*", new(boundedText)), context.Canceled)
}

func TestCutMarkdown(t *testing.T) {
	tests := []struct{ name, text, piece, rest string }{
		{"short", "abc", "abc", ""},
		{"paragraph", "aaaaaaaa\n\nb\n\nccccc", "aaaaaaaa\n\nb\n\n", "ccccc"},
		{"not an indented one", "aaaaaaa\n\nb\n\n  c\n\nd", "aaaaaaa\n\n", "b\n\n  c\n\nd"},
		{"line", "aaaaaaaaa\nbbbbbbbbbbb", "aaaaaaaaa\n", "bbbbbbbbbbb"},
		{"anywhere", "aaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaa", "aaaaaaaa"},
		{"not in a character", "aaaaaaaaaaaaaéaaaaaaa", "aaaaaaaaaaaaa", "éaaaaaaa"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			piece, rest := cutMarkdown(test.text, 14)
			require.Equal(t, test.piece, piece)
			require.Equal(t, test.rest, rest)
		})
	}
}

func FuzzCutMarkdown(f *testing.F) {
	f.Add("a\n\n  b\n\nc d e f g h", 4)
	f.Fuzz(func(t *testing.T, text string, size int) {
		text, size = strings.ToValidUTF8(text, "?"), 8+max(0, size)%100
		for rest := text; rest != ""; {
			var piece string
			piece, rest = cutMarkdown(rest, size)
			require.NotEmpty(t, piece)
			require.LessOrEqual(t, len(piece), size+1)
			require.True(t, strings.HasSuffix(text, piece+rest))
		}
	})
}
