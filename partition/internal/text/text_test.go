package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintable(t *testing.T) {
	require.Equal(t, `a\x1b[31mred\nline\u202etfel\xff`, Printable("a\x1b[31mred\nline\u202etfel\xff"))
	require.Equal(t, "Ünï 文档 «ok»", Printable("Ünï 文档 «ok»"))
}
