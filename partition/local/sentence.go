package local

import (
	"strings"
	"unicode"
)

// sentencesOf counts the sentences with at least so many words, at least one, punctuation not
// counted. A full stop, an exclamation mark or a question mark ends a sentence where what follows
// begins with a capital, a digit or an opening mark, and the word before is no abbreviation and no
// initials.
func sentencesOf(text string, words int) int {
	count, n := 0, 0
	before := ""
	for w := range strings.FieldsSeq(text) {
		if endsSentence(before) && beginsSentence(w) {
			if n >= words {
				count++
			}
			n = 0
		}
		if strings.ContainsFunc(w, func(c rune) bool { return !unicode.IsPunct(c) && !unicode.IsSymbol(c) }) {
			n++
		}
		before = w
	}
	if n >= words {
		count++
	}
	return count
}

func endsSentence(word string) bool {
	bare := strings.TrimRight(word, `"')]}’”»`)
	switch {
	case strings.HasSuffix(bare, "!"), strings.HasSuffix(bare, "?"):
		return true
	case !strings.HasSuffix(bare, "."):
		return false
	}
	stem := strings.ToLower(strings.TrimLeft(strings.TrimSuffix(bare, "."), `"'([{‘“«`))
	letters := []rune(stem)
	isInitial := len(letters) == 1 && unicode.IsLetter(letters[0]) && stem != "i"
	return !isInitial && !abbreviations[stem] && !strings.Contains(stem, ".")
}

func beginsSentence(word string) bool {
	for _, c := range word {
		return unicode.IsUpper(c) || unicode.IsDigit(c) || unicode.IsTitle(c) || strings.ContainsRune(`"'([{‘“«`, c) ||
			unicode.IsLetter(c) && !unicode.IsLower(c) // scripts without case
	}
	return false
}

// abbreviations keep a sentence going; they are written here without their last full stop.
var abbreviations = wordSet(`mr mrs ms dr prof rev hon sen rep gov gen col maj capt lt sgt st jr sr messrs mme
	cf viz vs al etc ca approx resp nos vol vols fig figs eq eqs sec secs ch chap pp p ed eds
	inc ltd co corp dept est univ assn bros 
	jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun ave blvd rd`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
