package format_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
)

func TestB6(t *testing.T) {
	_, err := format.New("json", nil, format.Options{})
	require.ErrorContains(t, err, "the writer is nil")
	_, err = format.New("", nil, format.Options{})
	require.Error(t, err)
	var w format.Writer
	require.Error(t, w.Write(element.Element{}))
	require.Error(t, w.Flush())
	require.Error(t, w.Close())
	require.Zero(t, w.LeftOut())
	require.Empty(t, w.Warnings())
}
