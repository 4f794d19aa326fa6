package local

import (
	"strings"
	"unicode"
)

// hasVerb reports whether a text has a verb, as far as a small English lexicon and endings tell: a
// form that is hardly ever anything else, a form by rule (-ed, -ing) with the common exceptions, or
// a word that follows "to", a modal or a pronoun.
func hasVerb(text string) bool {
	if text == strings.ToUpper(text) {
		text = strings.ToLower(text)
	}
	before := ""
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
		token := contractions(part)
		w := strings.ToLower(token)
		capital := token != w
		switch {
		case verbForms[w]:
			return true
		case !capital && isRegular(w):
			return true
		case leadsVerb[before] && !capital && len(w) > 1 && !follows[w] && !strings.HasSuffix(w, "ly"):
			return true
		case pronouns[before] && ambiguousVerbs[w]:
			return true
		}
		if !strings.HasSuffix(w, "ly") && w != "not" { // "to fully understand", "may not apply"
			before = w
		}
	}
	return false
}

// contractions returns the verb of what an apostrophe cut off.
func contractions(part string) string {
	switch part {
	case "re", "ve":
		return "are"
	case "ll":
		return "will"
	}
	return part
}

func isRegular(w string) bool {
	switch {
	case len(w) < 5 || notVerbs[w]:
		return false
	case strings.HasSuffix(w, "ed"):
		return !strings.HasSuffix(w, "eed")
	case strings.HasSuffix(w, "ing"):
		return strings.ContainsAny(strings.TrimSuffix(w, "ing"), "aeiouy")
	case strings.HasSuffix(w, "izes"), strings.HasSuffix(w, "ifies"), strings.HasSuffix(w, "ates"):
		return true
	case strings.HasSuffix(w, "ize"), strings.HasSuffix(w, "ify"):
		return w != "prize"
	}
	return false
}

// verbForms hardly ever are anything but verbs.
var verbForms = withForms(`is am are was were be been being has have had having do does did done isn aren wasn weren hasn haven
	hadn don doesn didn
	became become becomes began begun brought built bought came chose chosen drawn drew driven fell fallen felt forgotten
	found gave given gives goes gone went got gotten grew grown heard held kept knew known knows laid led leads left lost made
	makes meant met paid proven put ran read rose said says saw seen sent shown shows sold sought spent spoke spoken stood
	taken takes taught tells thought told took understood understands went wore won wrote written writes
	see know go get make take give let think tell say keep hear find bring want need seems tends lies belongs consists`,
	`accept accompany achieve acquire add affect agree allow announce appear apply arise arrive assume attempt avoid ban
	believe compare comprise conduct confirm consider consist contain continue create decide define deliver deny depend
	derive describe destroy determine develop differ discuss disclose discover eat eliminate emerge enable encourage
	enhance ensure enter evolve examine exceed exclude exist expect explain explore express extend facilitate follow
	forget happen identify ignore illustrate imagine implement imply improve include incorporate increase indicate
	influence inform introduce involve join justify learn listen lose maintain manage modify obtain occur offer operate
	perform permit possess prefer prepare prevent proceed produce promote propose protect prove provide publish pursue
	reach receive recognize recommend reduce reflect refer reject relate rely remain remember remove replace represent
	require resolve retain reveal satisfy seem select send serve simplify solve specify strengthen submit succeed suggest
	summarize suppose tend transform treat understand undertake utilize vary verify wish write`)

// withForms adds the regular third person of the base forms; -ed and -ing go by rule.
func withForms(forms, bases string) map[string]bool {
	set := wordSet(forms)
	for base := range wordSet(bases) {
		set[base] = true
		stem, isY := strings.CutSuffix(base, "y")
		switch {
		case isY && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
			set[stem+"ies"] = true
		case strings.HasSuffix(base, "s"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "ch"), strings.HasSuffix(base, "x"):
			set[base+"es"] = true
		default:
			set[base+"s"] = true
		}
	}
	for _, noun := range []string{"increases", "offers", "influences", "ban", "bans", "attempt", "attempts", "influence"} {
		delete(set, noun)
	}
	return set
}

// leadsVerb are the words after which a base form comes.
var leadsVerb = wordSet(`to will would shall should can could may might must cannot let`)

// follows are words that stand after "to" or a modal without being a verb.
var follows = wordSet(`the a an this that these those my your his her its our their any all each every some such no one two
	three which whom what it them him us me you and or both other others another date work more most less at in on of for
	from by as with not page section chapter table figure day year end top bottom right left north south east west time`)

var pronouns = wordSet(`i we you they who`)

// ambiguousVerbs are nouns as well; after a pronoun they are verbs.
var ambiguousVerbs = wordSet(`use need work study plan report look show try help play run start call ask hope love like
	live move turn talk walk work test present focus aim note document name set cut feel mean hold stand place form act
	believe change claim design end face fear guess leave note pay order question rest result share sleep sound speak stay
	stop support thank train travel trust visit wait watch wonder`)

// notVerbs have a verb's ending.
var notVerbs = wordSet(`hundred sacred naked kindred wicked rugged crooked aged beloved indeed infrared shred sled
	thing things nothing something anything everything king ring spring string wing sing during morning evening ceiling
	building wedding pudding sibling sterling shilling herring wording boxing clothing railing earring lightning
	feeling being dwelling meaning offspring plating rating ratings underlying notwithstanding according regarding
	climates dates states estates rates plates updates candidates certificates templates coordinates delegates
	associates aggregates affiliates graduates duplicates mates gates slates carbonates nitrates phosphates sulfates`)
