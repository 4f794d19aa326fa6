package cmd

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// hiddenInCommand says how the values of flags that may hold a secret are shown.
var hiddenInCommand = map[string]func(string) string{
	"header": func(value string) string {
		name, _, _ := strings.Cut(value, ":")
		return name + ": ..."
	},
	"url": func(value string) string {
		u, err := url.Parse(value)
		if err != nil || u.User == nil && u.RawQuery == "" {
			return value
		}
		if u.User != nil {
			u.User = url.User("...")
		}
		if u.RawQuery != "" {
			u.RawQuery = "..."
		}
		return u.String()
	},
}

// retryCommand returns the command that runs the documents of a failed list again: with the same
// flags, but without those that select documents, and without secrets.
func retryCommand(flags *pflag.FlagSet, list string) string {
	words := []string{"quire", "partition", "--retry-failed", list}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(f.Annotations[flagGroup], groupInput) || f.Name == "retry-failed" || f.Name == "force" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		for _, value := range flagTexts(f.Value) {
			if hide := hiddenInCommand[f.Name]; hide != nil {
				value = hide(value)
			}
			switch {
			case f.NoOptDefVal == "":
				words = append(words, name, value)
			case value == f.NoOptDefVal:
				words = append(words, name)
			default:
				words = append(words, "--"+f.Name+"="+value)
			}
		}
	})
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// flagTexts are the texts with which a flag was given.
func flagTexts(value pflag.Value) []string {
	switch v := value.(type) {
	case *extraFlag:
		return v.texts
	case pflag.SliceValue:
		return v.GetSlice()
	default:
		return []string{v.String()}
	}
}

// plainWord are the characters that mean nothing to a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	switch {
	case plainWord.MatchString(word):
		return word
	case !utf8.ValidString(word) || strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }):
		var quoted strings.Builder
		for _, b := range []byte(word) {
			if b < ' ' || b > '~' || b == '\'' || b == '\\' {
				fmt.Fprintf(&quoted, `\x%02x`, b)
			} else {
				quoted.WriteByte(b)
			}
		}
		return "$'" + quoted.String() + "'"
	default:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
}
