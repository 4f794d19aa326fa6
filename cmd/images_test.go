package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/partition"
)

// TestImages writes images to files, twice, and finds the same both times: names, content, and what the elements say.
func TestImages(t *testing.T) {
	parent := t.TempDir()
	for range 2 {
		for _, test := range []struct{ golden, flags string }{
			{"images.jsonl", "-f jsonl --images pictures/new --exclude-element-types NarrativeText"},
			{"images.csv", "-f csv --images pictures/new --metadata-include image_path"},
		} {
			images, err := outputOptions{images: filepath.Join(parent, "pictures", "new")}.openImages()
			require.NoError(t, err)
			got, writer := formatted(t, test.flags, images, richElements(t)...)
			requireGolden(t, test.golden, got)
			require.Equal(t, []string{"element 25: image_base64 is damaged and stays as it is"}, writer.warnings())
			require.NoError(t, images.Close())
			files := map[string]string{}
			require.NoError(t, filepath.WalkDir(parent, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				name, _ := filepath.Rel(parent, path)
				files[filepath.ToSlash(name)] = string(data[:min(len(data), 8)])
				return err
			}))
			require.Equal(t, map[string]string{
				"pictures/new/docs/report.pdf/22-Image.png":   "\x89PNG\r\n\x1a\n",
				"pictures/new/docs/report.pdf/23-Image.jpg":   "\xff\xd8\xff\xe0 jpe",
				"pictures/new/docs/report.pdf/24-Oddtype.bin": "GIF89a",
			}, files)
		}
	}
}

// Nothing is written outside the folder, whatever a document or a type is called.
func TestImagesStayInTheirFolder(t *testing.T) {
	parent := t.TempDir()
	images, err := folder.Open(filepath.Join(parent, "images"))
	require.NoError(t, err)
	defer func() { require.NoError(t, images.Close()) }()
	e := partition.Element{Type: "/../../x", Metadata: partition.Metadata{ImageBase64: "R0lG"}}

	escaping := &imageWriter{folder: images, dir: "images", name: "../../out"}
	_, err = escaping.write(1, e)
	require.ErrorContains(t, err, "image ../../out/1-x.bin: ")

	require.NoError(t, os.Symlink(parent, filepath.Join(parent, "images", "link")))
	linked := &imageWriter{folder: images, dir: "images", name: "link"}
	_, err = linked.write(1, e)
	require.ErrorContains(t, err, "image link/1-x.bin: ")

	e.Type = "…"
	inside := &imageWriter{folder: images, dir: "images", name: "d"}
	name, err := inside.write(3, e)
	require.NoError(t, err)
	require.Equal(t, "images/d/3-element.bin", name)
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestDamagedImages(t *testing.T) {
	w := &imageWriter{}
	require.Empty(t, w.warnings())
	for i, image := range []string{"a", "====", "\n"} {
		path, err := w.write(4+i, partition.Element{Metadata: partition.Metadata{ImageBase64: image}})
		require.NoError(t, err)
		require.Empty(t, path)
	}
	require.Equal(t, []string{"3 elements, the first of them element 4: image_base64 is damaged and stays as it is"}, w.warnings())
}
