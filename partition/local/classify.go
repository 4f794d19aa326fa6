package local

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quire-dev/quire/partition/element"
)

// Measures of the classification, the API's defaults.
const (
	capShare      = 0.5 // a text with a larger share of capitalised words is no sentence
	alphaShare    = 0.5 // a text with a smaller share of letters is neither sentence nor title
	titleWords    = 12
	sentenceWords = 3
	titleSentence = 5
)

var (
	emailText   = regexp.MustCompile(`^[a-z0-9.\-+_]+@[a-z0-9.\-+_]+\.[a-z]+`)
	addressText = regexp.MustCompile(`^[A-Z][A-Za-z.' -]*,\s*(?:` + strings.Join(states, "|") + `)\.?,?\s+\d{5}(?:-\d{4})?\b`)
	numbered    = regexp.MustCompile(`^\d+(\.|\))\s.+`)
)

var states = []string{
	"Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware", "Florida", "Georgia",
	"Hawaii", "Idaho", "Illinois", "Indiana", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maine", "Maryland", "Massachusetts",
	"Michigan", "Minnesota", "Mississippi", "Missouri", "Montana", "Nebraska", "Nevada", "New Hampshire", "New Jersey",
	"New Mexico", "New York", "North Carolina", "North Dakota", "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "Rhode Island",
	"South Carolina", "South Dakota", "Tennessee", "Texas", "Utah", "Vermont", "Virginia", "Washington", "West Virginia",
	"Wisconsin", "Wyoming", "[A-Z]{2}",
}

// classify finds the type of a text by the API's rules, the first that fits, and returns the text
// without its bullet.
func classify(text string) (element.ElementType, string) {
	if rest, is := cutBullet(text); is {
		return element.TypeListItem, rest
	}
	switch {
	case emailText.MatchString(text):
		return element.TypeEmailAddress, text
	case addressText.MatchString(text):
		return element.TypeAddress, text
	case numbered.MatchString(text):
		return element.TypeListItem, text
	case isNarrative(text):
		return element.TypeNarrativeText, text
	case isTitle(text):
		return element.TypeTitle, text
	}
	return element.TypeUncategorizedText, text
}

// bullets are the characters that begin a list item.
const bullets = "\u0095\u2022\u2023\u2043\u3164\u204C\u204D\u2219\u25CB\u25CF\u25D8\u25E6\u2619\u2765\u2767\u29BE\u29BF\u2013\uF0B7*\u00B7-" // the hyphen last, for use in a class of a regexp

// cutBullet takes the bullet off a text that begins with exactly one.
func cutBullet(text string) (rest string, is bool) {
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if size == 0 || !strings.ContainsRune(bullets, first) || second != utf8.RuneError && strings.ContainsRune(bullets, second) {
		return text, false
	}
	return strings.TrimSpace(text[size:]), true
}

// isNarrative reports whether a text reads as sentences.
func isNarrative(text string) bool {
	if text == "" || isNumeric(text) || isCapHeavy(text) || lettersOf(text) < alphaShare {
		return false
	}
	return sentencesOf(text, sentenceWords) >= 2 || hasVerb(text)
}

// isTitle reports whether a text is short and whole enough for a heading.
func isTitle(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case text == "", isUpper(text) && unicode.IsPunct(last), strings.Count(text, " ") >= titleWords,
		lettersOf(text) < alphaShare, last == ',', isNumeric(text):
		return false
	}
	return sentencesOf(text, titleSentence) <= 1
}

// isCapHeavy reports whether too many words of a single sentence are capitalised for running text.
func isCapHeavy(text string) bool {
	if sentencesOf(text, sentenceWords) > 1 {
		return false
	}
	if isUpper(text) {
		return true
	}
	words, capitalised := 0, 0
	for w := range strings.FieldsSeq(text) {
		w = strings.TrimFunc(w, unicode.IsPunct)
		if w == "" || strings.ContainsFunc(w, func(c rune) bool { return !unicode.IsLetter(c) }) {
			continue
		}
		words++
		first, size := utf8.DecodeRuneInString(w)
		if rest := w[size:]; unicode.IsUpper(first) && rest == strings.ToLower(rest) || w == strings.ToUpper(w) && w != strings.ToLower(w) {
			capitalised++
		}
	}
	return words == 0 || float64(capitalised)/float64(words) > capShare
}

// lettersOf is the share of letters among the characters that are no white space.
func lettersOf(text string) float64 {
	letters, all := 0, 0
	for _, c := range text {
		if unicode.IsSpace(c) {
			continue
		}
		all++
		if unicode.IsLetter(c) {
			letters++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(letters) / float64(all)
}

func isNumeric(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsNumber(c) })
}

// isUpper is Python's: some letter has a case, and none is lower.
func isUpper(text string) bool { return text == strings.ToUpper(text) && text != strings.ToLower(text) }
