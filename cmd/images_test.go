package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

// An image of the same name is replaced: a second run leaves the same files.
func TestImages(t *testing.T) {
	parent := t.TempDir()
	for _, content := range []string{"first", "second"} {
		images, err := outputOptions{images: filepath.Join(parent, "pictures", "new")}.openImages(journal.NewDisk(func(error) {}))
		require.NoError(t, err)
		written, err := imageStore{folder: images, dir: "pictures/new", name: "docs/report.pdf"}.store("22-Image.png", []byte(content))
		require.NoError(t, err)
		require.Equal(t, "pictures/new/docs/report.pdf/22-Image.png", written)
		require.NoError(t, images.Close())
		data, err := os.ReadFile(filepath.Join(parent, filepath.FromSlash(written)))
		require.NoError(t, err)
		require.Equal(t, content, string(data))
		left, err := os.ReadDir(filepath.Join(parent, "pictures", "new", "docs", "report.pdf"))
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
}

// Nothing is written outside the folder, whatever a document is called.
func TestImagesStayInTheirFolder(t *testing.T) {
	parent := t.TempDir()
	images, err := folder.Open(filepath.Join(parent, "images"), journal.NewDisk(func(error) {}))
	require.NoError(t, err)
	defer func() { require.NoError(t, images.Close()) }()

	_, err = imageStore{folder: images, dir: "images", name: "../../out"}.store("1-x.bin", []byte("GIF"))
	require.ErrorContains(t, err, "image ../../out/1-x.bin: ")

	require.NoError(t, os.Symlink(parent, filepath.Join(parent, "images", "link")))
	_, err = imageStore{folder: images, dir: "images", name: "link"}.store("1-x.bin", []byte("GIF"))
	require.ErrorContains(t, err, "image link/1-x.bin: ")

	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
