package walk

import (
	"path"
	"path/filepath"
	"strings"
)

// outputName returns where the outputs of a root go if there are several roots: the given path,
// cleaned, with slashes, and inside the output folder even if it is absolute or leads upwards.
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

// listedName returns where the outputs of a listed path go.
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

// add takes a root, unless the outputs of another root would go to the same place, above it or
// below it: then it returns that root.
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
