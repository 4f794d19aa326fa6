package cmd

import (
	"slices"
)

// A nameFilter keeps names, or leaves them out. The zero value keeps all.
type nameFilter struct {
	only   []string // sorted; nil: all
	except []string // sorted
}

func (f nameFilter) keeps(name string) bool {
	if f.only != nil {
		_, found := slices.BinarySearch(f.only, name)
		return found
	}
	_, found := slices.BinarySearch(f.except, name)
	return !found
}

func (f nameFilter) all() bool { return f.only == nil && f.except == nil }
