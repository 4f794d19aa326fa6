package walk

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is one pattern of --include or --exclude.
type glob struct {
	pattern string
	whole   bool // matched against the path below the root, not the last element alone
	folders bool // only folders match: it ended in a slash
}

// globs choose among the files that a walk finds.
type globs struct{ include, exclude []glob }

// newGlobs reads patterns in the syntax of doublestar. A bad one is a usage error.
func newGlobs(include, exclude []string) (globs, error) {
	var g globs
	for _, text := range include {
		pattern, err := newGlob("--include", text)
		if err != nil {
			return g, err
		}
		if pattern.folders {
			return g, usageError("--include %q matches folders only; use %q for their content", text, text+"**")
		}
		g.include = append(g.include, pattern)
	}
	for _, text := range exclude {
		pattern, err := newGlob("--exclude", text)
		if err != nil {
			return g, err
		}
		g.exclude = append(g.exclude, pattern)
	}
	return g, nil
}

func newGlob(flag, text string) (glob, error) {
	pattern, folders := strings.CutSuffix(text, "/")
	g := glob{strings.TrimPrefix(pattern, "/"), strings.Contains(pattern, "/"), folders}
	if g.pattern == "" || !doublestar.ValidatePattern(g.pattern) {
		return g, usageError("%s %q: not a glob", flag, text)
	}
	return g, nil
}

// matches reports whether rel, a path below the root with slashes, is meant.
func (g glob) matches(rel string, folder bool) bool {
	if g.folders && !folder {
		return false
	}
	if !g.whole {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(g.pattern, rel)
}

// excludes reports whether a file or a folder is left out.
func (g *globs) excludes(rel string, folder bool) bool {
	for _, pattern := range g.exclude {
		if pattern.matches(rel, folder) {
			return true
		}
	}
	return false
}

// includes reports whether a file is among those that are wanted.
func (g *globs) includes(rel string) bool {
	for _, pattern := range g.include {
		if pattern.matches(rel, false) {
			return true
		}
	}
	return len(g.include) == 0
}
