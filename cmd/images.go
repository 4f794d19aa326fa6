package cmd

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

// An imageStore writes the images of one document's elements to files below the folder of --images,
// as <name of the output>/<name of the image>. An image of the same name is replaced.
type imageStore struct {
	folder *folder.Folder
	dir    string // the folder's name as it was given
	name   string // of the document's output, with slashes and without the format's extension
}

// openImages opens the folder of --images, before any request is paid for; nil where images stay
// where they are. The caller closes it.
func (o outputOptions) openImages(disk *journal.Disk) (*folder.Folder, error) {
	if o.images == "" {
		return nil, nil
	}
	return folder.Open(o.images, disk)
}

// store writes an image and returns its path, which begins with the folder's name as it was given.
func (s imageStore) store(name string, image []byte) (string, error) {
	name = path.Join(s.name, name)
	file, err := s.folder.Create(name)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	if _, err := file.Write(image); err != nil {
		file.Discard()
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	if err := file.Commit(); err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	return path.Join(filepath.ToSlash(s.dir), name), nil
}
