package cmd

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
)

func TestRetryCommand(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	var values struct {
		include, header, languages []string
		output, password           string
		hidden, narrow, page       bool
		n                          int
	}
	group(flags, groupInput, func(flags *pflag.FlagSet) {
		flags.StringArrayVar(&values.include, "include", nil, "")
		flags.BoolVar(&values.hidden, "hidden", false, "")
	})
	flags.SortFlags = false
	flags.StringVarP(&values.output, "output", "o", "", "")
	flags.StringArrayVar(&values.header, "header", nil, "")
	flags.StringSliceVar(&values.languages, "languages", nil, "")
	flags.BoolVar(&values.narrow, "narrow", false, "")
	flags.BoolVar(&values.page, "page", true, "")
	flags.IntVarP(&values.n, "in-flight", "j", 10, "")
	flags.StringVar(&values.password, "password-file", "", "")
	flags.Bool("force", false, "")
	flags.Var(&extraFlag{params: &partition.Params{}}, "param", "")
	flags.String("url", "", "")
	require.NoError(t, flags.Parse([]string{
		"--include", "*.pdf", "--hidden", "-o", "my out", "--header", "A: it's", "--header", "B: 2", "--languages", "eng,deu", "--narrow",
		"--page=false", "-j", "3", "--force",
		"--param", "a=b", "--param", "a=c", "--url", "http://me:secret@host/x?token=secret",
	}))
	require.Equal(t,
		`quire partition --retry-failed 'my out/.quire/failed.jsonl' -o 'my out' --header 'A: ...' --header 'B: ...' --languages eng `+
			`--languages deu --narrow --page=false -j 3 --param a=b --param a=c --url 'http://...@host/x?...'`,
		retryCommand(flags, "my out/.quire/failed.jsonl"))
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"plain-1.pdf": "plain-1.pdf", "": "''", "a b": "'a b'", "$(x)": "'$(x)'", "a\nb'": `$'a\x0ab\x27'`, "\xff": `$'\xff'`, "a'b": `'a'\''b'`, "-": "-", "ü": "'ü'",
	} {
		require.Equal(t, want, shellWord(word))
	}
}
