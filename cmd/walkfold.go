package cmd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldsCase tells whether names that differ only in case are one file in folder, which must exist below root. It makes a file
// there and removes it.
func foldsCase(root *os.Root, folder string) (folds bool, err error) {
	name := ".case-" + strings.ToLower(rand.Text()[:12])
	probe := path.Join(folder, name)
	file, err := root.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, fmt.Errorf("output folder %s: %w", root.Name(), rootPathError(err))
	}
	_, err = root.Lstat(path.Join(folder, strings.ToUpper(name)))
	folds = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, file.Close(), root.Remove(probe)); err != nil {
		return false, fmt.Errorf("output folder %s: %w", root.Name(), rootPathError(err))
	}
	return folds, nil
}

// foldName is the same for names that a file system which folds case may take for one. Systems differ in what they fold (is ß the
// same as ss?); this folds most. A name that is not UTF-8 stays what it is.
func foldName(name string) string {
	ascii := true
	for i := range len(name) {
		ascii = ascii && name[i] < utf8.RuneSelf
	}
	switch {
	case ascii:
		return strings.ToLower(name)
	case !utf8.ValidString(name):
		return name
	default:
		return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
	}
}
