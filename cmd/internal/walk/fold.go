package walk

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldName returns the same text for names that are one file on a file system that folds case.
// Systems differ in what they fold (is ß the same as ss?); this folds most. A name that is not
// UTF-8 stays what it is.
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
