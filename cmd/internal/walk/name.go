package walk

import (
	"path"
	"path/filepath"
	"strings"
)

// outputName is where the outputs of a root stand when there are several: the path as it was given,
// cleaned, with slashes, and inside the output folder even if it was absolute or led upwards.
func outputName(root string) string {
	name := filepath.Clean(root)
	name = filepath.ToSlash(name[len(filepath.VolumeName(name)):])
	name = strings.TrimLeft(name, "/")
	for name == ".." || strings.HasPrefix(name, "../") {
		name = strings.TrimPrefix(name[len(".."):], "/")
	}
	if name == "" {
		return "."
	}
	return name
}

// listedName is where the outputs of a listed path stand.
func listedName(l Listed) string {
	if l.Name != "" {
		return outputName(l.Name)
	}
	return outputName(l.Path)
}

// overlaps are roots by the output names that they take, those of the folders above them included.
type overlaps map[string]overlap

type overlap struct {
	root  string
	whole bool // the name is the root's own, not one above it
}

// add takes a root, unless the outputs of another one stand at the same place, above or below: then
// it returns that one.
func (o overlaps) add(root string) (other string, clash bool) {
	name := outputName(root)
	if there, ok := o[name]; ok {
		return there.root, true
	}
	for above := name; above != "."; {
		above = path.Dir(above)
		if there, ok := o[above]; ok && there.whole {
			return there.root, true
		}
	}
	o[name] = overlap{root, true}
	for above := name; above != "."; {
		above = path.Dir(above)
		if _, ok := o[above]; ok {
			break
		}
		o[above] = overlap{root, false}
	}
	return "", false
}
