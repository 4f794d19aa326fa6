package format

// A nameFilter keeps names, or leaves them out. The zero value keeps all.
type nameFilter struct {
	only   map[string]bool // nil: all
	except map[string]bool
}

// newNameFilter keeps the names in only, all if there are none, but those in except.
func newNameFilter[S ~string](only, except []S) nameFilter {
	return nameFilter{nameSet(only), nameSet(except)}
}

func nameSet[S ~string](names []S) map[string]bool {
	if len(names) == 0 {
		return nil
	}
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[string(name)] = true
	}
	return set
}

func (f nameFilter) keeps(name string) bool {
	return (f.only == nil || f.only[name]) && !f.except[name]
}

func (f nameFilter) keepsAll() bool { return f.only == nil && f.except == nil }
