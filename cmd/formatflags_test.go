package cmd

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/format"
)

func checkFormatFlags(args ...string) (format.Format, outputOptions, error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	var f formatFlags
	f.add(flags)
	if err := flags.Parse(args); err != nil {
		return format.Format{}, outputOptions{}, err
	}
	return f.check()
}

func TestFormatFlagsRefuse(t *testing.T) {
	for flags, want := range map[string]string{
		"-f yaml":                                             `--format "yaml": must be one of json, jsonl, markdown, text, csv, parquet`,
		"--csv-safe":                                          "--csv-safe cannot be used with -f json, only with csv",
		"-f markdown --source-field":                          "--source-field cannot be used with -f markdown, only with json, jsonl, csv, parquet",
		"-f text --images x":                                  "--images cannot be used with -f text, only with json, jsonl, markdown, csv, parquet",
		"-f text --metadata-include x":                        "--metadata-include cannot be used with -f text, only with json, jsonl, csv, parquet",
		"-f markdown --metadata-exclude x":                    "--metadata-exclude cannot be used with -f markdown, only with json, jsonl, csv, parquet",
		"-f csv --flatten-metadata":                           "--flatten-metadata cannot be used with -f csv, only with json, jsonl",
		"--metadata-include a --metadata-exclude b":           "--metadata-include and --metadata-exclude cannot be used together",
		"--element-types Title --exclude-element-types Table": "--element-types and --exclude-element-types cannot be used together",
		"--element-types ,":                                   "--element-types: no names given",
		"--metadata-exclude=":                                 "--metadata-exclude: no names given",
		"--images=":                                           "--images: no folder given",
	} {
		t.Run(flags, func(t *testing.T) {
			_, _, err := checkFormatFlags(strings.Fields(flags)...)
			require.EqualError(t, err, want)
			require.Equal(t, exitUsage, exitCode(err))
		})
	}
}

func TestOutputOptionsKey(t *testing.T) {
	for flags, want := range map[string]string{
		"":                                     `{"format":"json"}`,
		"-f csv --csv-safe":                    `{"format":"csv","csv_safe":true}`,
		"-f jsonl --source-field --images a/b": `{"format":"jsonl","source_field":true,"images":"a/b"}`,
		"--flatten-metadata --metadata-exclude b,a,b": `{"format":"json","metadata_exclude":["a","b"],"flatten_metadata":true}`,
		"--metadata-exclude a --metadata-exclude b":   `{"format":"json","metadata_exclude":["a","b"]}`,
		"--metadata-include b,a":                      `{"format":"json","metadata_include":["a","b"]}`,
		"-f text --element-types Title":               `{"format":"text","element_types":["Title"]}`,
		"-f text --exclude-element-types Title,":      `{"format":"text","exclude_element_types":["Title"]}`,
	} {
		t.Run(flags, func(t *testing.T) {
			_, options, err := checkFormatFlags(strings.Fields(flags)...)
			require.NoError(t, err)
			require.Equal(t, want, options.key())
		})
	}
}

// Every option has its row in the table of flags, so that output that goes past the formats can
// refuse it.
func TestOutputOptionsGiven(t *testing.T) {
	for _, flags := range []string{
		"csv-safe", "source-field", "images=x", "metadata-include=x", "metadata-exclude=x", "flatten-metadata", "element-types=x",
		"exclude-element-types=x",
	} {
		form := "json"
		if flags == "csv-safe" {
			form = "csv"
		}
		_, options, err := checkFormatFlags("-f", form, "--"+flags)
		require.NoError(t, err)
		name, _, _ := strings.Cut(flags, "=")
		require.Equal(t, name, options.given())
	}
	_, options, err := checkFormatFlags("-f", "text")
	require.NoError(t, err)
	require.Empty(t, options.given())
}
