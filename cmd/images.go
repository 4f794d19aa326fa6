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
	from   string // the folder of the file that shows the images, "" where paths are as --images has them
}

// openImages opens the folder of --images, before any request is paid for; nil where images stay
// where they are. The caller closes it.
func (o outputOptions) openImages(disk *journal.Disk) (*folder.Folder, error) {
	if o.images == "" {
		return nil, nil
	}
	return folder.Open(o.images, disk)
}

// store writes an image and returns its path, which begins with the folder's name as it was given, or
// leads to the image from the file that shows it.
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
	written := path.Join(filepath.ToSlash(s.dir), name)
	if s.from == "" {
		return written, nil
	}
	if relative, err := relativePath(s.from, written); err == nil {
		return filepath.ToSlash(relative), nil
	}
	return written, nil // on another volume
}

// relativePath is the way from a folder to a file.
func relativePath(from, to string) (string, error) {
	var err error
	if from, err = filepath.Abs(from); err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}
