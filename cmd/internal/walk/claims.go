package walk

import (
	"crypto/sha256"
	"errors"
	"iter"
	"strings"
)

// A pathKey stands for a path in a set: the beginning of its SHA-256.
type pathKey [16]byte

func newPathKey(path string) pathKey {
	sum := sha256.Sum256([]byte(path))
	return pathKey(sum[:len(pathKey{})])
}

// claims are the paths of a run's outputs and of the folders that they are in. No two outputs may
// have the same path, and none may have the path of a folder.
//
// In one tree, whose files come folder by folder, only outputs in the same folder can collide, so
// only the open folders are held in memory. This is not so if two folders of the tree become one,
// nor for lists: then all paths are held, with [claims.everything].
type claims struct {
	foldCase   bool
	everything bool
	open       []openFolder
	paths      map[pathKey]bool // with everything: true for a folder
}

type openFolder struct {
	path     string           // folded
	children map[pathKey]bool // true for a folder
}

// errFoldersMerge says that two folders of a tree become one in the output, so that all paths must
// be held.
var errFoldersMerge = errors.New("two folders are one in the output")

// An overlappingClaim is an output whose place is taken.
type overlappingClaim struct {
	key    pathKey // of the path that both need
	folder bool    // one of them needs it to be a folder
}

func (*overlappingClaim) Error() string { return "the output's place is taken" }

// add claims the output called name, with slashes, and the folders above it. The error is
// errFoldersMerge or an [overlappingClaim].
func (c *claims) add(name string) error {
	depth, parent := 0, ""
	for child := range claimed(name, c.foldCase) {
		if err := c.enter(depth, parent, child); err != nil {
			return err
		}
		depth, parent = depth+1, child.path
	}
	return nil
}

// enter claims one path of the way down to an output, in the folder at that depth.
func (c *claims) enter(depth int, parent string, child claim) error {
	key := newPathKey(child.path)
	if !c.everything {
		c.descend(depth, parent)
		if child.folder && depth+1 < len(c.open) && c.open[depth+1].path == child.path {
			return nil // it is open already
		}
	}
	set := c.set(depth)
	folder, taken := set[key]
	switch {
	case taken && !(folder && child.folder):
		return &overlappingClaim{key, folder || child.folder}
	case taken && !c.everything:
		return errFoldersMerge
	}
	set[key] = child.folder
	return nil
}

// descend makes parent the folder that is open at this depth, and closes what was open in its
// place.
func (c *claims) descend(depth int, parent string) {
	if depth < len(c.open) && c.open[depth].path == parent {
		return
	}
	c.open = append(c.open[:depth], openFolder{parent, map[pathKey]bool{}})
}

func (c *claims) set(depth int) map[pathKey]bool {
	if !c.everything {
		return c.open[depth].children
	}
	if c.paths == nil {
		c.paths = map[pathKey]bool{}
	}
	return c.paths
}

// A claim is one path that an output needs: its own, or that of a folder above it.
type claim struct {
	path   string // folded where case does not count
	folder bool
}

// claimed yields the claims of an output, from the top down.
func claimed(name string, foldCase bool) iter.Seq[claim] {
	return func(yield func(claim) bool) {
		path := ""
		for more := true; more; {
			var element string
			element, name, more = strings.Cut(name, "/")
			if foldCase {
				element = foldName(element)
			}
			path = below(path, element)
			if !yield(claim{path, more}) {
				return
			}
		}
	}
}
